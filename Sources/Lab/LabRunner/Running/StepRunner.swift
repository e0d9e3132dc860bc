internal import Foundation
internal import LabKit
internal import LabSystem

/// Carries out steps in order, on one thread.
///
/// Not thread-safe: each branch of a race has one of its own, with its own control connections.
final class StepRunner {
    let run: ScenarioRun
    let instance: InstanceConnection
    let events: TraceBoard
    /// The variables' values.
    var bindings: Bindings
    /// When this thread's commands were handled: what the proof of a race looks at.
    var intervals: [HandlingInterval] = []
    /// The rounds of `each` and `repeat` that are being carried out, the outermost first.
    var round: [String] = []
    let caller: ControlCaller
    let isTearDown: Bool
    /// Holds each step until a person lets it go on; nil when nobody is there, and for branches, which run together.
    var gate: StepGate?
    /// When the steps around the one under way must have ended.
    var deadline: Deadline?
    /// What failures are labelled with: set-up or tear-down.
    private var phase: String?
    /// The error of the command that the first failed step has failed with, nil when it failed for another reason, and the
    /// answer of the command that succeeded last: how a branch ended.
    var lastError: ControlError?
    var lastAnswer: JSONValue?
    /// While the faults of a `during` are armed, those that are.
    var blockFaults: [ArmedFault]?
    /// When the first attempt began, while something is tried again and again.
    var waitingSince: UInt64?
    /// While a block is tried again and again, failures are kept here instead of being reported.
    var held: [StepFailure]?

    init(
        run: ScenarioRun, instance: InstanceConnection, events: TraceBoard, bindings: Bindings, isTearDown: Bool = false
    ) {
        self.run = run
        self.instance = instance
        self.events = events
        self.bindings = bindings
        self.isTearDown = isTearDown
        caller = ControlCaller(instance: instance)
    }

    /// Carries out the steps before or after those of the scenario, within their own time.
    func perform(_ phase: Phase, called name: String) -> Bool {
        // A person may look as long as they like.
        deadline = gate == nil ? Deadline(after: phase.limit, of: "the \(name)") : nil
        self.phase = name
        defer { (deadline, self.phase) = (nil, nil) }
        return perform(phase.steps)
    }

    /// Carries out a list of steps; stops at the first failure, except in a tear-down.
    ///
    /// - Parameter all: Does not stop at a failure, whatever the steps are for.
    /// - Returns: Whether all were as expected.
    func perform(_ steps: [Step], all: Bool = false) -> Bool {
        var isComplete = true
        var error: ControlError?
        defer { if !isComplete { lastError = error } }
        for step in steps {
            // What is tried again and again is not held each time.
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
        run.began(step)
        lastError = nil
        if let when = step.when, let isFine = end(of: step, under: when) {
            run.ended(step, isFine: isFine)
            return isFine
        }
        let isFine: Bool
        switch step.action {
        case .command(let command):
            isFine = perform(command, of: step)
        case .check(let condition):
            isFine = check(condition, of: step)
        case .postConditions(let steps):
            isFine = postConditions(steps)
        case .advance(let duration):
            isFine = instanceAction(of: step) { try instance.clock.advance(by: duration) }
        case .waitFor(let event, let limit):
            isFine = wait(for: event, within: limit, of: step)
        case .order(let events):
            isFine = order(events, of: step)
        case .same(let steps):
            isFine = same(steps, of: step)
        case .never(let absence, let steps):
            isFine = perform(steps, without: absence, of: step)
        case .stays(let duration, let steps):
            isFine = hold(steps, for: duration, of: step)
        case .during(let arming, let steps):
            isFine = perform(steps, during: arming)
        case .eventually(let limit, let steps):
            isFine = eventually(limit, steps, of: step)
        case .race(let race):
            isFine = perform(race, of: step)
        case .parallel(let branches):
            isFine = parallel(branches)
        case .repeated(let times, let counter, let steps):
            isFine = repeated(times, name: counter, steps, of: step)
        case .each(let values, let name, let steps):
            isFine = each(values, name: name, steps, of: step)
        case .included(_, let steps):
            isFine = perform(steps)
        }
        run.ended(step, isFine: isFine)
        return isFine
    }

    /// Whether no further step may begin: a tear-down is carried out also after an interruption, unless that is forced.
    var mustStop: Bool { run.interruption.isForced || run.interruption.isSet && !isTearDown }

    func instanceAction(of step: Step, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            return fail(step, "\(error)", verdict: .inconclusive)
        }
    }

    // MARK: - Failures

    /// Explains what is wrong with a step. Always false, so that callers can return it.
    ///
    /// - Parameters:
    ///   - peer: Who was to carry the step out, or whose event was awaited.
    ///   - error: The error that was not expected.
    ///   - awaited: The event that did not come.
    func fail(
        _ step: Step, _ reason: String, verdict: Verdict, mismatches: [Mismatch] = [], peer: String? = nil,
        error: ControlError? = nil, awaited: String? = nil
    ) -> Bool {
        if mustStop { return false }
        let reason = ([phase.map { "in the \($0), \(reason)" } ?? reason] + round.reversed()).joined(separator: ", ")
        report(
            run.explain(
                step, reason, verdict: verdict, mismatches: mismatches, peer: peer, error: error, awaited: awaited,
                waitingSince: waitingSince))
        return false
    }

    func report(_ failure: StepFailure) {
        if held != nil {
            held?.append(failure)
        } else {
            run.add(failure)
        }
    }

    /// Makes the connections that some steps will need.
    func prepare(_ steps: [Step]) {
        for step in steps {
            switch step.action {
            case .command(let command): for target in command.targets { caller.connect(to: target) }
            case .eventually(_, let steps), .repeated(_, _, let steps), .each(_, _, let steps), .included(_, let steps),
                .stays(_, let steps), .never(.event, let steps), .same(let steps), .postConditions(let steps):
                prepare(steps)
            case .never(.answer(let probe), let steps): prepare([probe] + steps)
            case .during(let arming, let steps): prepare(arming + steps)
            case .check, .advance, .waitFor, .order, .race, .parallel: break
            }
        }
    }

    /// Failures kept back because an enclosing block may be tried again.
    var heldFailures: [StepFailure] { held ?? [] }
}
