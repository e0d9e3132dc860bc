// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabControl
import LabCore
import LabPoints
import LabSystem
import Synchronization
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Turns of a block's processes", .endsInTime)
struct TurnSchedulerTests {
    /// Processes that are threads of this one.
    private final class Players: Sendable {
        let page: TurnPage
        let names: [String]
        let agents: [String]
        /// What they did, `main b`: continued from the place `b`.
        let done = Recorder<String>()
        private let directory: TemporaryDirectory
        private let finished = Mutex<Set<String>>([])
        private let killed = Mutex<Set<String>>([])
        private let threads = Mutex<[ThreadHandle]>([])

        init(_ names: String..., agents: [String] = []) throws {
            directory = try TemporaryDirectory()
            page = try FaultTable.create(directory.file("faults")).turns
            self.names = names
            self.agents = agents
            try page.begin(names + agents)
        }

        func file(_ name: String) -> String { directory.file(name) }

        /// Lets a process end where it is held.
        func kill(_ name: String) {
            killed.withLock { _ = $0.insert(name) }
            done.add("\(name) dies")
        }

        /// Lets a process pass places, and then end.
        func play(_ name: String, _ places: String..., then work: @escaping @Sendable () throws -> Void = {}) {
            let thread = runOnThread(name: name) { [self] in
                for place in places where !isKilled(name) {
                    page.arrive(at: place, process: name)
                    if !isKilled(name) { done.add("\(name) \(place)") }
                }
                if !isKilled(name) { do { try work() } catch { done.add("\(error)") } }
                finished.withLock { _ = $0.insert(name) }
                page.wake()
            }
            threads.withLock { $0.append(thread) }
        }

        /// Does something on a thread that is joined at the end.
        func run(_ name: String, _ work: @escaping @Sendable () -> Void) {
            let thread = runOnThread(name: name) { work() }
            threads.withLock { $0.append(thread) }
        }

        /// Lets an agent come to a place when it is asked for something, and do that afterwards.
        func serve(
            _ agent: String, at place: String, when asked: OneShot<Void>, then work: @escaping @Sendable () -> Void = {}
        ) {
            run(agent) { [self] in
                asked.wait()
                page.arrive(at: place, process: agent)
                done.add("\(agent) \(place)")
                work()
                page.changeWork(of: agent, by: -1)
            }
        }

        /// Waits until a process is held at a place.
        func waitUntilHeld(_ name: String, at place: String) {
            while true {
                let seen = page.changes
                if page.place(of: name).place == .held(at: place) { return }
                page.waitForChange(since: seen, timeout: .minutes(1))
            }
        }

        private func isKilled(_ name: String) -> Bool { killed.withLock { $0.contains(name) } }

        /// Gives turns, and lets all threads end. Blocks.
        /// - Parameters:
        ///   - bound: How long a turn may take; nil for the usual time.
        ///   - release: Called when no more turns are given.
        ///   - kill: What happens before the thread of a process ends where it is held.
        func schedule(
            _ plan: TurnScheduler.Plan, bound: LabDuration? = nil, pids: [String: Int32] = [:],
            release: () throws -> Void = {}, kill: @escaping @Sendable (String) throws -> Void = { _ in }
        ) throws -> (choices: [TurnChoice], problem: TurnScheduler.Problem?) {
            let scheduler = TurnScheduler(
                turns: page, processes: names, agents: agents, pid: { pids[$0] },
                kill: { [self] name in
                    try kill(name)
                    self.kill(name)
                }, plan: plan, bound: bound ?? TurnScheduler.bound)
            let outcome = scheduler.run { name in finished.withLock { $0.contains(name) } }
            page.end()
            defer { for thread in threads.withLock({ $0 }) { thread.join() } }
            try release()
            return outcome
        }
    }

    private static func turns(_ texts: String...) -> [Turn] {
        texts.map { text in
            let words = text.split(separator: " ").map(String.init)
            return Turn(process: words[0], place: words[1])
        }
    }

    @Test func `Processes continue in exactly the planned order`() async throws {
        try await onThread {
            let players = try Players("main", "wallet")
            players.play("main", "a", "b")
            players.play("wallet", "x", "y")
            let plan = Self.turns("wallet x", "main a", "wallet y", "main b")
            let (choices, problem) = try players.schedule(.exact(plan))
            #expect(problem == nil)
            #expect(choices.map(\.turn) == plan)
            #expect(players.done.all == ["wallet x", "main a", "wallet y", "main b"])
            #expect(choices.first?.enabled == Self.turns("main a", "wallet x"))
            #expect(choices.last?.enabled == Self.turns("main b"))
        }
    }

