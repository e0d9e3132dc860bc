import LabFile
import LabKit

// Steps that run at the same time.
extension StepRunner {
    func parallel(_ branches: [Branch]) -> Bool {
        let results = perform(branches, holdsFailures: held != nil)
        for failure in results.flatMap(\.failures) { report(failure) }
        intervals += sorted(results.map(\.intervals))
        return !results.contains { !$0.isFine }
    }

    func perform(_ race: Race, of step: Step) -> Bool {
        let results = perform(race.branches, holdsFailures: held != nil || race.outcome != nil)
        if let outcome = race.outcome {
            guard ended(as: outcome, race.branches, results, of: step) else { return false }
        } else {
            for failure in results.flatMap(\.failures) { report(failure) }
            guard results.allSatisfy(\.isFine) else {
                intervals += sorted(results.map(\.intervals))
                return false
            }
        }
        let all = Overlap.withTraces(results.map(\.intervals), from: events)
        intervals += sorted(all)
        guard let (left, right) = Overlap.unproven(all) else { return true }
        return fail(
            step,
            "branches \(left + 1) and \(right + 1) did not provably run at the same time: \(Overlap.account(of: all, left, right)); so the race shows nothing; give each branch more to do, for example with `repeat`",
            verdict: .inconclusive)
    }

    private func perform(_ branches: [Branch], holdsFailures: Bool) -> [BranchRun.Result] {
        let results = BranchRun.perform(branches) {
            [run, instance, events, bindings, isTearDown, round, deadline, waitingSince] in
            let thread = StepRunner(
                run: run, instance: instance, events: events, bindings: bindings.ofBranch, isTearDown: isTearDown)
            (thread.round, thread.deadline, thread.waitingSince) = (round, deadline, waitingSince)
            if holdsFailures { thread.held = [] }
            return thread
        }
        for result in results { bindings.merge(result.bindings) }
        return results
    }

    private func sorted(_ intervals: [[HandlingInterval]]) -> [HandlingInterval] {
        intervals.flatMap { $0 }.sorted { $0.sent < $1.sent }
    }

    /// Determines the winner and the errors of the others, and keeps the winner.
    private func ended(
        as outcome: Race.Outcome, _ branches: [Branch], _ results: [BranchRun.Result], of step: Step
    ) -> Bool {
        // An inconclusive branch, or a failure other than a command's error, does not count as losing a race.
        let losers = results.indices.filter { !results[$0].isFine }
        let broken = losers.filter { index in
            results[index].error == nil || results[index].failures.contains { $0.verdict == .inconclusive }
        }
        guard broken.isEmpty else {
            for index in broken { for failure in results[index].failures { report(failure) } }
            return false
        }
        let evaluator = MatchEvaluator(bindings: bindings)
        let winners = results.indices.filter { results[$0].isFine }
        let mismatches = evaluator.mismatches(.integer(Int64(winners.count)), outcome.winners, path: "winners")
        guard mismatches.isEmpty else {
            return fail(
                step, "\(winners.count) of \(results.count) branches won: \(summary(branches, results))",
                verdict: .failed, mismatches: mismatches)
        }
        for index in losers {
            guard let expectation = outcome.others, let error = results[index].error else { continue }
            let mismatches = evaluator.mismatches(error, expectation)
            if !mismatches.isEmpty {
                return fail(
                    step,
                    "\(name(branches[index], index)) lost with another error than expected: \(error.text)",
                    verdict: .failed, mismatches: mismatches, peer: branches[index].actors.first)
            }
        }
        if let capture = outcome.capture, let winner = winners.first {
            bindings.set(
                capture,
                to: [
                    "branch": .integer(Int64(winner + 1)),
                    "actor": branches[winner].actors.first.map(JSONValue.string) ?? .null,
                    "answer": results[winner].answer ?? .null,
                ])
        }
        return true
    }

    private func summary(_ branches: [Branch], _ results: [BranchRun.Result]) -> String {
        zip(branches, results).enumerated().map { index, pair in
            let end = pair.1.isFine ? "succeeded" : "failed with \(pair.1.error?.text ?? "no error")"
            return "\(name(pair.0, index)) \(end)"
        }.joined(separator: "; ")
    }

    private func name(_ branch: Branch, _ index: Int) -> String {
        "branch \(index + 1)\(branch.actors.first.map { " (\($0))" } ?? "")"
    }
}
