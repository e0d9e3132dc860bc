// SPDX-License-Identifier: Apache-2.0

package import LabCore
import LabPoints
import LabSystem
package import ScenarioLanguage

// Steps that are words of the language.
extension StepRunner {
    package func check(_ condition: Condition, of step: Step) -> Bool {
        do {
            let mismatches = try mismatches(condition)
            if mismatches.isEmpty { return true }
            return fail(step, "the value is not as expected", verdict: .failed, mismatches: mismatches)
        } catch {
            return fail(step, "`${\(error.reference.text)}` has no value", verdict: .failed)
        }
    }

    /// The differences between a value and its expectation.
    func mismatches(_ condition: Condition) throws(UnresolvedReference) -> [Mismatch] {
        MatchEvaluator(bindings: bindings).mismatches(try bindings.resolve(condition.value), condition.expectation)
    }

    /// Carries out all steps. A failure among them is not the error of one command, so a race cannot be lost with it.
    func postConditions(_ steps: [Step]) -> Bool {
        let isFine = perform(steps, all: true)
        if !isFine { lastError = nil }
        return isFine
    }

    package func wait(for event: EventPattern, within limit: LabDuration, of step: Step) -> Bool {
        let isFound = events.consume(
            timeout: min(limit, deadline?.rest ?? limit), isCancelled: { mustStop }, matches: matcher(of: event))
        if isFound { return true }
        let (near, mismatches) = nearest(to: event)
        return fail(
            step, "\(event.title) did not come within \(FailureText.seconds(limit.seconds))\(near)",
            verdict: .failed, mismatches: mismatches, peer: event.peer, awaited: event.event)
    }

    /// What occurred instead of a missing event: the same event with other fields, or in another process.
    private func nearest(to event: EventPattern) -> (sentence: String, mismatches: [Mismatch]) {
        let same =
            (try? TraceReader.readAll(instance.manifest.tracesDirectory) { $0.name.rawValue == event.event }) ?? []
        if let last = same.last(where: { event.peer == nil || $0.process == event.peer }), let fields = event.fields {
            let mismatches = MatchEvaluator(bindings: bindings).mismatches(.object(last.fields), fields)
            // The same fields: another `waitFor` has consumed the event.
            if mismatches.isEmpty { return (" once more", []) }
            return ("; the last of \(same.count) such events differs", mismatches)
        }
        let others = Set(same.map(\.process)).subtracting([event.peer ?? ""]).sorted()
        if event.peer == nil || others.isEmpty { return ("", []) }
        return (", although it came of \(others.map { "`\($0)`" }.joined(separator: ", "))", [])
    }

    /// Whether events occurred in a given order. Every process writes its events before it continues, so the files
    /// contain everything that happened before this step.
    package func order(_ patterns: [EventPattern], of step: Step) -> Bool {
        let all: [TraceEvent]
        let names = Set(patterns.map(\.event))
        do {
            all = try TraceReader.readAll(instance.manifest.tracesDirectory) { names.contains($0.name.rawValue) }
        } catch {
            return fail(step, "the traces cannot be read: \(error)", verdict: .inconclusive)
        }
        var rest = all[...]
        var previous: EventPattern?
        for pattern in patterns {
            let matches = matcher(of: pattern)
            guard let index = rest.firstIndex(where: matches) else {
                let earlier = all.count(where: matches)
                let came =
                    switch earlier {
                    case 0: "did not come at all"
                    case 1: "came only before \(previous?.title ?? "")"
                    default: "came \(earlier) times, always before \(previous?.title ?? "")"
                    }
                return fail(
                    step, "\(pattern.title) \(came)", verdict: .failed, peer: pattern.peer, awaited: pattern.event)
            }
            rest = rest[(index + 1)...]
            previous = pattern
        }
        return true
    }

    /// Whether all commands return the same answer as the first.
    package func same(_ steps: [Step], of step: Step) -> Bool {
        var answers: [(step: Step, answer: JSONValue)] = []
        for inner in steps {
            guard perform([inner]) else { return false }
            answers.append((inner, lastAnswer ?? .null))
        }
        guard let first = answers.first else { return true }
        let evaluator = MatchEvaluator(bindings: bindings)
        let mismatches = answers.dropFirst().flatMap { step, answer in
            evaluator.mismatches(
                answer, Expectation(matcher: .equals(.literal(first.answer)), place: step.place), path: step.title)
        }
        if mismatches.isEmpty { return true }
        let seen = answers.map { "`\($0.step.title)` answered \($0.answer.description)" }.joined(separator: "; ")
        return fail(step, "the answers are not the same: \(seen)", verdict: .failed, mismatches: mismatches)
    }

    private func matcher(of pattern: EventPattern) -> (TraceEvent) -> Bool {
        let evaluator = MatchEvaluator(bindings: bindings)
        return { event in
            guard event.name.rawValue == pattern.event, event.process == pattern.peer ?? event.process else {
                return false
            }
            return pattern.fields.map { evaluator.mismatches(.object(event.fields), $0).isEmpty } ?? true
        }
    }

