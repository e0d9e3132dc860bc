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

    func wait(for event: EventPattern, within limit: LabDuration, of step: Step) -> Bool {
        let isFound = events.consume(
            event.event, of: event.peer, timeout: limit, isCancelled: { mustStop },
            matches: matcher(of: event))
        if isFound { return true }
        return fail(
            step, "\(event.title) did not come within \(TerminalReport.seconds(limit.seconds))", verdict: .failed,
            peer: event.peer)
    }

    private func matcher(of event: EventPattern) -> ([String: JSONValue]) -> Bool {
        let evaluator = MatchEvaluator(bindings: bindings)
        return { fields in event.fields.map { evaluator.mismatches(.object(fields), $0).isEmpty } ?? true }
    }

    func perform(_ steps: [Step], without absence: Absence, of step: Step) -> Bool {
        switch absence {
        case .event(let event):
            let begin = MonotonicClock.nanoseconds()
            guard perform(steps) else { return false }
            return didNotCome(event, since: begin, of: step)
        case .answer(let probe):
            guard isNot(probe, "before the first step", of: step) else { return false }
            for inner in steps {
                guard perform([inner]), isNot(probe, "after step \(inner.path)", of: step) else { return false }
            }
            return true
        }
    }

    /// Every process writes its events before it goes on, so what happened in the steps is in the files.
    private func didNotCome(_ event: EventPattern, since begin: UInt64, of step: Step) -> Bool {
        let matches = matcher(of: event)
        do {
            let found = try TraceReader.readAll(instance.manifest.tracesDirectory).filter {
                $0.time >= begin && $0.name.rawValue == event.event
                    && (event.peer == nil || $0.process == event.peer) && matches($0.fields)
            }
            guard let first = found.first else { return true }
            let after = TerminalReport.milliseconds(first.time - begin)
            let count = found.count == 1 ? "" : " and \(found.count - 1) times more"
            return fail(
                step, "\(event.title) came \(after) after the beginning\(count), but must never come in these steps",
                verdict: .failed, peer: first.process)
        } catch {
            return fail(step, "the traces cannot be read: \(error)", verdict: .inconclusive)
        }
    }

    /// Whether a step does not end as it says; complains when it does.
    private func isNot(_ probe: Step, _ moment: String, of step: Step) -> Bool {
        let kept = held
        held = []
        let isMet = perform([probe])
        let inconclusive = (held ?? []).filter { $0.verdict == .inconclusive }
        held = kept
        if let failure = inconclusive.first {
            report(failure)
            return false
        }
        guard isMet else { return true }
        return fail(
            step, "`\(probe.title)` ended as it must never in these steps, \(moment)", verdict: .failed,
            peer: probe.actors.first)
    }

    /// Looks at the beginning, and each time a tenth of the lab's time has passed.
    func hold(_ steps: [Step], for duration: LabDuration, of step: Step) -> Bool {
        let parts: Int64 = 10
        defer { round.removeLast() }
        round.append("at the beginning of \(duration) of lab time")
        for part in 0...parts {
            if mustStop { return false }
            let passed = duration.nanoseconds * part / parts
            if part > 0 {
                let tenth = LabDuration(nanoseconds: passed - duration.nanoseconds * (part - 1) / parts)
                guard instanceAction(of: step, { try instance.clock.advance(by: tenth) }) else { return false }
                round[round.count - 1] = "after \(LabDuration(nanoseconds: passed)) of \(duration) of lab time"
            }
            guard perform(steps) else { return false }
        }
        return true
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
            if mustStop { return false }
            if MonotonicClock.nanoseconds() >= deadline {
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
            if mustStop { return false }
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
}
