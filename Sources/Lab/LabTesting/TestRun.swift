// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import ScenarioEngine

/// The instance of one test, from the wait for a place on the machine to the proof that nothing is left.
///
/// Thread rule: any thread. Every call may block.
final class TestRun: Sendable {
    let instance: LabInstance
    /// Where traces and logs are; removed with a test that has passed.
    let directory: String
    private let slot: InstanceSlot

    init(_ cast: Lab.Cast, seed: UInt64) throws {
        let (topology, labFile) = try cast.resolve()
        let slot = try InstanceSlot()
        do {
            directory = FileManager.default.temporaryDirectory.appending(path: "palab-test-\(UUID().uuidString)").path
            try Files.createDirectory(directory)
            instance = try LabInstance(
                topology: topology, runDirectory: directory, seed: seed, executables: try Executables.find(),
                labFile: labFile.map(Files.absolute))
        } catch {
            slot.leave()
            throw error
        }
        self.slot = slot
    }

    /// Ends the instance and gives the place back.
    ///
    /// - Parameter hasFailed: Whether the test has failed anyway: a death is most often why, or comes of it.
    /// - Returns: What was left or went wrong, one sentence each.
    func stop(hasFailed: Bool) -> [String] {
        defer { slot.leave() }
        return (hasFailed ? [] : instance.unwantedDeaths) + instance.stop()
    }

    /// Removes what a passed test no longer needs.
    func removeRecords() throws {
        try Files.removeTree(directory)
    }
}