    @Test func `After the planned beginning a process continues to its end, then the first that can`() async throws {
        try await onThread {
            let players = try Players("main", "wallet", "widget")
            players.play("main", "a", "b")
            players.play("wallet", "x", "y", "z")
            players.play("widget", "k")
            let (choices, problem) = try players.schedule(.beginning(Self.turns("main a", "wallet x")))
            #expect(problem == nil)
            #expect(players.done.all == ["main a", "wallet x", "wallet y", "wallet z", "main b", "widget k"])
            let order = Self.turns("main a", "wallet x", "wallet y", "wallet z", "main b", "widget k")
            #expect(choices.map(\.turn) == order)
        }
    }

    @Test func `The release of a lock may come before or after the end of a branch, and no other place may`()
        async throws
    {
        try await onThread {
            let early = try Players("main", "wallet")
            early.play("main", "a")
            early.play("wallet", "x", "y")
            let plan = Self.turns("main a", "wallet x", "main queueLock.released", "wallet y")
            let (choices, problem) = try early.schedule(.exact(plan))
            #expect(problem == nil && choices.map(\.turn) == plan, "a release that came after the end was planned")
            #expect(early.done.all == ["main a", "wallet x", "wallet y"])

            let late = try Players("main", "wallet")
            late.play("main", "a", "statusLock.released")
            late.play("wallet", "x")
            let unplanned = try late.schedule(.exact(Self.turns("main a", "wallet x")))
            #expect(unplanned.problem == nil)
            #expect(late.done.all == ["main a", "wallet x", "main statusLock.released"])

            let missed = try Players("main", "wallet")
            missed.play("main", "a")
            missed.play("wallet", "x")
            let outcome = try missed.schedule(.exact(Self.turns("main a", "wallet x", "main state.saved")))
            #expect(outcome.problem == .notReached(Turn(process: "main", place: "state.saved"), enabled: []))
        }
    }

    @Test func `A choice knows what was touched until all processes stood still again`() async throws {
        try await onThread {
            let players = try Players("main", "wallet")
            let page = players.page
            page.touch(.files, writing: true, process: "main")
            players.play("main", "a") { page.touch(.keychain, writing: true, process: "main") }
            players.play("wallet", "x", "y") { page.touch(.memory, writing: false, process: "wallet") }
            let (choices, _) = try players.schedule(.exact(Self.turns("wallet x", "main a", "wallet y")))
            var (written, read) = (Footprint(), Footprint())
            written.write(.keychain)
            read.read(.memory)
            #expect(choices.map(\.footprint) == [Footprint(), written, read])
        }
    }

