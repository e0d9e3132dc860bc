// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabSystem
import SimulatedDevice

/// What the system of a device keeps on its disk: one small file, replaced by each change.
///
/// Belongs to the agent's thread.
final class RecordStore<Record: Codable & Equatable> {
    private let path: String
    private(set) var record: Record

    /// Reads what an earlier agent of the device has left.
    /// - Parameters:
    ///   - file: Name of the file in the device's directory.
    ///   - empty: What a new device has.
    init(layout: InstanceLayout, device: String, file: String, empty: Record) throws {
        path = layout.deviceDirectory(device) + "/" + file
        record = Files.exists(path) ? try CheckedFile.read(at: path) : empty
    }

    /// Changes the record, and stores it if it is another one then.
    /// - Throws: What `body` throws, and errors of the disk; the record then stays as it was.
    func change<T>(_ body: (inout Record) throws -> T) throws -> T {
        var changed = record
        let result = try body(&changed)
        if changed != record {
            try CheckedFile.write(changed, to: path)
            record = changed
        }
        return result
    }
}
