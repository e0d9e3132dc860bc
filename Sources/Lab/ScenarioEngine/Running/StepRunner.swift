// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabControl
import LabCore
import LabSystem
package import ScenarioLanguage

/// Carries out steps in order, on one thread.
///
/// Not thread-safe: each branch of a race has its own.
package final class StepRunner {
    package let run: ScenarioRun
    package let instance: InstanceConnection
    package let events: TraceBoard
    /// The variables' values.
    package var bindings: Bindings
    /// When this thread's commands were handled: for the proof of a race.
    var intervals: [HandlingInterval] = []
    /// The current rounds of `each` and `repeat`, the outermost first.
    package var round: [String] = []
    package let session: ActorSession
    let isTearDown: Bool
    /// Pauses before each step until a person continues the run; nil for no pauses, and for branches, which run
    /// together.
    package var gate: StepGate?
    /// Deadlines of the steps around the current one.
    package var deadline: Deadline?
    /// The label of failures: set-up or tear-down.
    private var phase: String?
    /// How a branch ended: the error of the command in the first failed step, nil if it failed for another reason, and
    /// the answer of the last command that succeeded.
    var lastError: ControlError?
    var lastAnswer: JSONValue?
    /// The armed faults of a surrounding `during`.
    var blockFaults: [ArmedFault]?
    /// Notes that a step may touch anything that processes share; nil outside of a branch whose process takes turns.
    var touchesEverything: (@Sendable () -> Void)?
    /// Whether an order of turns has killed the app of this branch, or a device that it needs: then no step follows,
    /// and what the current one reports is no failure.
    var isKilled: @Sendable () -> Bool = { false }
    /// Notes that a device has not done what this branch asked it for.
    var noteRefusal: @Sendable (_ device: String) -> Void = { _ in }
    /// When the first attempt began, during retries.
    var waitingSince: UInt64?
    /// How many steps have begun, so that a retried block knows whether an attempt did.
    private(set) var begun = 0
    /// During retries of a block, failures are kept here instead of being reported.
    package var held: [StepFailure]?

    init(
        run: ScenarioRun, instance: InstanceConnection, events: TraceBoard, bindings: Bindings, isTearDown: Bool = false
    ) {
        self.run = run
        self.instance = instance
        self.events = events
        self.bindings = bindings
        self.isTearDown = isTearDown
        session = ActorSession(instance: instance)
    }

    /// Carries out the steps before or after those of the scenario, within their own time limit.
    package func perform(_ phase: Phase, called name: String) -> Bool {
        // A person may take any time.
        deadline = gate == nil ? Deadline(after: phase.limit, of: "the \(name)") : nil
        self.phase = name
        defer { (deadline, self.phase) = (nil, nil) }
        return perform(phase.steps)
    }

    /// Carries out a list of steps; stops at the first failure, except in a tear-down.
    /// - Parameter all: Whether to continue after a failure even outside of a tear-down.
    /// - Returns: Whether all passed.
    package func perform(_ steps: [Step], all: Bool = false) -> Bool {
        var isComplete = true
        var error: ControlError?
        defer { if !isComplete { lastError = error } }
        for step in steps {
            // Retries are not paused each time.
            if held == nil { gate?.pass(before: step, of: run, in: instance) }
            if mustStop { return false }
            if let deadline, deadline.isOver {
                return fail(step, "it did not begin, because \(deadline.sentence)", verdict: .failed)
            }
            if !perform(step) {
                if isComplete { error = lastError }
                isComplete = false
                if !isTearDown, !all { return false }
            }
        }
        return isComplete
    }

    private func perform(_ step: Step) -> Bool {
        begun += 1
        run.began(step)
        lastError = nil
        // In most runs no app is killed by an order of turns.
        if !bindings.lost.isEmpty, let missing = step.references.first(where: { bindings.lost.contains($0.key) }) {
            skip(step, lacking: missing)
            return true
        }
        // The apps note what they touch; what the server, a device and the runner do for a step is not known.
        let touches = step.isForApps ? nil : touchesEverything
        touches?()
        defer { touches?() }
        if let when = step.when, let isFine = end(of: step, under: when) {
            run.ended(step, isFine: isFine)
            return isFine
        }
        let isFine =
            switch step.action {
            case .command(let command): perform(command, of: step)
            case .check(let condition): check(condition, of: step)
            case .postConditions(let steps): postConditions(steps)
            case .advance(let duration): instanceAction(of: step) { try instance.clock.advance(by: duration) }
            case .waitFor(let event, let limit): wait(for: event, within: limit, of: step)
            case .order(let events): order(events, of: step)
            case .same(let steps): same(steps, of: step)
            case .never(let absence, let steps): perform(steps, without: absence, of: step)
            case .stays(let duration, let steps): hold(steps, for: duration, of: step)
            case .during(let arming, let steps): perform(steps, during: arming)
            case .eventually(let limit, let steps): eventually(limit, steps, of: step)
            case .race(let race): perform(race, of: step)
            case .parallel(let branches): parallel(branches, of: step)
            case .repeated(let times, let counter, let steps): repeated(times, name: counter, steps, of: step)
            case .each(let values, let name, let steps): each(values, name: name, steps, of: step)
            case .included(_, let steps): perform(steps)
            }
        run.ended(step, isFine: isFine)
        return isFine
    }

    /// Whether no further step may begin: a tear-down is carried out even after an interruption, unless that is forced.
    var mustStop: Bool { run.interruption.isForced || run.interruption.isSet && !isTearDown || isKilled() }

    func instanceAction(of step: Step, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            return fail(step, "\(error)", verdict: .inconclusive)
        }
    }

    // MARK: - Failures

    /// Explains a failed step. Always returns false, so that callers can return it.
    package func fail(
        _ step: Step, _ reason: String, verdict: Verdict, mismatches: [Mismatch] = [], peer: String? = nil,
        error: ControlError? = nil, awaited: String? = nil
    ) -> Bool {
        if mustStop { return false }
        let reason = ([phase.map { "in the \($0), \(reason)" } ?? reason] + round.reversed()).joined(separator: ", ")
        report(
            run.failures.explain(
                step, reason, verdict: verdict, mismatches: mismatches, peer: peer, error: error, awaited: awaited,
                waitingSince: waitingSince))
        return false
    }

    package func report(_ failure: StepFailure) {
        if held != nil {
            held?.append(failure)
        } else {
            run.failures.add(failure)
        }
    }

    /// Makes the connections for some steps.
    package func prepare(_ steps: [Step]) {
        for step in steps {
            switch step.action {
            case .command(let command): for target in command.targets { session.connect(to: target) }
            case .eventually(_, let steps), .repeated(_, _, let steps), .each(_, _, let steps), .included(_, let steps),
                .stays(_, let steps), .never(.event, let steps), .same(let steps), .postConditions(let steps):
                prepare(steps)
            case .never(.answer(let probe), let steps): prepare([probe] + steps)
            case .during(let arming, let steps): prepare(arming + steps)
            case .check, .advance, .waitFor, .order, .race, .parallel: break
            }
        }
    }

    // MARK: - Skipped steps

    /// The result of a step whose condition does not hold; nil if it holds, and the step is to be carried out.
    package func end(of step: Step, under when: Step.When) -> Bool? {
        let mismatches: [Mismatch]
        do {
            mismatches = try self.mismatches(Condition(value: when.value, expectation: when.expectation))
        } catch {
            return lacks(error.reference, step)
        }
        if mismatches.isEmpty { return nil }
        let reasons = mismatches.map { mismatch in
            let path = when.reference.text
            let subject = mismatch.path.isEmpty ? path : "\(path).\(mismatch.path)"
            return "`${\(subject)}` is \(mismatch.actual?.description ?? "nothing"), expected \(mismatch.expected)"
        }
        run.skip(step, because: reasons.joined(separator: "; "))
        return true
    }

    /// Skips a step that needs what an app would have given that an order of turns has killed, and with it the steps that
    /// need what this one would have kept.
    private func skip(_ step: Step, lacking reference: Reference) {
        bindings.lose(step.keptNames)
        let reason = "the order of turns has killed the app that would give it"
        run.skip(step, because: "`${\(reference.text)}` has no value, because \(reason)")
        run.ended(step, isFine: true)
    }

    /// A value for the step is missing. A tear-down skips the step: the scenario ended before the value existed.
    package func lacks(_ reference: Reference, _ step: Step) -> Bool {
        guard isTearDown else { return fail(step, "`${\(reference.text)}` has no value", verdict: .failed) }
        let reason = "\(reference.text) has no value, because the scenario ended before"
        run.history.record(.stepSkipped(.init(reason: reason)), step: step.path)
        return true
    }
}

extension Step {
    /// Whether only apps do something when the step is carried out, leaving its inner steps aside: it neither changes
    /// nor asks the server, a device, the clock or the armed faults, and looks at no events.
    fileprivate var isForApps: Bool {
        switch action {
        case .command(let command):
            command.targets.allSatisfy { target in
                if case .endpoint(.peer, about: _) = target.route { true } else { false }
            }
        case .check, .postConditions, .same, .eventually, .race, .parallel, .repeated, .each, .included: true
        case .advance, .waitFor, .order, .never, .stays, .during: false
        }
    }
}
