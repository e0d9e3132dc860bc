// SPDX-License-Identifier: Apache-2.0

import LabCore
import ScenarioLanguage
import Synchronization

/// The set-ups that the rows of tables share in a run. Each is carried out once for a seed, in an instance of its own, by
/// the first row that needs it; the others wait for it and begin with the same state.
///
/// Thread rule: any thread. A state is removed with the last row that uses it, or with this object.
package final class SharedSetups: Sendable {
    /// What a row begins with.
    enum Start {
        case state(SharedSetup)
        /// The row has carried the set-up out, and this is its result: it did not pass.
        case failed(ScenarioResult)
        /// The set-up did not pass for another row; the reason in a sentence.
        case unavailable(String)
    }

    private enum Outcome {
        case state(SharedSetup)
        case failed(row: String)
    }

    /// The set-up of a table with a seed; its outcome is nil before it was carried out.
    private final class Slot: Sendable {
        let seed: UInt64
        let outcome = Mutex<Outcome?>(nil)

        init(seed: UInt64) { self.seed = seed }
    }

    /// The folder of the records of set-ups, in the directory of the run.
    package static let folder = "shared-setups"

    private let directory: String
    private let labVersion: String
    private let state = Mutex(State())

    private struct State {
        /// By the identifiers of the tables. A later round of a table, with another seed, replaces the earlier one, whose
        /// rows that are still played keep their state.
        var slots: [String: Slot] = [:]
        var count = 0
    }

    /// The set-ups of a run.
    /// - Parameters:
    ///   - directory: Absolute path of the directory of the run, for their records.
    ///   - labVersion: The version of this lab.
    package init(recordedIn directory: String, labVersion: String) {
        self.directory = directory
        self.labVersion = labVersion
    }

    /// The state that a row begins with. Blocks while the set-up is carried out.
    /// - Parameters:
    ///   - setting: That of the row.
    ///   - interruption: Ends the set-up.
    func start(
        of scenario: Scenario, seed: UInt64, setting: ScenarioRun.Setting, interruption: Interruption
    ) -> Start {
        let slot = state.withLock { state in
            if let slot = state.slots[scenario.table], slot.seed == seed { return slot }
            let slot = Slot(seed: seed)
            state.slots[scenario.table] = slot
            return slot
        }
        // The lock is held while the set-up is carried out: the other rows wait for it here.
        return slot.outcome.withLock { outcome -> Start in
            switch outcome {
            case .state(let state)?: return .state(state)
            case .failed(let row)?:
                return .unavailable("the set-up that it shares with \(row) did not pass; the reason is there")
            case nil: break
            }
            let (result, state) = perform(scenario, seed: seed, setting: setting, interruption: interruption)
            guard let state else {
                outcome = .failed(row: scenario.id)
                return .failed(result)
            }
            outcome = .state(state)
            return .state(state)
        }
    }

    private func perform(
        _ scenario: Scenario, seed: UInt64, setting: ScenarioRun.Setting, interruption: Interruption
    ) -> (ScenarioResult, SharedSetup?) {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let record = "\(Self.folder)/\(number)"
        var setting = setting
        // It is about a block of the steps.
        setting.explored = nil
        do {
            let run = try ScenarioRun(
                scenario, seed: seed, directory: "\(directory)/\(record)", setting: setting,
                interruption: interruption)
            return run.prepare(record: record, labVersion: labVersion)
        } catch {
            let result = ScenarioResult(
                unstarted: scenario, because: "\(error)", seed: seed, labOption: setting.labOption, directory: "")
            return (result, nil)
        }
    }
}

/// What a shared set-up has left: the state of its instance, and what the run knows from its steps.
///
/// The processes of its instance have ended. The instance exists for its snapshot, so that the snapshot is removed with
/// it, also after the run was killed.
///
/// Thread rule: any thread.
final class SharedSetup: Sendable {
    /// What the run of the set-up knows at its end.
    struct Knowledge: Sendable {
        /// The values that its steps have kept, beside those known before.
        let bindings: Bindings
        /// The texts to mask.
        let secrets: Set<String>
        /// The faults that its steps have armed.
        let faults: [ArmedFault]
        /// The steps whose `when` did not hold; their texts may show secrets.
        let skipped: [SkippedStep]
        /// Its events that show which activations the apps have stored.
        let storedStates: [TraceEvent]
        /// The directory of its record, relative to that of the run.
        let record: String
    }

    /// The name of the snapshot, which traces show when a row begins with it.
    static let name = "shared-set-up"

    let knowledge: Knowledge
    private let instance: LabInstance
    private let labVersion: String

    /// - Parameter instance: One with a snapshot of this ``name`` and without processes, which this object ends.
    init(_ knowledge: Knowledge, in instance: LabInstance, labVersion: String) {
        self.knowledge = knowledge
        self.instance = instance
        self.labVersion = labVersion
    }

    deinit { _ = instance.stop() }

    /// Starts another instance of the same topology with the state.
    /// - Throws: as ``InstanceSnapshots/restore(_:from:)``; the instance must still be stopped.
    func start(_ other: LabInstance) throws {
        try other.start(from: Self.name, in: instance.layout.snapshotsDirectory, labVersion: labVersion)
    }
}
