internal import Foundation
internal import LabKit
internal import LabSystem

/// Carries out steps in order, on one thread.
///
/// Not thread-safe: each branch of a race has one of its own, with its own control connections.
final class StepThread {
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
    /// The error of the command that failed last, and the answer of the one that succeeded last: how a branch ended.
    var lastError: ControlError?
    var lastAnswer: JSONValue?
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

    /// Carries out a list of steps; stops at the first failure, except in a tear-down.
    ///
    /// - Returns: Whether all were as expected.
    func perform(_ steps: [Step]) -> Bool {
        var isComplete = true
        for step in steps {
            if mustStop { return false }
            if !perform(step) {
                isComplete = false
                if !isTearDown { return false }
            }
        }
        return isComplete
    }

    private func perform(_ step: Step) -> Bool {
        run.began(step)
        let isFine: Bool
        switch step.action {
        case .command(let command):
            isFine = perform(command, of: step)
        case .check(let value, let expectation):
            isFine = check(value, expectation, of: step)
        case .advance(let duration):
            isFine = instanceAction(of: step) { try instance.clock.advance(by: duration) }
        case .waitFor(let event, let limit):
            isFine = wait(for: event, within: limit, of: step)
        case .never(let absence, let steps):
            isFine = perform(steps, without: absence, of: step)
        case .stays(let duration, let steps):
            isFine = hold(steps, for: duration, of: step)
        case .eventually(let limit, let steps):
            isFine = eventually(limit, steps, of: step)
        case .race(let race):
            isFine = perform(race, of: step)
        case .parallel(let branches):
            isFine = parallel(branches)
        case .repeated(let times, let counter, let steps):
            isFine = rounds((1...times).map { .integer(Int64($0)) }, name: counter, steps)
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
    func fail(
        _ step: Step, _ reason: String, verdict: Verdict, mismatches: [Mismatch] = [], peer: String? = nil
    ) -> Bool {
        if mustStop { return false }
        let explainer = StepExplainer(renderer: run.renderer, events: events, replay: run.replay)
        let reason = ([reason] + round.reversed()).joined(separator: ", ")
        report(explainer.failure(step, reason, verdict: verdict, mismatches: mismatches, peer: peer))
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
                .stays(_, let steps), .never(.event, let steps):
                prepare(steps)
            case .never(.answer(let probe), let steps): prepare([probe] + steps)
            case .check, .advance, .waitFor, .race, .parallel: break
            }
        }
    }

    /// Failures kept back because an enclosing block may be tried again.
    var heldFailures: [StepFailure] { held ?? [] }
}
