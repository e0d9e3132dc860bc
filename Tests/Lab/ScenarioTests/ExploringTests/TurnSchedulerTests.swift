// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabControl
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Turns of a block's processes", .endsInTime)
struct TurnSchedulerTests {
    @Test func `Processes continue in exactly the planned order`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", "wallet")
            players.play("main", "a", "b")
            players.play("wallet", "x", "y")
            let plan = TurnPlayers.turns("wallet x", "main a", "wallet y", "main b")
            let (choices, problem) = try players.schedule(.exact(plan))
            #expect(problem == nil)
            #expect(choices.map(\.turn) == plan)
            #expect(players.done.all == ["wallet x", "main a", "wallet y", "main b"])
            #expect(choices.first?.enabled == TurnPlayers.turns("main a", "wallet x"))
            #expect(choices.last?.enabled == TurnPlayers.turns("main b"))
        }
    }

    @Test func `After the planned beginning a process continues to its end, then the first that can`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", "wallet", "widget")
            players.play("main", "a", "b")
            players.play("wallet", "x", "y", "z")
            players.play("widget", "k")
            let (choices, problem) = try players.schedule(.beginning(TurnPlayers.turns("main a", "wallet x")))
            #expect(problem == nil)
            #expect(players.done.all == ["main a", "wallet x", "wallet y", "wallet z", "main b", "widget k"])
            let order = TurnPlayers.turns("main a", "wallet x", "wallet y", "wallet z", "main b", "widget k")
            #expect(choices.map(\.turn) == order)
        }
    }

    @Test func `The release of a lock may come before or after the end of a branch, and no other place may`()
        async throws
    {
        try await onThread {
            let early = try TurnPlayers("main", "wallet")
            early.play("main", "a")
            early.play("wallet", "x", "y")
            let plan = TurnPlayers.turns("main a", "wallet x", "main queueLock.released", "wallet y")
            let (choices, problem) = try early.schedule(.exact(plan))
            #expect(problem == nil && choices.map(\.turn) == plan, "a release that came after the end was planned")
            #expect(early.done.all == ["main a", "wallet x", "wallet y"])

            let late = try TurnPlayers("main", "wallet")
            late.play("main", "a", "statusLock.released")
            late.play("wallet", "x")
            let unplanned = try late.schedule(.exact(TurnPlayers.turns("main a", "wallet x")))
            #expect(unplanned.problem == nil)
            #expect(late.done.all == ["main a", "wallet x", "main statusLock.released"])

            let missed = try TurnPlayers("main", "wallet")
            missed.play("main", "a")
            missed.play("wallet", "x")
            let outcome = try missed.schedule(.exact(TurnPlayers.turns("main a", "wallet x", "main state.saved")))
            #expect(outcome.problem == .notReached(Turn(process: "main", place: "state.saved"), enabled: []))
        }
    }

    @Test func `A choice knows what was touched until all processes stood still again`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", "wallet")
            let page = players.page
            page.touch(.files, writing: true, process: "main")
            players.play("main", "a") { page.touch(.keychain, writing: true, process: "main") }
            players.play("wallet", "x", "y") { page.touch(.memory, writing: false, process: "wallet") }
            let (choices, _) = try players.schedule(.exact(TurnPlayers.turns("wallet x", "main a", "wallet y")))
            var (written, read) = (Footprint(), Footprint())
            written.write(.keychain)
            read.read(.memory)
            #expect(choices.map(\.footprint) == [Footprint(), written, read])
        }
    }

    @Test func `A planned turn at a place that the process has not reached is a problem`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", "wallet")
            players.play("main", "a", "b")
            players.play("wallet", "x")
            let (choices, problem) = try players.schedule(.exact(TurnPlayers.turns("main a", "main c")))
            #expect(choices.map(\.turn) == TurnPlayers.turns("main a"))
            let turn = Turn(process: "main", place: "c")
            #expect(problem == .notReached(turn, enabled: TurnPlayers.turns("main b", "wallet x")))
            #expect(
                problem?.description
                    == "`main` should continue from `c`, but is not held there; held are `main` at `b`, `wallet` at `x`"
            )
        }
    }

    @Test func `Planned turns that are left over at the end are a problem`() async throws {
        let turns = TurnPlayers.turns("main a", "main b")
        for plan in [TurnScheduler.Plan.exact(turns), .beginning(turns)] {
            try await onThread {
                let players = try TurnPlayers("main")
                players.play("main", "a")
                let (_, problem) = try players.schedule(plan)
                #expect(problem == .notReached(Turn(process: "main", place: "b"), enabled: []))
                #expect(problem?.description.hasSuffix("all branches have ended") == true)
            }
        }
    }

    @Test func `A process that is still held when an exact order has ended is a problem`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", "wallet")
            players.play("main", "a")
            players.play("wallet", "x")
            let (_, problem) = try players.schedule(.exact(TurnPlayers.turns("main a")))
            #expect(problem == .unplanned(Turn(process: "wallet", place: "x")))
            #expect(problem?.description == "the order has no such turn, but `wallet` is held at `x`")
        }
    }

    @Test func `A turn that neither reaches a place nor ends is a problem when its time is over`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", "wallet")
            let end = OneShot<Void>()
            players.play("main", "a")
            players.play("wallet", "x") { end.wait() }
            let plan = TurnScheduler.Plan.beginning(TurnPlayers.turns("wallet x"))
            let (choices, problem) = try players.schedule(plan, bound: .milliseconds(500).stretched) { end.set() }
            #expect(choices.map(\.turn) == TurnPlayers.turns("wallet x"))
            guard case .outOfControl(process: "wallet", waitsFor: _)? = problem else {
                throw Unexpected("\(String(describing: problem))")
            }
        }
    }

    // MARK: Deaths

    private static func death(_ process: String, _ place: String) -> Turn {
        Turn(process: process, place: place, dies: true)
    }

    @Test func `A process is killed where it is held, and the one that had its turn before continues`() async throws {
        try await onThread {
            let players = try TurnPlayers("wallet", "main", "widget")
            players.play("main", "a", "b")
            players.play("wallet", "x", "y")
            players.play("widget", "k")
            let plan = TurnPlayers.turns("main a") + [Self.death("wallet", "x")]
            let (choices, problem) = try players.schedule(.beginning(plan))
            #expect(problem == nil)
            #expect(players.done.all == ["main a", "wallet dies", "main b", "widget k"])
            #expect(choices.map(\.turn) == plan + TurnPlayers.turns("main b", "widget k"))
            #expect(
                choices[1].enabled == TurnPlayers.turns("wallet x", "main b", "widget k") + [Self.death("wallet", "x")])
            let slot = players.page.place(of: "wallet")
            #expect(slot.place == .running && slot.arrivals == 1)
        }
    }

    @Test func `A death is planned for the place at which the process is held, and no other one`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", "wallet")
            players.play("main", "a", "b")
            players.play("wallet", "x")
            let plan = TurnPlayers.turns("main a") + [Self.death("main", "c")]
            let (_, problem) = try players.schedule(.exact(plan))
            #expect(problem == .notReached(Self.death("main", "c"), enabled: TurnPlayers.turns("main b", "wallet x")))
            #expect(
                problem?.description
                    == "`main` should be killed at `c`, but is not held there; held are `main` at `b`, `wallet` at `x`")
            #expect(!players.done.all.contains("main dies"))
        }
    }

    @Test func `A process that cannot be killed ends the order before its turn`() async throws {
        try await onThread {
            let players = try TurnPlayers("main")
            players.play("main", "a", "b")
            let plan = TurnPlayers.turns("main a") + [Self.death("main", "b")]
            let (choices, problem) = try players.schedule(.exact(plan), kill: { _ in throw Unexpected("no device") })
            #expect(choices.map(\.turn) == TurnPlayers.turns("main a"))
            guard case .notKilled(Self.death("main", "b"), let reason)? = problem else {
                throw Unexpected("\(String(describing: problem))")
            }
            #expect(problem?.description == "`main` could not be killed at `b`: \(reason)")
        }
    }

    @Test func `A process that may have ended its branch at the release of a lock is killed all the same`()
        async throws
    {
        try await onThread {
            let players = try TurnPlayers("main", "wallet")
            players.play("main", "a")
            players.play("wallet", "x", "y")
            let death = Self.death("main", "queueLock.released")
            let plan = TurnPlayers.turns("main a", "wallet x") + [death] + TurnPlayers.turns("wallet y")
            let (choices, problem) = try players.schedule(.exact(plan))
            #expect(problem == nil && choices.map(\.turn) == plan)
            #expect(players.done.all == ["main a", "wallet x", "main dies", "wallet y"])

            let last = try TurnPlayers("main")
            last.play("main", "a")
            let outcome = try last.schedule(.exact(TurnPlayers.turns("main a") + [death]))
            #expect(outcome.problem == nil && outcome.choices.map(\.turn) == TurnPlayers.turns("main a") + [death])
            #expect(last.done.all == ["main a", "main dies"])
        }
    }

    @Test func `The lock of a process that is killed goes to the one that waits for it, within the same turn`()
        async throws
    {
        try await onThread {
            let players = try TurnPlayers("main", "wallet")
            let lock = players.file("lock")
            let holder = try Self.holder(of: lock)
            players.play("main", "holding")
            players.play("wallet", "start") { [players] in
                try FileLock(path: lock).withLock {}
                players.page.arrive(at: "taken", process: "wallet")
                players.done.add("wallet taken")
            }
            let death = Self.death("main", "holding")
            let plan = TurnPlayers.turns("wallet start") + [death] + TurnPlayers.turns("wallet taken")
            let (choices, problem) = try players.schedule(
                .exact(plan), pids: ["main": holder.pid, "wallet": getpid()], kill: { _ in try Self.end(holder) })
            #expect(problem == nil)
            #expect(choices.map(\.turn) == plan)
            #expect(choices.last?.enabled == TurnPlayers.turns("wallet taken"))
            #expect(players.done.all == ["wallet start", "main dies", "wallet taken"])
        }
    }

    // MARK: Drawn orders

    @Test func `A drawn order gives each process its turns, and is repeated by its seed`() async throws {
        try await onThread {
            func draw(_ seed: UInt64) throws -> [Turn] {
                let players = try TurnPlayers("main", "wallet")
                players.play("main", "a", "b", "c")
                players.play("wallet", "x", "y", "z")
                let order = DrawnOrder(seed: seed, depth: 3, length: 6)
                let (choices, problem) = try players.schedule(.drawn(order))
                #expect(problem == nil)
                #expect(players.done.all == choices.map { "\($0.turn.process) \($0.turn.place)" })
                #expect(choices.map(\.turn).filter { $0.process == "main" }.map(\.place) == ["a", "b", "c"])
                #expect(choices.map(\.turn).filter { $0.process == "wallet" }.map(\.place) == ["x", "y", "z"])
                return choices.map(\.turn)
            }
            let orders = try (0..<8).map(draw)
            #expect(try (0..<8).map(draw) == orders)
            #expect(Set(orders).count > 1)
        }
    }

    // MARK: Locks

    /// Starts a process that holds a lock file until it is killed.
    private static func holder(of path: String) throws -> ChildProcess {
        let child = try ChildProcess.spawn(
            executable: "/usr/bin/flock", arguments: ["--no-fork", path, "sleep", "600"], deathSignal: SIGKILL)
        let name = (path as NSString).lastPathComponent
        // The limit of the suite ends it when the lock is never taken.
        while try !ProcessTable.heldLocks(by: child.pid).contains(where: { $0.path?.hasSuffix("/\(name)") == true }) {
            sched_yield()
        }
        return child
    }

    private static func end(_ child: ChildProcess) throws {
        try child.signal(SIGKILL)
        _ = try child.wait()
    }

    @Test func `A process that waits for another one's lock cannot go on until the lock is released`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", "wallet")
            let lock = players.file("lock")
            let holder = try Self.holder(of: lock)
            players.play("main", "holding") { try Self.end(holder) }
            players.play("wallet", "start") { [players] in
                try FileLock(path: lock).withLock {}
                players.page.arrive(at: "taken", process: "wallet")
                players.done.add("wallet taken")
            }
            let plan = TurnPlayers.turns("wallet start", "main holding", "wallet taken")
            let (choices, problem) = try players.schedule(.exact(plan), pids: ["main": holder.pid, "wallet": getpid()])
            #expect(problem == nil)
            #expect(
                choices.map(\.enabled) == [
                    TurnPlayers.turns("main holding", "wallet start"), TurnPlayers.turns("main holding"),
                    TurnPlayers.turns("wallet taken"),
                ])
            #expect(players.done.all == ["wallet start", "main holding", "wallet taken"])
        }
    }

    @Test func `Processes that all wait for locks are stuck`() async throws {
        try await onThread {
            let players = try TurnPlayers("main", "wallet")
            let lock = players.file("lock")
            let holder = try Self.holder(of: lock)
            players.play("main")
            players.play("wallet", "start") { try FileLock(path: lock).withLock {} }
            let pids = ["main": holder.pid, "wallet": getpid()]
            let (choices, problem) = try players.schedule(.beginning([]), pids: pids) { try Self.end(holder) }
            #expect(choices.map(\.turn) == TurnPlayers.turns("wallet start"))
            #expect(problem == .stuck(["wallet": "main"]))
            #expect(problem?.description == "no process can go on: `wallet` waits for a lock of `main`")
        }
    }

    // MARK: In a scenario

    private static let race = """
        name: Race
        steps:
          - repeat: 2
            steps:
              - parallel:
                  - main: hasValidActivation
                  - wallet: canStartActivation
        """

    private static var answers: FakeAnswers {
        FakeAnswers(["main.hasValidActivation": [RedCase.yes], "wallet.canStartActivation": [RedCase.yes]])
    }

    @Test func `An explored block begins as planned, once, and its choices are known`() async throws {
        let scenario = try RedCase.scenario(Self.race)
        let block = try #require(scenario.steps.first?.inner.first)
        let explored = ExploredBlock(step: block.path, plan: .beginning(TurnPlayers.turns("wallet start")))
        let run = try await FakeRun(scenario, answers: Self.answers, explored: explored)
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
        #expect(run.requests.prefix(2).map(\.command) == ["canStartActivation", "hasValidActivation"])
        #expect(run.requests.count == 4)
        #expect(explored.problem == nil)
        #expect(
            explored.choices == [
                TurnChoice(enabled: TurnPlayers.turns("main start", "wallet start"), chosen: 1, footprint: Footprint()),
                TurnChoice(enabled: TurnPlayers.turns("main start"), chosen: 0, footprint: Footprint()),
            ])
    }

    @Test func `What a branch does apart from commands to its app may touch anything`() async throws {
        let command = "- wallet: canStartActivation"
        let scenario = try RedCase.scenario(
            Self.race.replacing(command, with: "- \(command)\n            - advance: 1s"))
        let block = try #require(scenario.steps.first?.inner.first)
        let explored = ExploredBlock(step: block.path, plan: .beginning([]))
        let run = try await FakeRun(scenario, answers: Self.answers, explored: explored)
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
        #expect(explored.choices.map(\.turn) == TurnPlayers.turns("main start", "wallet start"))
        #expect(explored.choices.map(\.footprint) == [Footprint(), .everything])
    }

    @Test func `A beginning that the block does not have makes the run inconclusive`() async throws {
        let scenario = try RedCase.scenario(Self.race)
        let block = try #require(scenario.steps.first?.inner.first)
        let explored = ExploredBlock(
            step: block.path, plan: .beginning(TurnPlayers.turns("main start", "main state.save")))
        let run = try await FakeRun(scenario, answers: Self.answers, explored: explored)
        #expect(run.result.verdict == .inconclusive)
        #expect(
            run.result.failures.first?.reason.hasPrefix(
                "turn 2 of its order could not be given: `main` should continue from `state.save`, but is not held there"
            ) == true, "\(run.result.failures)")
        #expect(
            explored.problem
                == .notReached(Turn(process: "main", place: "state.save"), enabled: TurnPlayers.turns("wallet start")))
    }
}
