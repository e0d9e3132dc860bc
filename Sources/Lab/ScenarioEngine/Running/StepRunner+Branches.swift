// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabFile
import LabSystem
import LabVocabulary
package import ScenarioLanguage
import Synchronization

// Steps that run at the same time.
extension StepRunner {
    package func parallel(_ branches: [Branch], of step: Step) -> Bool {
        guard let results = perform(branches, of: step, by: schedule(of: step), holdsFailures: held != nil) else {
            return false
        }
        for failure in results.flatMap(\.failures) { report(failure) }
        intervals += sorted(results.map(\.intervals))
        return !results.contains(where: \.hasFailed)
    }

    package func perform(_ race: Race, of step: Step) -> Bool {
        let schedule = schedule(of: step)
        let holdsFailures = held != nil || race.outcome != nil
        guard let results = perform(race.branches, of: step, by: schedule, holdsFailures: holdsFailures) else {
            return false
        }
        if let outcome = race.outcome {
            guard ended(as: outcome, race.branches, results, of: step) else { return false }
        } else {
            for failure in results.flatMap(\.failures) { report(failure) }
            guard !results.contains(where: \.hasFailed) else {
                intervals += sorted(results.map(\.intervals))
                return false
            }
        }
        // Branches that take turns never run at the same time.
        guard schedule == nil else {
            intervals += sorted(results.map(\.intervals))
            return true
        }
        let all = Overlap.withTraces(results.map(\.intervals), from: events)
        intervals += sorted(all)
        guard let (left, right) = Overlap.unproven(all) else { return true }
        return fail(
            step,
            "branches \(left + 1) and \(right + 1) did not provably run at the same time: \(Overlap.account(of: all, left, right)); so the race shows nothing; give each branch more to do, for example with `repeat`",
            verdict: .inconclusive)
    }

    /// Who gives the branches of a block their turns, and which; nil for branches that run at the same time.
    private func schedule(of step: Step) -> Schedule? {
        if let explored = run.explored, explored.step == step.path, explored.begin() {
            return Schedule(plan: explored.plan, explored: explored)
        }
        return step.order.map { order in
            let turns = order.turns.map { Turn(process: $0.process, place: $0.place, dies: $0.dies) }
            return Schedule(plan: .exact(turns), explored: nil)
        }
    }

    /// Runs all branches by their turns, or at the same time without a schedule. Apps and devices that the turns have
    /// killed are started again at the end; a branch whose app cannot be started has failed, with a failure of the step.
    /// - Returns: How each has ended; nil, with a failure of the step, if the turns could not be given as planned. What
    ///   the branches did without their turns belongs to no known order, so it proves nothing.
    private func perform(
        _ branches: [Branch], of step: Step, by schedule: Schedule?, holdsFailures: Bool
    ) -> [BranchResult]? {
        guard let schedule else { return perform(branches, holdsFailures: holdsFailures) }
        let processes: [String]
        let turns: TurnBlock
        let restarts: [String: [Restart]]
        do {
            let topology = instance.manifest.topology
            processes = try schedulableProcesses(of: branches, topology: topology).get()
            restarts = try instance.restarts(after: schedule.plan, of: processes, timeout: run.limits.step)
            turns = try TurnBlock(processes, in: instance, plan: schedule.plan) { [session, instance, run] process in
                try instance.killInTurn(process) { try session.perform($0, aboutProcessOf: $1, for: step, in: run) }
            }
        } catch {
            _ = fail(step, "its branches cannot take turns: \(error)", verdict: .inconclusive)
            return nil
        }
        var outcome: (choices: [TurnChoice], problem: TurnScheduler.Problem?) = ([], nil)
        let results = perform(branches, holdsFailures: true, in: turns) {
            outcome = turns.giveTurns { turn, number in
                let dies = turn.dies ? true : nil
                run.history.record(
                    .turn(.init(number: number, process: turn.process, place: turn.place, dies: dies)), step: step.path)
            }
        }
        schedule.explored?.record(outcome.choices, outcome.problem)
        if let problem = outcome.problem {
            _ = fail(
                step, "turn \(outcome.choices.count + 1) of its order could not be given: \(problem)",
                verdict: .inconclusive)
            return nil
        }
        for (branch, result) in zip(branches, results) where result.isKilled {
            bindings.lose(branch.steps.flatMap(\.keptNames))
        }
        let missing = instance.startAgain(outcome.choices.map(\.turn).filter(\.dies), by: restarts) { restart in
            try session.perform(restart.command, aboutProcessOf: restart.actor, for: step, in: run)
        } onFailure: { death, restart, error in
            let answer = error as? ControlError
            _ = fail(
                step,
                "`\(death.process)`, which its order has killed at `\(death.place)`, could not be started again: `\(restart.actor): \(restart.command)` failed: \(answer?.text ?? "\(error)")",
                verdict: answer == nil ? .inconclusive : .failed, peer: restart.actor, error: answer)
        }
        let topology = instance.manifest.topology
        let owners = Set(processes.flatMap { [$0, topology.app(named: $0)?.0.name ?? $0] })
        guard missing.isSubset(of: owners) else {
            // The steps behind the block would meet a device that does not run.
            for failure in results.flatMap(\.failures) { report(failure) }
            return nil
        }
        return zip(processes, results).map { app, result in
            var result = result
            let device = topology.app(named: app)?.0.name
            if missing.contains(app) || device.map(missing.contains) == true {
                // Without an error, so that it does not count as having lost a race.
                (result.isFine, result.isKilled, result.error) = (false, false, nil)
            }
            return result
        }
    }