    @Test func `A planned turn at a place that the process has not reached is a problem`() async throws {
        try await onThread {
            let players = try Players("main", "wallet")
            players.play("main", "a", "b")
            players.play("wallet", "x")
            let (choices, problem) = try players.schedule(.exact(Self.turns("main a", "main c")))
            #expect(choices.map(\.turn) == Self.turns("main a"))
            let turn = Turn(process: "main", place: "c")
            #expect(problem == .notReached(turn, enabled: Self.turns("main b", "wallet x")))
            #expect(
                problem?.description
                    == "`main` should continue from `c`, but is not held there; held are `main` at `b`, `wallet` at `x`"
            )
        }
    }

    @Test func `Planned turns that are left over at the end are a problem`() async throws {
        let turns = Self.turns("main a", "main b")
        for plan in [TurnScheduler.Plan.exact(turns), .beginning(turns)] {
            try await onThread {
                let players = try Players("main")
                players.play("main", "a")
                let (_, problem) = try players.schedule(plan)
                #expect(problem == .notReached(Turn(process: "main", place: "b"), enabled: []))
                #expect(problem?.description.hasSuffix("all branches have ended") == true)
            }
        }
    }

    @Test func `A process that is still held when an exact order has ended is a problem`() async throws {
        try await onThread {
            let players = try Players("main", "wallet")
            players.play("main", "a")
            players.play("wallet", "x")
            let (_, problem) = try players.schedule(.exact(Self.turns("main a")))
            #expect(problem == .unplanned(Turn(process: "wallet", place: "x")))
            #expect(problem?.description == "the order has no such turn, but `wallet` is held at `x`")
        }
    }

    @Test func `A turn that neither reaches a place nor ends is a problem when its time is over`() async throws {
        try await onThread {
            let players = try Players("main", "wallet")
            let end = OneShot<Void>()
            players.play("main", "a")
            players.play("wallet", "x") { end.wait() }
            let plan = TurnScheduler.Plan.beginning(Self.turns("wallet x"))
            let (choices, problem) = try players.schedule(plan, bound: .milliseconds(500).stretched) { end.set() }
            #expect(choices.map(\.turn) == Self.turns("wallet x"))
            guard case .outOfControl(process: "wallet", waitsFor: _)? = problem else {
                throw Unexpected("\(String(describing: problem))")
            }
        }
    }

    // MARK: Agents

    /// Who says that a branch waits for an answer of a device.
    enum Waiter: CaseIterable {
        case app, runner, noOne
    }

    @Test(arguments: Waiter.allCases)
    func `An app that waits for its device is not enabled until the turn of the agent has brought the answer`(
        waiter: Waiter
    ) async throws {
        try await onThread {
            let players = try Players("main", "companion", agents: ["phone", "watch"])
            let page = players.page
            let (asked, answer) = (OneShot<Void>(), OneShot<Void>())
            @Sendable func note(_ change: Int) {
                if waiter != .noOne { page.changeWaits(of: waiter == .app ? "main" : nil, by: change) }
            }
            players.play("main", "a") { [players] in
                page.changeWork(of: "phone", by: 1)
                note(1)
                asked.set()
                answer.wait()
                note(-1)
                page.arrive(at: "b", process: "main")
                players.done.add("main b")
            }
            players.play("companion", "x")
            players.serve("phone", at: "link.store", when: asked) { answer.set() }
            let plan = Self.turns("main a", "phone link.store", "main b", "companion x")
            let (choices, problem) = try players.schedule(.exact(plan))
            #expect(problem == nil)
            #expect(choices.map(\.turn) == plan)
            #expect(players.done.all == ["main a", "phone link.store", "main b", "companion x"])
            #expect(
                choices.map(\.enabled) == [
                    Self.turns("main a", "companion x"), Self.turns("companion x", "phone link.store"),
                    Self.turns("main b", "companion x"), Self.turns("companion x"),
                ])
            #expect(choices.map(\.agents) == [[], ["phone"], [], []])
        }
    }

    @Test func `An agent that was given something is waited for, and holds nothing up while it is idle`() async throws {
        try await onThread {
            let players = try Players("main", "companion", agents: ["phone"])
            let (page, asked) = (players.page, OneShot<Void>())
            players.play("main", "a") { [players] in
                page.changeWork(of: "phone", by: 1)
                page.arrive(at: "b", process: "main")
                players.done.add("main b")
            }
            players.play("companion", "x")
            players.run("delay") { [players] in
                players.waitUntilHeld("main", at: "b")
                asked.set()
            }
            players.serve("phone", at: "link.sent", when: asked)
            let plan = Self.turns("main a", "companion x", "phone link.sent", "main b")
            let (choices, problem) = try players.schedule(.exact(plan))
            #expect(problem == nil && choices.map(\.turn) == plan)
            #expect(choices[1].enabled == Self.turns("main b", "companion x", "phone link.sent"))
            #expect(choices[3].enabled == Self.turns("main b"))
        }
    }

    @Test func `The turns end with the last branch, also while an agent is held`() async throws {
        try await onThread {
            let players = try Players("main", agents: ["phone"])
            let (page, asked) = (players.page, OneShot<Void>())
            players.play("main", "a") { [players] in
                page.changeWork(of: "phone", by: 1)
                asked.set()
                players.waitUntilHeld("phone", at: "link.store")
            }
            players.serve("phone", at: "link.store", when: asked)
            let (choices, problem) = try players.schedule(.exact(Self.turns("main a")))
            #expect(problem == nil && choices.map(\.turn) == Self.turns("main a"))
        }
    }

    @Test func `A planned turn of an agent that is not held there is a problem`() async throws {
        try await onThread {
            let players = try Players("main", agents: ["phone"])
            players.play("main", "a", "b")
            let (_, problem) = try players.schedule(.exact(Self.turns("main a", "phone link.sent")))
            let turn = Turn(process: "phone", place: "link.sent")
            #expect(problem == .notReached(turn, enabled: Self.turns("main b")))
        }
    }

    @Test func `While a thread with news of the device is held, the branch of the app is waited for`() async throws {
        try await onThread {
            let players = try Players("main", agents: ["phone"])
            let (page, asked) = (players.page, OneShot<Void>())
            players.play("main", "a") { [players] in
                page.changeWork(of: "main", by: 1)
                players.run("connection") {
                    TurnPage.Role.$current.withValue(.connection) {
                        page.arrive(at: "link.delivered", process: "main")
                        page.changeWork(of: "main", by: -1)
                    }
                }
                players.waitUntilHeld("main", at: "link.delivered")
                page.changeWork(of: "phone", by: 1)
                asked.set()
                page.arrive(at: "b", process: "main")
            }
            players.serve("phone", at: "link.store", when: asked)
            let plan = Self.turns("main a", "main link.delivered", "main b")
            let (choices, problem) = try players.schedule(.exact(plan))
            #expect(problem == nil && choices.map(\.turn) == plan)
            #expect(choices[1].enabled == Self.turns("main link.delivered", "phone link.store"))
            #expect(choices[2].enabled == Self.turns("main b", "phone link.store"))
        }
    }

    @Test func `An agent that never handles what it was given is a problem when its time is over`() async throws {
        try await onThread {
            let players = try Players("main", agents: ["phone"])
            let page = players.page
            players.play("main", "a", "b")
            page.changeWork(of: "phone", by: 1)
            let (_, problem) = try players.schedule(.beginning([]), bound: .milliseconds(500).stretched)
            let text = "something while it handles what other processes have given to it"
            #expect(problem == .outOfControl(process: "phone", waitsFor: text))
        }
    }

    // MARK: Deaths

    private static func death(_ process: String, _ place: String) -> Turn {
        Turn(process: process, place: place, dies: true)
    }

    @Test func `A process is killed where it is held, and the one that had its turn before continues`() async throws {
        try await onThread {
            let players = try Players("wallet", "main", "widget")
            players.play("main", "a", "b")
            players.play("wallet", "x", "y")
            players.play("widget", "k")
            let plan = Self.turns("main a") + [Self.death("wallet", "x")]
            let (choices, problem) = try players.schedule(.beginning(plan))
            #expect(problem == nil)
            #expect(players.done.all == ["main a", "wallet dies", "main b", "widget k"])
            #expect(choices.map(\.turn) == plan + Self.turns("main b", "widget k"))
            #expect(choices[1].enabled == Self.turns("wallet x", "main b", "widget k") + [Self.death("wallet", "x")])
            let slot = players.page.place(of: "wallet")
            #expect(slot.place == .running && slot.arrivals == 1)
        }
    }

    @Test func `A death is planned for the place at which the process is held, and no other one`() async throws {
        try await onThread {
            let players = try Players("main", "wallet")
            players.play("main", "a", "b")
            players.play("wallet", "x")
            let plan = Self.turns("main a") + [Self.death("main", "c")]
            let (_, problem) = try players.schedule(.exact(plan))
            #expect(problem == .notReached(Self.death("main", "c"), enabled: Self.turns("main b", "wallet x")))
            #expect(
                problem?.description
                    == "`main` should be killed at `c`, but is not held there; held are `main` at `b`, `wallet` at `x`")
            #expect(!players.done.all.contains("main dies"))
        }
    }

    @Test func `A process that cannot be killed ends the order before its turn`() async throws {
        try await onThread {
            let players = try Players("main")
            players.play("main", "a", "b")
            let plan = Self.turns("main a") + [Self.death("main", "b")]
            let (choices, problem) = try players.schedule(.exact(plan), kill: { _ in throw Unexpected("no device") })
            #expect(choices.map(\.turn) == Self.turns("main a"))
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
            let players = try Players("main", "wallet")
            players.play("main", "a")
            players.play("wallet", "x", "y")
            let death = Self.death("main", "queueLock.released")
            let plan = Self.turns("main a", "wallet x") + [death] + Self.turns("wallet y")
            let (choices, problem) = try players.schedule(.exact(plan))
            #expect(problem == nil && choices.map(\.turn) == plan)
            #expect(players.done.all == ["main a", "wallet x", "main dies", "wallet y"])

            let last = try Players("main")
            last.play("main", "a")
            let outcome = try last.schedule(.exact(Self.turns("main a") + [death]))
            #expect(outcome.problem == nil && outcome.choices.map(\.turn) == Self.turns("main a") + [death])
            #expect(last.done.all == ["main a", "main dies"])
        }
    }

    @Test func `The lock of a process that is killed goes to the one that waits for it, within the same turn`()
        async throws
    {
        try await onThread {
            let players = try Players("main", "wallet")
            let lock = players.file("lock")
            let holder = try Self.holder(of: lock)
            players.play("main", "holding")
            players.play("wallet", "start") { [players] in
                try FileLock(path: lock).withLock {}
                players.page.arrive(at: "taken", process: "wallet")
                players.done.add("wallet taken")
            }
            let death = Self.death("main", "holding")
            let plan = Self.turns("wallet start") + [death] + Self.turns("wallet taken")
            let (choices, problem) = try players.schedule(
                .exact(plan), pids: ["main": holder.pid, "wallet": getpid()], kill: { _ in try Self.end(holder) })
            #expect(problem == nil)
            #expect(choices.map(\.turn) == plan)
            #expect(choices.last?.enabled == Self.turns("wallet taken"))
            #expect(players.done.all == ["wallet start", "main dies", "wallet taken"])
        }
    }

    // MARK: Drawn orders

    @Test func `A drawn order gives each process its turns, and is repeated by its seed`() async throws {
        try await onThread {
            func draw(_ seed: UInt64) throws -> [Turn] {
                let players = try Players("main", "wallet")
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
            let players = try Players("main", "wallet")
            let lock = players.file("lock")
            let holder = try Self.holder(of: lock)
            players.play("main", "holding") { try Self.end(holder) }
            players.play("wallet", "start") { [players] in
                try FileLock(path: lock).withLock {}
                players.page.arrive(at: "taken", process: "wallet")
                players.done.add("wallet taken")
            }
            let plan = Self.turns("wallet start", "main holding", "wallet taken")
            let (choices, problem) = try players.schedule(.exact(plan), pids: ["main": holder.pid, "wallet": getpid()])
            #expect(problem == nil)
            #expect(
                choices.map(\.enabled) == [
                    Self.turns("main holding", "wallet start"), Self.turns("main holding"), Self.turns("wallet taken"),
                ])
            #expect(players.done.all == ["wallet start", "main holding", "wallet taken"])
        }
    }

    @Test func `Processes that all wait for locks are stuck`() async throws {
        try await onThread {
            let players = try Players("main", "wallet")
            let lock = players.file("lock")
            let holder = try Self.holder(of: lock)
            players.play("main")
            players.play("wallet", "start") { try FileLock(path: lock).withLock {} }
            let pids = ["main": holder.pid, "wallet": getpid()]
            let (choices, problem) = try players.schedule(.beginning([]), pids: pids) { try Self.end(holder) }
            #expect(choices.map(\.turn) == Self.turns("wallet start"))
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
        let explored = ExploredBlock(step: block.path, plan: .beginning(Self.turns("wallet start")))
        let run = try await FakeRun(scenario, answers: Self.answers, explored: explored)
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
        #expect(run.requests.prefix(2).map(\.command) == ["canStartActivation", "hasValidActivation"])
        #expect(run.requests.count == 4)
        #expect(explored.problem == nil)
        #expect(
            explored.choices == [
                TurnChoice(enabled: Self.turns("main start", "wallet start"), chosen: 1, footprint: Footprint()),
                TurnChoice(enabled: Self.turns("main start"), chosen: 0, footprint: Footprint()),
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
        #expect(explored.choices.map(\.turn) == Self.turns("main start", "wallet start"))
        #expect(explored.choices.map(\.footprint) == [Footprint(), .everything])
    }

    @Test func `A beginning that the block does not have makes the run inconclusive`() async throws {
        let scenario = try RedCase.scenario(Self.race)
        let block = try #require(scenario.steps.first?.inner.first)
        let explored = ExploredBlock(step: block.path, plan: .beginning(Self.turns("main start", "main state.save")))
        let run = try await FakeRun(scenario, answers: Self.answers, explored: explored)
        #expect(run.result.verdict == .inconclusive)
        #expect(
            run.result.failures.first?.reason.hasPrefix(
                "turn 2 of its order could not be given: `main` should continue from `state.save`, but is not held there"
            ) == true, "\(run.result.failures)")
        #expect(
            explored.problem
                == .notReached(Turn(process: "main", place: "state.save"), enabled: Self.turns("wallet start")))
    }
}
