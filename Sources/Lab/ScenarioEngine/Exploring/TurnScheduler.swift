// SPDX-License-Identifier: Apache-2.0

package import LabCore
import LabPoints
import LabSystem

/// Gives the processes of a block their turns: one of them runs while the others are held at their places.
///
/// A turn ends when its process comes to the next fault point, has ended its branch, waits for a file lock that another
/// process of the block holds, as the kernel lists it, or waits for an agent that is held. The agents of devices take
/// turns, too, while they have something to do: then they come to fault points. An agent without anything to do is idle,
/// as the page of turns shows. The next turn is given only when all stand still. The turn of a process that dies ends
/// when the process is gone, its branch has ended, and the others stand still: one of them may have got a lock of the
/// dead process. With an agent its device dies, and with that its apps.
///
/// Thread rule: `run` is called once, on a thread that may block.
package final class TurnScheduler: Sendable {
    /// The turns that are given.
    package enum Plan: Sendable {
        /// These first; then the process of the last turn continues while it can, else the first one that can.
        case beginning([Turn])
        /// These, and no others.
        case exact([Turn])
        /// Those that a draw chooses. No process dies.
        case drawn(DrawnOrder)

        /// The turns that are known before the first one is given.
        var turns: [Turn] {
            switch self {
            case .beginning(let turns), .exact(let turns): turns
            case .drawn: []
            }
        }

        fileprivate func draw(among processes: [String]) -> DrawnTurns? {
            if case .drawn(let order) = self { DrawnTurns(order, of: processes) } else { nil }
        }
    }

    /// Why no further turn was given.
    package enum Problem: Error, Equatable, Sendable {
        /// The process of a planned turn is not held at its place; `enabled` are the processes that are held, with
        /// their places.
        case notReached(Turn, enabled: [Turn])
        /// No process can go on: the process for whose lock each one waits.
        case stuck([String: String])
        /// A process did not end its turn within the bound.
        case outOfControl(process: String, waitsFor: String)
        /// All turns of an exact plan were given, and a process is still held.
        case unplanned(Turn)
        /// The process of a turn could not be killed; the reason in a sentence.
        case notKilled(Turn, reason: String)
    }

    /// How long a turn may take, in real time: longer than a `waitFor` and an `eventually` of the usual length, whose end
    /// says more.
    package static let bound = LabDuration.seconds(8).stretched
    /// How long all processes wait for locks, or one waits for a process that has ended its branch, in real time, before
    /// those that wait count as unable to continue: a process that has ended its branch may be about to release a lock.
    /// For as long nothing happens, while an agent is held, before a branch counts as waiting for it that does not say so:
    /// it may wait for what only the agent brings. So may a branch for a thread of its app that is held.
    private static let patience = LabDuration.milliseconds(250).stretched
    /// The time between two looks at the kernel's locks, and the shortest one for which a wait has to last.
    private static let look = LabDuration.milliseconds(1)

    private let turns: TurnPage
    private let processes: [String]
    private let agents: [String]
    private let unseen: Set<String>
    private let pid: @Sendable (String) -> Int32?
    private let kill: @Sendable (String) throws -> Set<String>
    private let plan: Plan
    private let bound: LabDuration

    /// A scheduler of turns that have begun (`TurnPage.begin`).
    /// - Parameters:
    ///   - processes: One for each branch, in the order of the block.
    ///   - agents: The devices whose agents take turns, too.
    ///   - unseen: The processes that may keep what nothing notes: programs of users.
    ///   - pid: The process that plays an app or an agent now; nil if it is not known.
    ///   - kill: Kills the process that plays an app or an agent now (SIGKILL), and returns when it is gone, so that
    ///     its locks are free. Afterwards its branch ends. Returns all that have ended: with an agent also the apps of
    ///     its device.
    ///   - bound: How long a turn may take, in real time.
    init(
        turns: TurnPage, processes: [String], agents: [String] = [], unseen: Set<String> = [],
        pid: @escaping @Sendable (String) -> Int32?, kill: @escaping @Sendable (String) throws -> Set<String>,
        plan: Plan, bound: LabDuration = TurnScheduler.bound
    ) {
        self.turns = turns
        self.processes = processes
        self.agents = agents
        self.unseen = unseen
        self.pid = pid
        self.kill = kill
        self.plan = plan
        self.bound = bound
    }

    /// Gives turns until all branches have ended or a problem arises; then the processes are still held.
    /// - Parameters:
    ///   - isFinished: Whether the branch of a process has ended; `TurnPage.wake` announces each end.
    ///   - onTurn: Called with each turn and its number in the order, from 1, right before its process continues.
    func run(
        isFinished: (String) -> Bool, onTurn: (Turn, Int) -> Void = { _, _ in }
    ) -> (choices: [TurnChoice], problem: Problem?) {
        var given = GivenTurns()
        var draw = plan.draw(among: processes + agents)
        var begun: Set<String> = []
        do throws(Problem) {
            while let enabled = try settled(isFinished, begun: &begun, dead: given.dead) {
                given.touched.formUnion(turns.takeFootprint())
                let planned = plan.turns.dropFirst(given.choices.count).first
                if let planned, Self.index(of: planned, among: enabled) == nil {
                    let isFinished = isFinished(planned.process)
                    if Self.isRelease(planned), isFinished || !planned.dies {
                        if isFinished { try give(planned, dead: &given.dead) }
                        given.append(TurnChoice(enabled: enabled + [planned], chosen: enabled.count))
                        continue
                    }
                    if enabled.contains(where: { $0.process == planned.process && Self.isRelease($0) }) {
                        turns.grant(planned.process)
                        continue
                    }
                }
                let chosen = try choose(among: enabled, after: given.choices, drawing: &draw)
                let choice =
                    if let planned, planned.dies {
                        TurnChoice(enabled: enabled + [planned], chosen: enabled.count)
                    } else {
                        TurnChoice(enabled: enabled, chosen: chosen)
                    }
                onTurn(choice.turn, given.choices.count + 1)
                try give(choice.turn, dead: &given.dead)
                given.append(choice)
                if unseen.contains(choice.turn.process) { given.touched.write(.own) }
            }
            given.touched.formUnion(turns.takeFootprint())
            let rest = plan.turns.dropFirst(given.choices.count)
            if let missed = rest.first(where: { !mayBeMissing($0) }) { throw .notReached(missed, enabled: []) }
            for turn in rest where Self.isRelease(turn) {
                try give(turn, dead: &given.dead)
                given.append(TurnChoice(enabled: [turn], chosen: 0))
            }
            given.close()
            return (given.choices, nil)
        } catch {
            return (given.choices, error)
        }
    }

    /// The choices so far, and what was touched since the last one. What is touched before the first is the same in every
    /// order; for the last one of an order that ended early it is not known.
    private struct GivenTurns {
        private(set) var choices: [TurnChoice] = []
        /// The processes that were killed.
        var dead: Set<String> = []
        var touched = Footprint()

        mutating func append(_ choice: TurnChoice) {
            close()
            choices.append(choice)
        }

        mutating func close() {
            if !choices.isEmpty { choices[choices.count - 1].footprint = touched }
            touched = Footprint()
        }
    }

    private func choose(
        among enabled: [Turn], after choices: [TurnChoice], drawing draw: inout DrawnTurns?
    ) throws(Problem) -> Int {
        if choices.count < plan.turns.count {
            let turn = plan.turns[choices.count]
            guard let index = Self.index(of: turn, among: enabled) else { throw .notReached(turn, enabled: enabled) }
            return index
        }
        switch plan {
        case .exact:
            if let index = enabled.firstIndex(where: mayBeMissing) { return index }
            // `settled` returns at least one turn.
            throw .unplanned(enabled[0])
        case .beginning:
            // A death is no switch: the process that had its turn before it continues.
            let last = choices.last { !$0.turn.dies }?.turn.process
            return enabled.firstIndex { $0.process == last } ?? 0
        case .drawn: return draw?.next(among: enabled.map(\.process)) ?? 0
        }
    }

    /// Where a process is held at the place of a turn, whether it is to continue or to die there.
    private static func index(of turn: Turn, among enabled: [Turn]) -> Int? {
        enabled.firstIndex { $0.process == turn.process && $0.place == turn.place }
    }

    /// Lets a process continue, or kills it.
    /// - Parameter dead: Gets the processes that have ended.
    private func give(_ turn: Turn, dead: inout Set<String>) throws(Problem) {
        var granted: Set<String> = [turn.process]
        if turn.dies {
            do { granted = try kill(turn.process) } catch { throw .notKilled(turn, reason: "\(error)") }
            for process in granted { turns.forgetTasks(of: process) }
            dead.formUnion(granted)
        }
        // The slot of a dead process must hold nothing: the next process of its app arrives there.
        for process in granted { turns.grant(process) }
    }

    /// Whether a turn may be missing or additional at the end of an order. An agent also sends at times of its own, such as the greeting
    /// over a link that is up again, so it may have more or fewer turns before the last branch ends.
    private func mayBeMissing(_ turn: Turn) -> Bool {
        Self.isRelease(turn) || agents.contains(turn.process) && !turn.dies
    }

    /// Whether a process may come to a place earlier or later: a lock is released while the answer is on its way, so
    /// that the next step, or the end of the branch, may come before or after it. Then the turn decides nothing, and an
    /// order holds with and without it.
    static func isRelease(_ turn: Turn) -> Bool { isRelease(turn.place) }

    private static func isRelease(_ place: String) -> Bool {
        let releases: [FaultPoint] = [.statusLockReleased, .queueLockReleased, .operationLockReleased]
        return releases.contains { $0.rawValue == place }
    }

    /// Waits until all processes stand still.
    /// - Parameter begun: The processes that have come to another place than the release of a lock: one that comes before
    ///   is of an earlier step, and no part of the block.
    /// - Returns: Those that can go on, with their places, agents last; nil when all branches have ended, also if agents
    ///   have something to do.
    private func settled(
        _ isFinished: (String) -> Bool, begun: inout Set<String>, dead: Set<String>
    ) throws(Problem) -> [Turn]? {
        let begin = MonotonicClock.nanoseconds()
        var still: Stillness?
        // The count of changes before the last wait.
        var waited: UInt32?
        while true {
            let seen = turns.changes
            var held: [Turn] = []
            var running: [String] = []
            for process in processes {
                let place = turns.place(of: process).place
                if case .held(let place) = place, !Self.isRelease(place) { begun.insert(process) }
                switch (isFinished(process), place) {
                // What a process does after the end of its branch is no part of the block.
                case (true, .held): turns.grant(process)
                case (true, .running): break
                case (false, .held(let place)) where begun.contains(process):
                    held.append(Turn(process: process, place: place))
                    // What is held may be another thread, which handles news of the device.
                    if !turns.tasks(of: process).isParked(.branch) { running.append(process) }
                // It releases a lock late, for a step before the block.
                case (false, .held):
                    turns.grant(process)
                    running.append(process)
                case (false, .running): running.append(process)
                }
            }
            if running.isEmpty, held.isEmpty { return nil }
            let heldAgents = agents.compactMap { agent -> Turn? in
                guard case .held(let place) = turns.place(of: agent).place else { return nil }
                return Turn(process: agent, place: place)
            }
            held += heldAgents
            let busy = self.busy(but: heldAgents.map(\.process), dead: dead)
            if running.isEmpty, busy == nil {
                // Otherwise the counts of several processes may not belong together.
                guard turns.changes == seen else { continue }
                return held
            }
            // Most turns end before a look at the kernel's locks would, which costs more than they do.
            if seen != waited {
                waited = seen
                turns.waitForChange(since: seen, timeout: Self.look)
                continue
            }
            // A process that has ended or is suspended handles nothing; a suspended one stays held where it is.
            if let busy, let pid = pid(busy) {
                if !ProcessTable.isAlive(pid) {
                    turns.forgetTasks(of: busy)
                    continue
                }
                if ProcessTable.isStopped(pid) {
                    turns.forgetWork(of: busy)
                    continue
                }
            }
            var waits = lockWaits(of: running)
            var isKnown = true
            if busy == nil {
                let others = running.filter { waits[$0] == nil && !dead.contains($0) }
                isKnown = areWaiting(others, forAgents: !heldAgents.isEmpty)
                for process in others {
                    // The answer comes in the turn of an agent, or waits behind what a thread of the process handles.
                    waits[process] = (heldAgents.first ?? held.first { $0.process == process })?.process
                }
            }
            let now = MonotonicClock.nanoseconds()
            let stray = busy ?? running.first { waits[$0] == nil }
            if let doubtful = stray ?? (isKnown ? nil : running.first), now - begin >= UInt64(bound.nanoseconds) {
                throw .outOfControl(
                    process: doubtful,
                    waitsFor: busy == nil
                        ? "something that is neither a fault point nor a lock of another process of the block"
                        : "something while it handles what other processes have given to it")
            }
            if stray != nil {
                still = nil
            } else if let last = still, last.waits == waits, last.changes == seen {
                let mayEnd = held.isEmpty || !isKnown || waits.values.contains(where: isFinished)
                if now - last.since >= UInt64((mayEnd ? Self.patience : Self.look).nanoseconds) {
                    if held.isEmpty { throw .stuck(waits) }
                    return held
                }
            } else {
                still = Stillness(waits: waits, changes: seen, since: now)
            }
            turns.waitForChange(since: seen, timeout: Self.look)
        }
    }

    /// A process that has something to do, and is not held: an agent, or an app with news of its device.
    /// - Parameter heldAgents: What was given to them is handled in their turns.
    private func busy(but heldAgents: [String], dead: Set<String>) -> String? {
        (processes + agents).first { process in
            !dead.contains(process) && !heldAgents.contains(process) && turns.tasks(of: process).isBusy
        }
    }

    /// Whether processes say that they wait for an answer of a device: they themselves, or the runner for their branches.
    /// - Parameter forAgents: Whether an agent is held; otherwise the runner has its answer soon.
    private func areWaiting(_ processes: [String], forAgents: Bool) -> Bool {
        let silent = processes.count { turns.tasks(of: $0).waits == 0 }
        return silent <= (forAgents ? turns.waitsOfBranches : 0)
    }

    /// Processes that all waited for locks or agents, and since when nothing has changed.
    private struct Stillness {
        let waits: [String: String]
        let changes: UInt32
        let since: UInt64
    }

    /// The processes that wait for a lock of another one of the block, with that one.
    private func lockWaits(of running: [String]) -> [String: String] {
        // Before their start the processes may not be known; a list that cannot be read shows no waits.
        guard let waiters = try? ProcessTable.lockWaiters(), !waiters.isEmpty else { return [:] }
        var waits: [String: String] = [:]
        for process in running {
            guard let own = pid(process) else { continue }
            let files = Set(waiters.filter { $0.pid == own }.map(\.file))
            guard !files.isEmpty else { continue }
            waits[process] = processes.first { other in
                guard let holder = pid(other), holder != own else { return false }
                let locks = (try? ProcessTable.heldLocks(by: holder)) ?? []
                return locks.contains { $0.kind == .flock && files.contains($0.file) }
            }
        }
        return waits
    }
}

extension TurnScheduler.Problem: CustomStringConvertible {
    /// What happened, and what the processes do instead.
    package var description: String {
        switch self {
        case .notReached(let turn, let enabled):
            let act = turn.dies ? "be killed at" : "continue from"
            let places = enabled.map { "`\($0.process)` at `\($0.place)`" }
            let instead = places.isEmpty ? "all branches have ended" : "held are \(places.joined(separator: ", "))"
            return "`\(turn.process)` should \(act) `\(turn.place)`, but is not held there; \(instead)"
        case .stuck(let waits):
            let each = waits.sorted { $0.key < $1.key }.map { "`\($0.key)` waits for a lock of `\($0.value)`" }
            return "no process can go on: \(each.joined(separator: ", "))"
        case .outOfControl(let process, let waitsFor):
            return
                "`\(process)` came to no fault point and did not end within \(TurnScheduler.bound): it waits for \(waitsFor)"
        case .unplanned(let turn):
            return "the order has no such turn, but `\(turn.process)` is held at `\(turn.place)`"
        case .notKilled(let turn, let reason):
            return "`\(turn.process)` could not be killed at `\(turn.place)`: \(reason)"
        }
    }
}
