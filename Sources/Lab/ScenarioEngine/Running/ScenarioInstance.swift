// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabSystem
import ScenarioLanguage

/// The instance of a scenario: made for its run, and ended with it unless a person keeps it.
///
/// Thread rule: any thread. Every call may block.
struct ScenarioInstance: Sendable {
    /// The events of its processes, as far as the steps wait for them.
    package let events: TraceBoard
    private let instance: LabInstance
    private let keep: @Sendable (LabInstance) -> Void

    /// Creates the instance; starts nothing.
    init(of scenario: Scenario, seed: UInt64, directory: String, setting: ScenarioRun.Setting) throws {
        instance = try LabInstance(
            topology: scenario.topology, runDirectory: directory, seed: seed, executables: setting.executables,
            labFile: setting.labFile)
        events = try TraceBoard(directory: instance.manifest.tracesDirectory, keeping: scenario.awaitedEvents)
        keep = setting.keep
    }

    package var connection: InstanceConnection { instance.connection }

    /// How long each app took from being spawned to its first answer, in nanoseconds.
    package var launchTimes: [String: UInt64] { instance.launchTimes }

    /// Starts its processes; after an error it must still be ended.
    package func start() throws { try instance.start() }

    /// Starts those processes that ran at the end of a shared set-up, with its state; after an error it must still be ended.
    func start(from setup: SharedSetup) throws { try setup.start(instance) }

    /// Stops following it. The caller ends it.
    func handOver() -> LabInstance {
        events.stop()
        return instance
    }

    /// Kills every process at once, and ends all waits, also those of a tear-down. `end` must still be called.
    package func kill() {
        instance.kill()
        events.endWaits(in: connection)
    }

    /// Ends it, or hands it over to the person who keeps it.
    /// - Returns: What was left behind, one sentence each.
    package func end(isKept: Bool) -> [String] {
        defer { events.stop() }
        guard isKept else { return instance.stop() }
        keep(instance)
        return []
    }
}

extension TraceBoard {
    /// Ends the waits of all steps in an instance, for events and for answers.
    func endWaits(in instance: InstanceConnection) {
        wakeAll()
        instance.clients.interrupt()
    }
}
