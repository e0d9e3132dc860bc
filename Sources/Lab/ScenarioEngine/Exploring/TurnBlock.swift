// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabSystem
import ScenarioLanguage
import Synchronization

/// A block whose processes take turns: from the moment when they are held until all of its branches have ended.
///
/// Thread rule: any thread; `begin` and `giveTurns` block, `giveTurns` is called once.
package struct TurnBlock: Sendable {
    private let page: TurnPage
    private let turns: BranchTurns
    private let scheduler: TurnScheduler

    /// From now on the processes are held at each place.
    /// - Parameters:
    ///   - processes: The app of each branch, in the order of the block. The agents of devices with a watch link take
    ///     turns beside them.
    ///   - kill: Kills the process that plays an app or the agent of a device now (SIGKILL), and returns when it is
    ///     gone, with an agent also the apps of the device; without it no turn of the plan may be a death.
    /// - Throws: ``LabFailure`` if an app does not run on this host; `InstanceError` if the instance is given turns
    ///   already, or there are too many processes.
    package init(
        _ processes: [String], in instance: InstanceConnection, plan: TurnScheduler.Plan,
        kill: @escaping @Sendable (String) throws -> Void = { throw LabFailure("`\($0)` is not killed in this block.") }
    ) throws {
        let here = Set(instance.host.devices.flatMap(\.apps).map(\.name))
        if let far = processes.first(where: { !here.contains($0) }) {
            throw LabFailure("`\(far)` runs \(HostRole.elsewhere), and turns are given on this one only")
        }
        page = instance.faults.turns
        let topology = instance.manifest.topology
        let agents = topology.linkedDevices.map(\.name).filter(instance.host.plays)
        try page.begin(processes + agents)
        let turns = BranchTurns(page: page, processes: processes)
        self.turns = turns
        scheduler = TurnScheduler(
            turns: page, processes: processes, agents: agents,
            unseen: Set(topology.apps.filter { $0.own != nil }.map(\.name)),
            pid: { name in
                let isAgent = agents.contains(name)
                return (isAgent ? instance.parts.process(of: .agent(name)) : instance.watch(of: .peer(name)))?.pid
            },
            kill: { process in
                let apps = topology.device(named: process)?.apps.map(\.name) ?? []
                let ended = Set([process] + apps)
                for process in ended { turns.noteDeath(of: process) }
                try kill(process)
                return ended
            }, plan: plan)
    }

    /// Holds the thread of a branch until its process has the first turn.
    /// - Parameter index: The number of the branch, from 0.
    package func begin(_ index: Int) { turns.begin(index) }

    /// Notes that something is done for a branch, in the turn of its process, which may touch anything.
    /// - Parameter index: The number of the branch, from 0.
    package func touchEverything(_ index: Int) { turns.touchEverything(index) }

    /// Ends the last turn of a branch's process. Returns at once.
    /// - Parameter index: The number of the branch, from 0.
    package func end(_ index: Int) { turns.end(index) }

    /// Notes that a device has not done what a branch asked it for. If an order has killed the device, the branch ends
    /// as if its own process had been killed.
    /// - Parameter index: The number of the branch, from 0.
    package func noteRefusal(of device: String, to index: Int) { turns.noteRefusal(of: device, to: index) }

    /// Whether the process of a branch, or a device that it needs, was killed before the branch had finished. After its
    /// end that does not change.
    /// - Parameter index: The number of the branch, from 0.
    package func isKilled(_ index: Int) -> Bool { turns.isKilled(index) }

    /// Gives turns until all branches have ended or a problem arises; then no process is held any longer.
    /// - Parameter onTurn: Called with each turn and its number in the order, from 1, right before its process continues.
    package func giveTurns(
        onTurn: (Turn, Int) -> Void = { _, _ in }
    ) -> (choices: [TurnChoice], problem: TurnScheduler.Problem?) {
        let outcome = scheduler.run(isFinished: turns.isFinished, onTurn: onTurn)
        // What is still held, or will be, must not prevent the branches from ending.
        page.end()
        return outcome
    }
}

/// The begins and ends of branches whose processes take turns.
///
/// Thread rule: any thread.
private final class BranchTurns: Sendable {
    private let page: TurnPage
    private let processes: [String]
    private let ends = Mutex(Ends())

    private struct Ends {
        var finished: Set<String> = []
        /// The processes that were killed before their branches had finished, or need a device that was killed.
        var killed: Set<String> = []
    }

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
        ends.withLock { _ = $0.finished.insert(processes[index]) }
        page.wake()
    }

    /// Ends a branch that needs a device, if that was killed.
    func noteRefusal(of device: String, to index: Int) {
        ends.withLock { ends in
            guard ends.killed.contains(device) else { return }
            ends.killed.insert(processes[index])
        }
    }

    /// Notes that a process is about to be killed, which ends its branch.
    func noteDeath(of process: String) {
        ends.withLock { ends in
            guard !ends.finished.contains(process) else { return }
            ends.killed.insert(process)
        }
    }

    func isFinished(_ process: String) -> Bool { ends.withLock { $0.finished.contains(process) } }

    func isKilled(_ index: Int) -> Bool { ends.withLock { $0.killed.contains(processes[index]) } }
}
