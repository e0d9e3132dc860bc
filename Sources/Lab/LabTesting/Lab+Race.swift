// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabReports
import LabSystem
import LabVocabulary
import ScenarioEngine
import ScenarioLanguage
import Synchronization

extension Lab {
    /// Lets apps do something at the same time.
    ///
    /// ```swift
    /// try await lab.race([
    ///     "main": { try await lab.main.call(ValidatePassword { $0.password = "1234" }) },
    ///     "wallet": { try await lab.wallet.call(ValidatePassword { $0.password = "1234" }) },
    /// ])
    /// ```
    ///
    /// In a test that is explored, the apps of its first race take turns: each is held before its branch and at every
    /// fault point, and one continues at a time. The branches of its other races run at the same time. An order with deaths
    /// may kill an app: then what its branch throws is no failure, and the app is launched again before the race returns.
    ///
    /// - Parameter branches: What each of at least two apps does. A branch calls no other app; it may call the server and
    ///   devices.
    /// - Throws: What the first of the branches that throw has thrown, after all have ended; `BadUsage` for fewer
    ///   branches, and for a name that is given twice or belongs to no app; `LabFailure` if a turn cannot be given, or a
    ///   killed app or device cannot be started again.
    public func race(_ branches: KeyValuePairs<String, @Sendable () async throws -> Void>) async throws {
        let names = branches.map(\.key)
        let (turns, restarts) = try await onThread(named: "lab test") { try self.turns(of: names) }
        let errors = await withTaskGroup(of: BranchEnd.self) { group in
            for (index, branch) in branches.enumerated() {
                let work = branch.value
                group.addTask {
                    var error: (any Error)?
                    do {
                        if let turns {
                            await onThread(named: "lab test") { turns.begin(index) }
                            turns.touchEverything(index)
                            try await Lab.$touching.withValue({ turns.touchEverything(index) }, operation: work)
                        } else {
                            try await work()
                        }
                    } catch let thrown {
                        error = thrown
                    }
                    turns?.touchEverything(index)
                    self.noteRefusal(error, to: index, in: turns)
                    turns?.end(index)
                    return BranchEnd(index: index, error: turns?.isKilled(index) == true ? nil : error)
                }
            }
            if let turns {
                let outcome = await onThread(named: "lab test") { turns.giveTurns() }
                explored?.record(outcome.choices, outcome.problem)
            }
            var errors: [Int: any Error] = [:]
            for await ended in group { errors[ended.index] = ended.error }
            return errors
        }
        try report(errors)
        if turns != nil { try await onThread(named: "lab test") { try startAgain(by: restarts) } }
    }

    /// The same with calls that block; see ``race(_:)``.
    public func raceBlocking(_ branches: KeyValuePairs<String, @Sendable () throws -> Void>) throws {
        let (turns, restarts) = try self.turns(of: branches.map(\.key))
        let errors = Mutex<[Int: any Error]>([:])
        let threads = branches.enumerated().map { index, branch in
            let work = branch.value
            return runOnThread(name: "branch \(index + 1)", stackSize: 8 << 20) {
                var error: (any Error)?
                do {
                    if let turns {
                        turns.begin(index)
                        turns.touchEverything(index)
                        try Lab.$touching.withValue({ turns.touchEverything(index) }, operation: work)
                    } else {
                        try work()
                    }
                } catch let thrown {
                    error = thrown
                }
                turns?.touchEverything(index)
                self.noteRefusal(error, to: index, in: turns)
                turns?.end(index)
                if let error, turns?.isKilled(index) != true { errors.withLock { $0[index] = error } }
            }
        }
        if let turns {
            let outcome = turns.giveTurns()
            explored?.record(outcome.choices, outcome.problem)
        }
        for thread in threads { thread.join() }
        try report(errors.withLock { $0 })
        if turns != nil { try startAgain(by: restarts) }
    }

    /// The turns of a race; nil if its branches run at the same time. From now on the apps are held.
    private func turns(of names: [String]) throws -> (TurnBlock?, [String: [Restart]]) {
        guard names.count >= 2 else {
            throw BadUsage(sentence: "a race needs at least two branches, and this one has \(names.count)")
        }
        let apps = instance.manifest.topology.apps.map(\.name)
        for (index, name) in names.enumerated() {
            guard apps.contains(name) else {
                let known = suggestion(for: name, among: apps)
                throw BadUsage(
                    sentence: "each branch of a race belongs to an app, and there is no app `\(name)`\(known)")
            }
            guard !names[..<index].contains(name) else {
                throw BadUsage(sentence: "two branches of the race belong to `\(name)`; give each one to another app")
            }
        }
        guard let explored, explored.begin() else { return (nil, [:]) }
        let connection = instance.connection
        let restarts = try connection.restarts(after: explored.plan, of: names, timeout: ControlClient.patience)
        let block = try TurnBlock(names, in: connection, plan: explored.plan) { [record] process in
            try connection.killInTurn(process) { command, actor in
                _ = try record.call(command, [:], by: actor, timeout: ControlClient.patience)
            }
        }
        return (block, restarts)
    }

    /// Notes that a branch did not reach a device: if the order has killed that, what the branch throws is no failure.
    private func noteRefusal(_ error: (any Error)?, to index: Int, in turns: TurnBlock?) {
        guard let turns, let error = error as? ControlError, error.isDeath || error.labError == .notRunning else {
            return
        }
        for device in instance.manifest.topology.linkedDevices { turns.noteRefusal(of: device.name, to: index) }
    }

    /// Starts the apps and devices that have died in a race that was explored, so that the test finds each of them
    /// running, as it would without the deaths. Blocks.
    private func startAgain(by restarts: [String: [Restart]]) throws {
        let deaths = (explored?.choices.map(\.turn) ?? []).filter(\.dies)
        var failure: LabFailure?
        _ = instance.connection.startAgain(deaths, by: restarts) { restart in
            _ = try record.call(restart.command, [:], by: restart.actor, timeout: ControlClient.patience)
        } onFailure: { death, restart, error in
            failure =
                failure
                ?? LabFailure(
                    "`\(death.process)`, which the order has killed at `\(death.place)`, could not be started again: `\(restart.actor): \(restart.command)` failed: \(error)"
                )
        }
        if let failure { throw failure }
    }

    /// Throws what came of a race, if it did not succeed.
    private func report(_ errors: [Int: any Error]) throws {
        if let explored, let problem = explored.problem {
            throw LabFailure("Turn \(explored.choices.count + 1) of the order could not be given: \(problem).")
        }
        if let first = errors.min(by: { $0.key < $1.key }) { throw first.value }
    }
}

/// How a branch of a race ended.
private struct BranchEnd: Sendable {
    /// From 0.
    let index: Int
    /// Nil if it succeeded, or its app was killed.
    let error: (any Error)?
}