    package func perform(_ steps: [Step], without absence: Absence, of step: Step) -> Bool {
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

    /// Every process writes its events before it continues, so the files contain everything that happened in the steps.
    private func didNotCome(_ event: EventPattern, since begin: UInt64, of step: Step) -> Bool {
        let matches = matcher(of: event)
        do {
            let found = try TraceReader.readAll(instance.manifest.tracesDirectory) {
                $0.time >= begin && matches($0)
            }
            guard let first = found.first else { return true }
            // What a process does on its own, or for a command from outside, is in no step.
            let inner = first.operation.flatMap { $0.hasPrefix(step.path + ".") ? $0 : nil }
            let place = inner.map { " in \(Phase.title(ofStep: $0))," } ?? ""
            let after = FailureText.milliseconds(first.time - begin)
            let count = found.count == 1 ? "" : ", the first of \(found.count) times"
            return fail(
                step,
                "\(event.title) came\(place) \(after) after the beginning\(count), but must never come in these steps",
                verdict: .failed, peer: first.process)
        } catch {
            return fail(step, "the traces cannot be read: \(error)", verdict: .inconclusive)
        }
    }

    /// Whether a step does not end as stated; reports a failure if it does.
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

    /// Checks at the beginning, and after each tenth of the lab time.
    package func hold(_ steps: [Step], for duration: LabDuration, of step: Step) -> Bool {
        let parts: Int64 = 10
        defer { round.removeLast() }
        round.append("at the beginning of \(duration) of lab time (`stays`)")
        for part in 0...parts {
            if mustStop { return false }
            let passed = duration.nanoseconds * part / parts
            if part > 0 {
                let tenth = LabDuration(nanoseconds: passed - duration.nanoseconds * (part - 1) / parts)
                guard instanceAction(of: step, { try instance.clock.advance(by: tenth) }) else { return false }
                let elapsed = LabDuration(nanoseconds: passed)
                round[round.count - 1] = "after \(elapsed) of \(duration) of lab time (`stays`)"
            }
            guard perform(steps) else { return false }
        }
        return true
    }

    package func eventually(_ limit: LabDuration, _ steps: [Step], of step: Step) -> Bool {
        // The time counts from the first request, after the connections are made.
        prepare(steps)
        let begin = MonotonicClock.nanoseconds()
        let (outer, outerDeadline, outerWait) = (held, deadline, waitingSince)
        let bound = Deadline.earlier(outerDeadline, Deadline(after: limit, of: "`eventually`"))
        deadline = bound
        waitingSince = outerWait ?? begin
        defer { (deadline, waitingSince) = (outerDeadline, outerWait) }
        var attempts = 0
        var shown: [StepFailure] = []
        var pacing = Pacing(events: events, processes: Set(steps.flatMap(\.actors)), path: step.path)
        while true {
            let (seen, before) = (events.generation, begun)
            held = []
            let isFine = perform(steps)
            let failures = held ?? []
            held = outer
            // The time may be over before the first step begins.
            if begun > before { attempts += 1 }
            if isFine { return true }
            if mustStop { return false }
            // An attempt cut off by the limit explains less than the one before.
            if shown.isEmpty || !bound.isOver { shown = failures }
            if bound.isOver {
                for var failure in shown {
                    let elapsed = Double(MonotonicClock.nanoseconds() - begin) / 1e9
                    failure.reason += " (last of \(attempts) attempts in \(FailureText.seconds(elapsed)))"
                    report(failure)
                }
                return false
            }
            pacing.waitForNextAttempt(after: seen, deadline: bound.time)
        }
    }

    package func rounds(_ values: [JSONValue], name: String?, _ steps: [Step]) -> Bool {
        defer { round.removeLast() }
        round.append("")
        for (index, value) in values.enumerated() {
            if mustStop { return false }
            if let name { bindings.set(name, to: value) }
            let which = name.map { " with `\(Reference.written($0))` = \(shortened(value))" } ?? ""
            round[round.count - 1] = "in round \(index + 1) of \(values.count)\(which)"
            if !perform(steps) { return false }
        }
        return true
    }

    /// A value in a sentence. Part of a secret would not be recognised, so it is masked before it is cut.
    private func shortened(_ value: JSONValue) -> String {
        let text = run.redactor.redact(value.description)
        return text.count > 80 ? text.prefix(79) + "…" : text
    }

    package func repeated(_ times: Template, name: String?, _ steps: [Step], of step: Step) -> Bool {
        do {
            let value = try bindings.resolve(times)
            guard let times = value.integerValue, Step.rounds.contains(times) else {
                return fail(
                    step,
                    "`repeat` takes an integer from \(Step.rounds.lowerBound) to \(Step.rounds.upperBound), not \(shortened(value))",
                    verdict: .failed)
            }
            return rounds((1...times).map { .integer($0) }, name: name, steps)
        } catch {
            return lacks(error.reference, step)
        }
    }

    package func each(_ values: Template, name: String, _ steps: [Step], of step: Step) -> Bool {
        do {
            let value = try bindings.resolve(values)
            // Steps that run zero times would show nothing and pass.
            guard let elements = value.arrayValue, !elements.isEmpty else {
                return fail(
                    step,
                    "`in` of `each` takes a list with at least one element, not \(shortened(value))",
                    verdict: .failed)
            }
            return rounds(elements, name: name, steps)
        } catch {
            return lacks(error.reference, step)
        }
    }
}