    /// Runs all branches, each on a thread of its own with a common start, and waits for all of them.
    /// - Parameters:
    ///   - turns: The turns of the branches' processes; nil if they run at the same time.
    ///   - body: Called once, while they run.
    private func perform(
        _ branches: [Branch], holdsFailures: Bool, in turns: TurnBlock? = nil, while body: () -> Void = {}
    ) -> [BranchResult] {
        let makeRunner: @Sendable () -> StepRunner = {
            [
                run, instance, events, bindings, isTearDown, round, deadline, waitingSince, touchesEverything, isKilled,
                noteRefusal
            ] in
            let runner = StepRunner(
                run: run, instance: instance, events: events, bindings: bindings.ofBranch, isTearDown: isTearDown)
            (runner.round, runner.deadline, runner.waitingSince) = (round, deadline, waitingSince)
            (runner.touchesEverything, runner.isKilled) = (touchesEverything, isKilled)
            runner.noteRefusal = noteRefusal
            if holdsFailures { runner.held = [] }
            return runner
        }
        let barrier = Barrier(count: branches.count)
        let results = Mutex<[Int: BranchResult]>([:])
        let threads = branches.enumerated().map { index, branch in
            runOnThread(name: "branch \(index + 1)") {
                let runner = makeRunner()
                if let turns {
                    runner.touchesEverything = { turns.touchEverything(index) }
                    runner.isKilled = { turns.isKilled(index) }
                    runner.noteRefusal = { turns.noteRefusal(of: $0, to: index) }
                }
                // Connections are made before the start, so that they delay no branch.
                runner.prepare(branch.steps)
                barrier.arriveAndWait()
                turns?.begin(index)
                let isFine = runner.perform(branch.steps)
                turns?.end(index)
                let failures = runner.held ?? []
                // What failed before its app was killed has failed.
                let isKilled = failures.isEmpty && runner.isKilled()
                let result = BranchResult(
                    isFine: isFine && !isKilled, isKilled: isKilled, bindings: runner.bindings,
                    intervals: runner.intervals, failures: failures, error: runner.lastError,
                    answer: runner.lastAnswer)
                results.withLock { $0[index] = result }
            }
        }
        body()
        for thread in threads { thread.join() }
        let ended = results.withLock { $0 }.sorted { $0.key < $1.key }.map(\.value)
        for result in ended { bindings.merge(result.bindings) }
        return ended
    }

