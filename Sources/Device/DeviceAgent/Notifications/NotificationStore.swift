import Foundation
import LabKit
import LabSystem
import SimulatedDevice

/// The notifications of a device on its disk: one small file, replaced by each change.
///
/// Belongs to the agent's thread.
final class NotificationStore {
    private let path: String
    private(set) var record: NotificationCenterRecord

    /// Reads what an earlier agent of the device has left.
    init(layout: InstanceLayout, device: String) throws {
        path = layout.deviceDirectory(device) + "/notifications.json"
        record =
            Files.exists(path)
            ? try CheckedFile.read(at: path)
            : NotificationCenterRecord()
    }

    /// Changes the record.
    func change<T>(_ body: (inout NotificationCenterRecord) throws -> T) throws -> T {
        var changed = record
        let result = try body(&changed)
        if changed != record {
            try CheckedFile.write(changed, to: path)
            record = changed
        }
        return result
    }
}
