// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabSystem
package import ScenarioLanguage

// Commands to actors: sending, checking, keeping the answer.
extension StepRunner {
    package func perform(_ command: CommandStep, of step: Step) -> Bool {
        guard let command = decided(command) else {
            return fail(step, "no branch has won the race that keeps `\(command.alias?.name ?? "")`", verdict: .failed)
        }
        var arguments: [String: JSONValue] = [:]
        do {
            for argument in command.arguments { arguments[argument.field.name] = try bindings.resolve(argument.value) }
        } catch {
            return lacks(error.reference, step)
        }
        // The time counts from the first request, after the connection is made.
        if command.eventually != nil { session.connect(to: command.target) }
        let bound = command.eventually.map { Deadline.earlier(deadline, Deadline(after: $0, of: "`eventually`")) }
        var last: Judgement?
        var attempts = 0
        var first: String?
        let begin = MonotonicClock.nanoseconds()
        let outerWait = waitingSince
        if command.eventually != nil { waitingSince = outerWait ?? begin }
        defer { waitingSince = outerWait }
        var pacing = Pacing(events: events, processes: [command.target.actor], path: step.path)
        while true {
            let seen = events.generation
            attempts += 1
            run.times.begin(step)
            let outcome: ActorSession.Outcome
            do {
                outcome = try session.perform(
                    command.command, of: command.target, arguments: arguments, step: step.path,
                    timeout: patience(of: command, within: bound), recordedIn: run.history)
            } catch {
                return fail(step, "\(error)", verdict: .inconclusive, peer: command.target.actor)
            }
            if let interval = outcome.interval { intervals.append(interval) }
            run.count(overhead: outcome.overhead)
            if let answer = outcome.result { noteFault(of: command, answer, step: step) }
            var judgement = judge(outcome, command.outcome)
            if judgement.isFine {
                // With the error of an earlier attempt, a later unmet expectation could count as a lost race.
                lastError = nil
                lastAnswer = outcome.result ?? lastAnswer
                noteExpectedDeath(outcome, of: command)
                return finish(command, outcome, judgement.way, of: step)
            }
            // An attempt cut off by the limit explains less than the one before.
            if bound?.isOver == true, judgement.error?.isUnanswered == true, let last { judgement = last }
            last = judgement
            lastError = judgement.error
            if judgement.error != nil, let device = command.target.device { noteRefusal(device) }
            first = first ?? judgement.summary
            let isOver = bound?.isOver ?? true
            if isOver || mustStop {
                var reason = judgement.reason
                if let limit = command.within, judgement.error?.isUnanswered == true {
                    reason =
                        "it has no answer after \(patience(of: command, within: bound)), but at most \(limit) is allowed (`within`)"
                }
                if command.eventually != nil {
                    let elapsed = Double(MonotonicClock.nanoseconds() - begin) / 1e9
                    reason +=
                        " (after \(attempts) attempts in \(FailureText.seconds(elapsed)); the first saw \(first ?? ""), the last \(judgement.summary))"
                }
                return fail(
                    step, reason, verdict: .failed, mismatches: judgement.mismatches, peer: command.target.actor,
                    error: lastError)
            }
            pacing.waitForNextAttempt(after: seen, deadline: bound?.time ?? 0)
        }
    }

    /// Maximum wait for an answer. A command with a shorter limit gets a second, to find out how long it takes.
    private func patience(of command: CommandStep, within bound: Deadline?) -> LabDuration {
        let usual = command.within.map { max($0, .seconds(1)) } ?? run.limits.step
        return max(.milliseconds(1), [bound?.rest, deadline?.rest].compactMap(\.self).reduce(usual, min))
    }

    /// Records the end of an app that the step expects. `fails: any` covers other errors too, so it expects no end.
    private func noteExpectedDeath(_ outcome: ActorSession.Outcome, of command: CommandStep) {
        guard outcome.error?.isDeath == true else { return }
        let other = ControlError(domain: ControlError.labDomain, message: "")
        if judge(.init(answer: .failure(other), interval: nil), command.outcome).isFine { return }
        instance.expectDeath(answeredBy: outcome.error, to: command.target)
    }

    private func finish(
        _ command: CommandStep, _ outcome: ActorSession.Outcome, _ way: String?, of step: Step
    ) -> Bool {
        if let limit = command.within, let interval = outcome.interval,
            interval.received - interval.sent > UInt64(max(0, limit.nanoseconds))
        {
            let elapsed = FailureText.milliseconds(interval.received - interval.sent)
            let allowed = FailureText.milliseconds(UInt64(max(0, limit.nanoseconds)))
            return fail(
                step, "it took \(elapsed), but at most \(allowed) is allowed (`within`)", verdict: .failed,
                peer: command.target.actor)
        }
        if let capture = command.capture {
            let value =
                switch outcome.answer {
                case .success(let value): value
                case .failure(let error): error.matchable(code: .name)
                }
            bindings.set(capture, to: way.map { ["name": .string($0), "answer": value] } ?? value)
        }
        return true
    }

    /// The command with the one target that a race has decided on; nil while undecided.
    private func decided(_ command: CommandStep) -> CommandStep? {
        guard let alias = command.alias else { return command }
        let winner = bindings.values[alias.key]?["actor"]?.stringValue
        guard let target = command.targets.first(where: { $0.actor == winner }) else { return nil }
        var decided = command
        (decided.targets, decided.alias) = ([target], nil)
        return decided
    }

    private struct Judgement {
        var reason = ""
        var mismatches: [Mismatch] = []
        var summary = ""
        /// Which of several expected results occurred.
        var way: String?
        /// The unexpected error.
        var error: ControlError?
        var isFine: Bool { reason.isEmpty }
    }

    private func judge(_ outcome: ActorSession.Outcome, _ expected: CommandStep.Outcome) -> Judgement {
        let evaluator = MatchEvaluator(bindings: bindings)
        switch (expected, outcome.answer) {
        case (.either(let ways), let answer):
            var reasons: [String] = []
            for way in ways {
                var judgement = judge(outcome, way.outcome)
                if judgement.isFine {
                    judgement.way = way.name
                    return judgement
                }
                let differences = judgement.mismatches.map {
                    "\($0.path.isEmpty ? "it" : $0.path) is not \($0.expected)"
                }
                reasons.append("\(way.name): \(([judgement.reason] + differences).joined(separator: "; "))")
            }
            let ending =
                switch answer {
                case .success(let value): "success and \(value.description)"
                case .failure(let error): error.text
                }
            return Judgement(
                reason:
                    "it ended in none of the \(ways.count) ways, but with \(ending)\n      \(reasons.joined(separator: "\n      "))",
                summary: ending, error: outcome.error)
        case (.succeeds, .success):
            return Judgement()
        case (.succeeds, .failure(let error)), (.result, .failure(let error)):
            return Judgement(reason: "it failed with \(error.text)", summary: error.text, error: error)
        case (.result(let expectation), .success(let value)):
            let mismatches = evaluator.mismatches(value, expectation)
            if mismatches.isEmpty { return Judgement() }
            return Judgement(
                reason: "the result is not as expected", mismatches: mismatches, summary: value.description)
        case (.failure, .success(let value)):
            return Judgement(
                reason: "it was expected to fail, but it succeeded with \(value.description)",
                summary: "success with \(value.description)")
        case (.failure(let expectation), .failure(let error)):
            let mismatches = evaluator.mismatches(error, expectation)
            if mismatches.isEmpty { return Judgement() }
            return Judgement(
                reason: "it failed with another error than expected: \(error.text)", mismatches: mismatches,
                summary: error.text, error: error)
        }
    }
}
