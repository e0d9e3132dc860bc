// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabFile
import LabSystem
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
        return !results.contains { !$0.isFine }
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
            guard results.allSatisfy(\.isFine) else {
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
            Schedule(plan: .exact(order.turns.map { Turn(process: $0.process, place: $0.place) }), explored: nil)
        }
    }

    /// Runs all branches by their turns, or at the same time without a schedule.
    /// - Returns: How each has ended; nil, with a failure of the step, if the turns could not be given as planned. What
    ///   the branches did then belongs to no known order, so it proves nothing.
    private func perform(
        _ branches: [Branch], of step: Step, by schedule: Schedule?, holdsFailures: Bool
    ) -> [BranchResult]? {
        guard let schedule else { return perform(branches, holdsFailures: holdsFailures) }
        let page = instance.faults.turns
        let processes: [String]
        do {
            processes = try schedulableProcesses(of: branches, topology: instance.manifest.topology).get()
            let here = Set(instance.host.devices.flatMap(\.apps).map(\.name))
            if let far = processes.first(where: { !here.contains($0) }) {
                throw LabFailure("`\(far)` runs \(HostRole.elsewhere), and turns are given on this one only")
            }
            try page.begin(processes)
        } catch {
            _ = fail(step, "its branches cannot take turns: \(error)", verdict: .inconclusive)
            return nil
        }
        let turns = BranchTurns(page: page, processes: processes)
        let scheduler = TurnScheduler(
            turns: page, processes: processes, pid: { [instance] in instance.watch(of: .peer($0))?.pid },
            plan: schedule.plan)
        var outcome: (choices: [TurnChoice], problem: TurnScheduler.Problem?) = ([], nil)
        let results = perform(branches, holdsFailures: true, in: turns) {
            outcome = scheduler.run(isFinished: turns.isFinished)
            // What is still held, or will be, must not prevent the branches from ending.
            page.end()
        }
        schedule.explored?.record(outcome.choices, outcome.problem)
        guard let problem = outcome.problem else { return results }
        _ = fail(
            step, "turn \(outcome.choices.count + 1) of its order could not be given: \(problem)",
            verdict: .inconclusive)
        return nil
    }

    /// Runs all branches, each on a thread of its own with a common start, and waits for all of them.
    /// - Parameters:
    ///   - turns: The turns of the branches' processes; nil if they run at the same time.
    ///   - body: Called once, while they run.
    private func perform(
        _ branches: [Branch], holdsFailures: Bool, in turns: BranchTurns? = nil, while body: () -> Void = {}
    ) -> [BranchResult] {
        let makeRunner: @Sendable () -> StepRunner = {
            [run, instance, events, bindings, isTearDown, round, deadline, waitingSince, touchesEverything] in
            let runner = StepRunner(
                run: run, instance: instance, events: events, bindings: bindings.ofBranch, isTearDown: isTearDown)
            (runner.round, runner.deadline, runner.waitingSince) = (round, deadline, waitingSince)
            runner.touchesEverything = touchesEverything
            if holdsFailures { runner.held = [] }
            return runner
        }
        let barrier = Barrier(count: branches.count)
        let results = Mutex<[Int: BranchResult]>([:])
        let threads = branches.enumerated().map { index, branch in
            runOnThread(name: "branch \(index + 1)") {
                let runner = makeRunner()
                if let turns { runner.touchesEverything = { turns.touchEverything(index) } }
                // Connections are made before the start, so that they delay no branch.
                runner.prepare(branch.steps)
                barrier.arriveAndWait()
                turns?.begin(index)
                let isFine = runner.perform(branch.steps)
                turns?.end(index)
                let result = BranchResult(
                    isFine: isFine, bindings: runner.bindings, intervals: runner.intervals,
                    failures: runner.held ?? [], error: runner.lastError, answer: runner.lastAnswer)
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

    private func summary(_ branches: [Branch], _ results: [BranchResult]) -> String {
        zip(branches, results).enumerated().map { index, pair in
            let end = pair.1.isFine ? "succeeded" : "failed with \(pair.1.error?.text ?? "no error")"
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

/// The begins and ends of branches whose processes take turns.
///
/// Thread rule: any thread.
private final class BranchTurns: Sendable {
    private let page: TurnPage
    private let processes: [String]
    private let finished = Mutex<Set<String>>([])

    init(page: TurnPage, processes: [String]) {
        self.page = page
        self.processes = processes
    }

    /// Holds the thread of a branch until its process has the first turn.
    func begin(_ index: Int) { page.arrive(at: TurnOrder.start, process: processes[index]) }

    /// Notes that the runner may touch anything for a branch, in the turn of its process.
    func touchEverything(_ index: Int) { page.touchEverything(process: processes[index]) }

    /// Ends the last turn of a branch's process.
    func end(_ index: Int) {
        finished.withLock { _ = $0.insert(processes[index]) }
        page.wake()
    }

    func isFinished(_ process: String) -> Bool { finished.withLock { $0.contains(process) } }
}

/// How a branch ended.
private struct BranchResult: Sendable {
    let isFine: Bool
    let bindings: Bindings
    let intervals: [HandlingInterval]
    /// Failures held back because an enclosing block may be retried, or because the branch may fail.
    let failures: [StepFailure]
    /// The error of the command that failed last.
    let error: ControlError?
    /// The answer of the command that succeeded last.
    let answer: JSONValue?
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
