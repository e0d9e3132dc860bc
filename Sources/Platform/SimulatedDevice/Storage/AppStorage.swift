import Foundation
import LabKit
import LabSystem

/// The device's storage as one app writes to it; refusals are traced.
///
/// Thread rule: any thread.
struct AppStorage: Sendable {
    let disk: DeviceDisk
    let trace: TraceWriter?

    /// Takes the room for a write.
    ///
    /// - Parameter what: What is written, in a word.
    func takeRoom(_ bytes: Int, for what: String) throws(DeviceDisk.Refusal) {
        do {
            try disk.take(bytes: bytes)
        } catch {
            trace?.emit(
                .diskRefused,
                [
                    "what": .string(what), "bytes": .integer(Int64(bytes)), "error": .string(error.rawValue),
                ])
            throw error
        }
    }

    /// Replaces a file in one step.
    func write(_ data: Data, to path: String, for what: String) throws {
        try takeRoom(data.count, for: what)
        try Files.write(data, to: path)
    }
}