    private func sorted(_ intervals: [[HandlingInterval]]) -> [HandlingInterval] {
        intervals.flatMap { $0 }.sorted { $0.sent < $1.sent }
    }

    /// Determines the winner and the errors of the others, and keeps the winner.
    private func ended(
        as outcome: Race.Outcome, _ branches: [Branch], _ results: [BranchResult], of step: Step
    ) -> Bool {
        // An inconclusive branch, or a failure other than a command's error, does not count as losing a race.
        let losers = results.indices.filter { results[$0].hasFailed }
        let broken = losers.filter { index in
            results[index].error == nil || results[index].failures.contains { $0.verdict == .inconclusive }
        }
        guard broken.isEmpty else {
            for index in broken { for failure in results[index].failures { report(failure) } }
            return false
        }
        let evaluator = MatchEvaluator(bindings: bindings)
        let winners = results.indices.filter { results[$0].isFine }
        func differences(of count: Int) -> [Mismatch] {
            evaluator.mismatches(.integer(Int64(count)), outcome.winners, path: "winners")
        }
        // A branch whose app was killed has no answer: it may have won or lost.
        let most = winners.count + results.count(where: \.isKilled)
        guard (winners.count...most).contains(where: { differences(of: $0).isEmpty }) else {
            return fail(
                step, "\(winners.count) of \(results.count) branches won: \(summary(branches, results))",
                verdict: .failed, mismatches: differences(of: winners.count))
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
        } else if let capture = outcome.capture, most > 0 {
            bindings.lose([capture])
        }
        return true
    }

    private func summary(_ branches: [Branch], _ results: [BranchResult]) -> String {
        zip(branches, results).enumerated().map { index, pair in
            let end =
                pair.1.isKilled
                ? "was killed" : pair.1.isFine ? "succeeded" : "failed with \(pair.1.error?.text ?? "no error")"
            return "\(name(pair.0, index)) \(end)"
        }.joined(separator: "; ")
    }

    private func name(_ branch: Branch, _ index: Int) -> String {
        "branch \(index + 1)\(branch.actors.first.map { " (\($0))" } ?? "")"
    }
}

/// The plan for the turns of a block's processes.
private struct Schedule {
    let plan: TurnScheduler.Plan
    /// Learns what came of it; nil for an order that the scenario itself has.
    let explored: ExploredBlock?
}

/// How a branch ended.
private struct BranchResult: Sendable {
    var isFine: Bool
    /// Whether an order of turns has killed its app, or a device that it needs: then it has neither succeeded nor
    /// failed.
    var isKilled: Bool
    let bindings: Bindings
    let intervals: [HandlingInterval]
    /// Failures held back because an enclosing block may be retried, or because the branch may fail.
    let failures: [StepFailure]
    /// The error of the command that failed last.
    var error: ControlError?
    /// The answer of the command that succeeded last.
    let answer: JSONValue?

    var hasFailed: Bool { !isFine && !isKilled }
}

extension ActorSession {
    /// Gives a command about an app's process or a device, on behalf of a step.
    /// - Throws: `ControlError` if it fails; what prevents the lab from sending it.
    fileprivate func perform(
        _ command: String, aboutProcessOf actor: String, for step: Step, in run: ScenarioRun
    ) throws {
        let (target, declaration) = try find(command, of: actor)
        let outcome = try perform(
            declaration, of: target, arguments: [:], step: step.path, timeout: run.limits.step,
            recordedIn: run.history)
        if let error = outcome.error { throw error }
    }
}

/// Lets a number of threads continue only when all have arrived.
///
/// Thread rule: any thread; used once.
final class Barrier: Sendable {
    private let missing: Atomic<Int>
    private let isComplete = OneShot<Void>()

    init(count: Int) { missing = Atomic(count) }

    func arriveAndWait() {
        if missing.subtract(1, ordering: .acquiringAndReleasing).newValue <= 0 { isComplete.set() }
        isComplete.wait()
    }
}
