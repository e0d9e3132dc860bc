import Foundation
import LabKit
import LabSystem
import Synchronization

/// The record of a run: one JSON line per event, each written with one `write` before the step continues, so that the
/// record of a run killed at any moment is readable.
///
/// Thread rule: any thread; lines of concurrent branches never mix, because the file is opened for appending and each
/// line is one write.
final class History: Sendable {
    /// The file in the directory of a scenario, of a Swift test, or of steps in a running instance.
    static let fileName = "history.jsonl"

    private let file: FileDescriptor
    private let path: String
    private let redactor: Redactor
    private let firstFailure = Mutex<String?>(nil)

    /// Opens the history of a directory, which exists; makes the file if it is missing.
    init(in directory: String, redactor: Redactor) throws {
        path = "\(directory)/\(Self.fileName)"
        file = try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_APPEND)
        self.redactor = redactor
    }

    /// Adds an event, stamped with the present time.
    ///
    /// - Parameters:
    ///   - fact: What happened; secrets are masked.
    ///   - step: The step's number; empty outside of steps.
    func record(_ fact: HistoryEvent.Fact, step: String = "") {
        let event = HistoryEvent(time: MonotonicClock.nanoseconds(), step: step.isEmpty ? nil : step, fact)
        do {
            var members = try JSONValue(encoding: event).objectValue ?? [:]
            for (key, value) in members where HistoryEvent.CodingKeys(rawValue: key) == nil {
                members[key] = redactor.redact(value)
            }
            try file.writeAll(JSONValue.object(members).encoded() + Data("\n".utf8))
        } catch {
            let reason = (error as? SystemError)?.sentence ?? "\(error)"
            firstFailure.withLock { $0 = $0 ?? "the record \(path) is not complete: \(reason)" }
        }
    }

    /// Why the record is incomplete, for example because the disk is full; nil if complete.
    var failure: String? { firstFailure.withLock { $0 } }

    /// Reads a history.
    ///
    /// - Parameter directory: absolute path; empty if the scenario did not run.
    /// - Returns: nil if nothing is recorded.
    static func read(in directory: String) -> [HistoryEvent]? {
        guard !directory.isEmpty, let data = try? Files.read("\(directory)/\(fileName)") else { return nil }
        return events(of: data)
    }

    /// The events in the content of a file.
    static func events(of data: Data) -> [HistoryEvent] {
        data.split(separator: 0x0A).compactMap(HistoryEvent.init(line:))
    }
}
