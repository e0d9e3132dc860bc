internal import LabKit
internal import LabSystem

// The steps that are words of the language.
extension StepThread {
    func check(_ value: Template, _ expectation: Expectation, of step: Step) -> Bool {
        do {
            let value = try bindings.resolve(value)
            let mismatches = MatchEvaluator(bindings: bindings).mismatches(value, expectation)
            if mismatches.isEmpty { return true }
            return fail(step, "the value is not as expected", verdict: .failed, mismatches: mismatches)
        } catch {
            return fail(step, "`${\(error.reference.text)}` has no value", verdict: .failed)
        }
    }

    func wait(for event: EventStep, of step: Step) -> Bool {
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

    func eventually(_ limit: LabDuration, _ steps: [Step], of step: Step) -> Bool {
        let begin = MonotonicClock.nanoseconds()
        let deadline = begin + UInt64(limit.nanoseconds)
        let outer = held
        var attempts = 0
        var pacing = Pacing(events: events, processes: Set(steps.flatMap(\.actors)), path: step.path)
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
            pacing.waitForNextAttempt(after: seen, deadline: deadline)
        }
    }

    func rounds(_ values: [JSONValue], name: String?, _ steps: [Step]) -> Bool {
        defer { round.removeLast() }
        round.append("")
        for (index, value) in values.enumerated() {
            if run.interruption.isSet, !isTearDown { return false }
            if let name { bindings.set(name, to: value) }
            let which = name.map { " with `\($0)` = \(Self.shortened(value.description))" } ?? ""
            round[round.count - 1] = "in round \(index + 1) of \(values.count)\(which)"
            if !perform(steps) { return false }
        }
        return true
    }

    private static func shortened(_ text: String) -> String { text.count > 80 ? text.prefix(79) + "…" : text }

    func each(_ values: [Template], name: String, _ steps: [Step], of step: Step) -> Bool {
        do {
            var resolved: [JSONValue] = []
            for value in values { resolved.append(try bindings.resolve(value)) }
            return rounds(resolved, name: name, steps)
        } catch {
            return fail(step, "`${\(error.reference.text)}` has no value", verdict: .failed)
        }
    }

    func race(_ branches: [Branch], of step: Step, mustOverlap: Bool) -> Bool {
        let isHolding = held != nil
        let results = BranchRun.perform(branches) { [run, instance, events, bindings, isTearDown, round] in
            let thread = StepThread(
                run: run, instance: instance, events: events, bindings: bindings, isTearDown: isTearDown)
            thread.round = round
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
}
