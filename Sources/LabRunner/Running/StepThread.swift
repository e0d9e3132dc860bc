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
    private(set) var bindings: Bindings
    /// When this thread's commands were handled: what the proof of a race looks at.
    private(set) var intervals: [HandlingInterval] = []
    private let caller: ControlCaller
    private let isTearDown: Bool
    /// While a block is tried again and again, failures are kept here instead of being reported.
    private var held: [StepFailure]?
    private var firstObservation: String?

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
            if run.interruption.isSet, !isTearDown { return false }
            if !perform(step) {
                isComplete = false
                if !isTearDown { return false }
            }
        }
        return isComplete
    }

    private func perform(_ step: Step) -> Bool {
        try? run.history.record("step.started", step: step.path, ["step": .string(step.title)])
        let isFine: Bool
        switch step.action {
        case .command(let command):
            isFine = perform(command, of: step)
        case .check(let value, let expectation):
            isFine = check(value, expectation, of: step)
        case .advance(let duration):
            isFine = instanceAction(of: step) { try instance.clock.advance(by: duration) }
        case .waitFor(let event):
            isFine = wait(for: event, of: step)
        case .eventually(let limit, let steps):
            isFine = eventually(limit, steps, of: step)
        case .race(let branches):
            isFine = race(branches, of: step, mustOverlap: true)
        case .parallel(let branches):
            isFine = race(branches, of: step, mustOverlap: false)
        case .repeated(let times, let counter, let steps):
            isFine = rounds((1...times).map { .integer(Int64($0)) }, name: counter, steps)
        case .each(let values, let name, let steps):
            isFine = each(values, name: name, steps, of: step)
        case .included(_, let steps):
            isFine = perform(steps)
        }
        try? run.history.record("step.finished", step: step.path, ["fine": .bool(isFine)])
        return isFine
    }

    private func instanceAction(of step: Step, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            return fail(step, "\(error)", verdict: .inconclusive)
        }
    }

    // MARK: - Commands

    private func perform(_ command: CommandStep, of step: Step) -> Bool {
        let arguments: JSONValue
        do {
            var members: [String: JSONValue] = [:]
            for argument in command.arguments {
                let value = try bindings.resolve(argument.value)
                if argument.field.isSecret, case .string(let text) = value { run.redactor.insert(text) }
                members[argument.field.name] = value
            }
            arguments = .object(members)
        } catch {
            if isTearDown {
                try? run.history.record(
                    "step.skipped", step: step.path,
                    ["reason": .string("\(error.reference.text) has no value, because the scenario ended before")])
                return true
            }
            return fail(step, "`${\(error.reference.text)}` has no value", verdict: .failed)
        }
        let deadline = command.eventually.map { MonotonicClock.nanoseconds() + UInt64($0.nanoseconds) }
        var attempts = 0
        var first: String?
        let begin = MonotonicClock.nanoseconds()
        while true {
            let seen = events.generation
            attempts += 1
            let outcome: ControlCaller.Outcome
            do {
                outcome = try caller.call(
                    command.target, command: command.command.name, arguments: arguments, operation: step.path,
                    timeout: command.within.map { max($0, .seconds(1)) } ?? ControlCaller.patience)
            } catch {
                return fail(step, "\(error)", verdict: .inconclusive, peer: command.target.actor)
            }
            note(outcome, of: command, step: step)
            let judgement = judge(outcome, command)
            if judgement.isFine {
                return finish(command, outcome, of: step)
            }
            first = first ?? judgement.summary
            let isOver = deadline.map { MonotonicClock.nanoseconds() >= $0 } ?? true
            if isOver || (run.interruption.isSet && !isTearDown) {
                var reason = judgement.reason
                if command.eventually != nil {
                    let elapsed = Double(MonotonicClock.nanoseconds() - begin) / 1e9
                    reason +=
                        " (after \(attempts) attempts in \(TerminalReport.seconds(elapsed)); the first saw \(first ?? ""), the last \(judgement.summary))"
                }
                return fail(
                    step, reason, verdict: .failed, mismatches: judgement.mismatches, peer: command.target.actor)
            }
            // Events of any peer wake the next attempt; without one it comes soon anyway.
            events.wait(after: seen, timeout: .milliseconds(20))
        }
    }

    private func note(_ outcome: ControlCaller.Outcome, of command: CommandStep, step: Step) {
        if let interval = outcome.interval { intervals.append(interval) }
        run.count(overhead: outcome.overhead)
        if command.target.kind == .process {
            if [Kill.name, Terminate.name, Relaunch.name, Suspend.name].contains(command.command.name) {
                run.expectEnd(of: command.target.actor)
            }
            if case .result(let value) = outcome.answer, let launched = try? value.decode(LaunchedProcess.self) {
                instance.note(launched, of: command.target.actor)
            }
        }
        var fields: [String: JSONValue] = [
            "actor": .string(command.target.actor), "command": .string(command.command.name),
        ]
        switch outcome.answer {
        case .result(let value): fields["result"] = value
        case .error(let error): fields["error"] = error.matchable(code: .name)
        }
        if let interval = outcome.interval {
            fields["handling"] = .integer(Int64(interval.handling))
            fields["elapsed"] = .integer(Int64(interval.received - interval.sent))
        }
        try? run.history.record("command", step: step.path, fields)
    }

    private func finish(_ command: CommandStep, _ outcome: ControlCaller.Outcome, of step: Step) -> Bool {
        if let limit = command.within, let interval = outcome.interval,
            interval.received - interval.sent > UInt64(max(0, limit.nanoseconds))
        {
            let elapsed = TerminalReport.milliseconds(interval.received - interval.sent)
            let allowed = TerminalReport.milliseconds(UInt64(max(0, limit.nanoseconds)))
            return fail(
                step, "it took \(elapsed), but at most \(allowed) are allowed", verdict: .failed,
                peer: command.target.actor)
        }
        if let capture = command.capture {
            switch outcome.answer {
            case .result(let value): bindings.set(capture, to: value)
            case .error(let error): bindings.set(capture, to: error.matchable(code: .name))
            }
        }
        return true
    }

    private struct Judgement {
        var reason = ""
        var mismatches: [Mismatch] = []
        var summary = ""
        var isFine: Bool { reason.isEmpty }
    }

    private func judge(_ outcome: ControlCaller.Outcome, _ command: CommandStep) -> Judgement {
        let evaluator = MatchEvaluator(bindings: bindings)
        switch (command.outcome, outcome.answer) {
        case (.succeeds, .result):
            return Judgement()
        case (.succeeds, .error(let error)), (.result, .error(let error)):
            return Judgement(reason: "it failed with \(error.text)", summary: error.text)
        case (.result(let expectation), .result(let value)):
            let mismatches = evaluator.mismatches(value, expectation)
            if mismatches.isEmpty { return Judgement() }
            return Judgement(
                reason: "the result is not as expected", mismatches: mismatches, summary: value.compactText)
        case (.failure, .result(let value)):
            return Judgement(
                reason: "it was expected to fail, but it succeeded with \(value.compactText)",
                summary: "success with \(value.compactText)")
        case (.failure(let expectation), .error(let error)):
            // `code` is matched by its word, or by its number when the scenario gives a number.
            let byName = evaluator.mismatches(error.matchable(code: .name), expectation)
            let byNumber = evaluator.mismatches(error.matchable(code: .number), expectation)
            let mismatches = byNumber.count < byName.count ? byNumber : byName
            if mismatches.isEmpty { return Judgement() }
            return Judgement(
                reason: "it failed with another error than expected: \(error.text)", mismatches: mismatches,
                summary: error.text)
        }
    }

    // MARK: - Other steps

    private func check(_ value: Template, _ expectation: Expectation, of step: Step) -> Bool {
        do {
            let value = try bindings.resolve(value)
            let mismatches = MatchEvaluator(bindings: bindings).mismatches(value, expectation)
            if mismatches.isEmpty { return true }
            return fail(step, "the value is not as expected", verdict: .failed, mismatches: mismatches)
        } catch {
            return fail(step, "`${\(error.reference.text)}` has no value", verdict: .failed)
        }
    }

    private func wait(for event: EventStep, of step: Step) -> Bool {
        let evaluator = MatchEvaluator(bindings: bindings)
        let isFound = events.consume(
            event.event, of: event.peer, timeout: event.within,
            isCancelled: { [run] in run.interruption.isSet }
        ) { fields in
            event.fields.map { evaluator.mismatches(.object(fields), $0).isEmpty } ?? true
        }
        if isFound { return true }
        let who = event.peer.map { " of `\($0)`" } ?? ""
        return fail(
            step,
            "the event `\(event.event)`\(who) did not come within \(TerminalReport.seconds(Double(event.within.nanoseconds) / 1e9))",
            verdict: .failed, peer: event.peer)
    }

    private func eventually(_ limit: LabDuration, _ steps: [Step], of step: Step) -> Bool {
        let begin = MonotonicClock.nanoseconds()
        let deadline = begin + UInt64(limit.nanoseconds)
        let outer = held
        var attempts = 0
        while true {
            let seen = events.generation
            attempts += 1
            held = []
            let isFine = perform(steps)
            let failures = held ?? []
            held = outer
            if isFine { return true }
            if MonotonicClock.nanoseconds() >= deadline || run.interruption.isSet {
                for var failure in failures {
                    let elapsed = Double(MonotonicClock.nanoseconds() - begin) / 1e9
                    failure.reason += " (last of \(attempts) attempts in \(TerminalReport.seconds(elapsed)))"
                    report(failure)
                }
                return false
            }
            events.wait(after: seen, timeout: .milliseconds(20))
        }
    }

    private func rounds(_ values: [JSONValue], name: String?, _ steps: [Step]) -> Bool {
        for value in values {
            if run.interruption.isSet, !isTearDown { return false }
            if let name { bindings.set(name, to: value) }
            if !perform(steps) { return false }
        }
        return true
    }

    private func each(_ values: [Template], name: String, _ steps: [Step], of step: Step) -> Bool {
        do {
            var resolved: [JSONValue] = []
            for value in values { resolved.append(try bindings.resolve(value)) }
            return rounds(resolved, name: name, steps)
        } catch {
            return fail(step, "`${\(error.reference.text)}` has no value", verdict: .failed)
        }
    }

    private func race(_ branches: [Branch], of step: Step, mustOverlap: Bool) -> Bool {
        let isHolding = held != nil
        let results = BranchRun.perform(branches) { [run, instance, events, bindings, isTearDown] in
            let thread = StepThread(
                run: run, instance: instance, events: events, bindings: bindings, isTearDown: isTearDown)
            if isHolding { thread.held = [] }
            return thread
        }
        var isFine = true
        for result in results {
            bindings.merge(result.bindings)
            for failure in result.failures { report(failure) }
            isFine = isFine && result.isFine
        }
        let all = Overlap.withTraces(results.map(\.intervals), from: events, isNeeded: isFine && mustOverlap)
        intervals += all.flatMap { $0 }.sorted { $0.sent < $1.sent }
        guard isFine, mustOverlap, let (left, right) = Overlap.unproven(all) else { return isFine }
        func stretch(_ intervals: [HandlingInterval]) -> String {
            guard let first = intervals.first, let last = intervals.last else { return "no command at all" }
            let origin = all.flatMap { $0 }.map(\.sent).min() ?? 0
            return
                "\(TerminalReport.milliseconds(first.sent - origin)) to \(TerminalReport.milliseconds(last.received - origin))"
        }
        return fail(
            step,
            "branches \(left + 1) and \(right + 1) did not provably run at the same time (\(stretch(all[left])) and \(stretch(all[right])) after the start), so the race shows nothing; give each branch more to do, for example with `repeat`",
            verdict: .inconclusive)
    }

    // MARK: - Failures

    /// Explains what is wrong with a step. Always false, so that callers can return it.
    private func fail(
        _ step: Step, _ reason: String, verdict: Verdict, mismatches: [Mismatch] = [], peer: String? = nil
    ) -> Bool {
        if run.interruption.isSet, !isTearDown { return false }
        let explainer = StepExplainer(renderer: run.renderer, events: events, replay: run.replay)
        report(explainer.failure(step, reason, verdict: verdict, mismatches: mismatches, peer: peer))
        return false
    }

    private func report(_ failure: StepFailure) {
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
            case .command(let command): caller.connect(to: command.target)
            case .eventually(_, let steps), .repeated(_, _, let steps), .each(_, _, let steps), .included(_, let steps):
                prepare(steps)
            case .check, .advance, .waitFor, .race, .parallel: break
            }
        }
    }

    /// Failures kept back because an enclosing block may be tried again.
    var heldFailures: [StepFailure] { held ?? [] }
}
