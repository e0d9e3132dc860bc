internal import Foundation
internal import LabKit
internal import LabSystem
internal import Synchronization

/// The record of a run: one JSON line per event, each written with one `write` before the step continues, so that the
/// record of a run killed at any moment is readable.
///
/// Thread rule: any thread; lines of concurrent branches never mix, because the file is opened for appending and each
/// line is one write.
final class History: Sendable {
    private let file: FileDescriptor
    private let path: String
    private let redactor: Redactor
    private let firstFailure = Mutex<String?>(nil)

    init(path: String, redactor: Redactor) throws {
        self.path = path
        file = try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_APPEND)
        self.redactor = redactor
    }

    /// Adds an event.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - step: The step's number.
    ///   - fields: Details; secrets are masked.
    func record(_ event: String, step: String = "", _ fields: [String: JSONValue] = [:]) {
        var object = fields.mapValues(redactor.redact)
        object["e"] = .string(event)
        object["t"] = .integer(Int64(MonotonicClock.nanoseconds()))
        if !step.isEmpty { object["step"] = .string(step) }
        var line = JSONValue.object(object).encoded()
        line.append(0x0A)
        do {
            try file.writeAll(line)
        } catch {
            let reason = (error as? SystemError)?.sentence ?? "\(error)"
            firstFailure.withLock { $0 = $0 ?? "the record \(path) is not complete: \(reason)" }
        }
    }

    /// Why the record is incomplete, for example because the disk is full; nil if complete.
    var failure: String? { firstFailure.withLock { $0 } }
}
