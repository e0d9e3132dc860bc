// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabSystem
import Synchronization
import TestSupport

@testable import ScenarioEngine

/// Processes that are threads of this one.
final class TurnPlayers: Sendable {
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
            if isKilled(agent) { return }
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
    ///   - apps: The processes that end with an agent.
    ///   - kill: What happens before the thread of a process ends where it is held.
    func schedule(
        _ plan: TurnScheduler.Plan, bound: LabDuration? = nil, pids: [String: Int32] = [:],
        apps: [String: [String]] = [:], release: () throws -> Void = {},
        kill: @escaping @Sendable (String) throws -> Void = { _ in }
    ) throws -> (choices: [TurnChoice], problem: TurnScheduler.Problem?) {
        let scheduler = TurnScheduler(
            turns: page, processes: names, agents: agents, pid: { pids[$0] },
            kill: { [self] name in
                try kill(name)
                let ended = [name] + apps[name, default: []]
                for process in ended { self.kill(process) }
                return Set(ended)
            }, plan: plan, bound: bound ?? TurnScheduler.bound)
        let outcome = scheduler.run { name in finished.withLock { $0.contains(name) } }
        page.end()
        defer { for thread in threads.withLock({ $0 }) { thread.join() } }
        try release()
        return outcome
    }

    /// `main a`: the process `main` continues from the place `a`.
    static func turns(_ texts: String...) -> [Turn] {
        texts.map { text in
            let words = text.split(separator: " ").map(String.init)
            return Turn(process: words[0], place: words[1])
        }
    }
}
