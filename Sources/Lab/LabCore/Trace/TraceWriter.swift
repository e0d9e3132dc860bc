// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
public import LabPoints
import LabSystem

/// Writes what happens in a process to a file of its own, `<process>#<incarnation>.jsonl`.
///
/// Each event is one line and one `write`, so that a process killed at any moment leaves a readable file and
/// a follower sees events as they happen.
///
/// Thread rule: any thread.
public final class TraceWriter: Sendable {
    /// The file.
    public let path: String
    private let file: FileDescriptor
    private let origin: [UInt8]

    /// Opens the trace of an incarnation; makes the directory if it is missing.
    ///
    /// - Parameters:
    ///   - directory: where all traces of the run lie.
    ///   - process: the actor name.
    ///   - incarnation: from `Incarnations.next`.
    public init(directory: String, process: String, incarnation: Int) throws {
        try Files.createDirectory(directory)
        path = "\(directory)/\(process)#\(incarnation).jsonl"
        file = try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_APPEND)
        var origin = Array(#","p":"#.utf8)
        JSONValue.append("\(process)#\(incarnation)", to: &origin)
        origin.append(contentsOf: #","e":"#.utf8)
        self.origin = origin
    }

    /// Records an event of this incarnation that was observed elsewhere, with its own time.
    public func copy(_ event: TraceEvent) {
        let line = event.json.encoded() + Data("\n".utf8)
        _ = line.withUnsafeBytes { try? file.write($0) }
    }

    /// Records an event, stamped with the present monotonic time.
    ///
    /// A full disk loses the event and nothing else: a trace must not change what it watches.
    ///
    /// - Parameters:
    ///   - operation: the id of the operation (such as a scenario step) that caused it.
    ///   - fields: details; never secrets of users.
    public func emit(_ event: TraceEventName, operation: String? = nil, _ fields: [String: JSONValue] = [:]) {
        var line: [UInt8] = []
        line.reserveCapacity(256)
        line.append(contentsOf: #"{"t":"#.utf8)
        line.append(contentsOf: String(MonotonicClock.nanoseconds()).utf8)
        line.append(contentsOf: origin)
        JSONValue.append(event.rawValue, to: &line)
        if let operation {
            line.append(contentsOf: #","op":"#.utf8)
            JSONValue.append(operation, to: &line)
        }
        if !fields.isEmpty {
            line.append(contentsOf: #","f":"#.utf8)
            JSONValue.object(fields).append(to: &line)
        }
        line.append(contentsOf: "}\n".utf8)
        _ = line.withUnsafeBytes { try? file.write($0) }
    }
}
