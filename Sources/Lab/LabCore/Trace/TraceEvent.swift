// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabPoints

/// One line of a trace file.
public struct TraceEvent: Hashable, Sendable {
    /// When, on `MonotonicClock`: one order for all processes of the machine.
    public let time: UInt64
    /// The process's actor name, e.g. `main`.
    public let process: String
    /// Which start of that process, from 1.
    public let incarnation: Int
    /// What happened.
    public let name: TraceEventName
    /// The id of the operation (such as a scenario step) that caused it.
    public let operation: String?
    /// Details.
    public let fields: [String: JSONValue]

    /// Makes an event, for example of a history that a test writes.
    ///
    /// - Parameters:
    ///   - time: On `MonotonicClock`, in nanoseconds.
    ///   - process: The actor name of the process.
    ///   - incarnation: Which start of that process, from 1.
    ///   - name: What happened.
    ///   - operation: What caused it.
    ///   - fields: Details.
    public init(
        time: UInt64, process: String, incarnation: Int = 1, name: TraceEventName, operation: String? = nil,
        fields: [String: JSONValue] = [:]
    ) {
        self.time = time
        self.process = process
        self.incarnation = incarnation
        self.name = name
        self.operation = operation
        self.fields = fields
    }

    /// The event in a line of a trace file; nil when the line is not one.
    init?(line: Data) {
        guard let object = try? JSONValue.parse(line) else { return nil }
        self.init(json: object)
    }

    /// Reads the object of such a line; nil if it is not an event.
    public init?(json object: JSONValue) {
        guard let time = object["t"]?.integerValue, time >= 0,
            let origin = object["p"]?.stringValue, let separator = origin.lastIndex(of: "#"),
            let incarnation = Int(origin[origin.index(after: separator)...]),
            let name = object["e"]?.stringValue.flatMap(TraceEventName.init(rawValue:))
        else { return nil }
        self.time = UInt64(time)
        process = String(origin[..<separator])
        self.incarnation = incarnation
        self.name = name
        operation = object["op"]?.stringValue
        fields = object["f"]?.objectValue ?? [:]
    }

    /// The object of the event's line.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "t": .integer(Int64(clamping: time)), "p": .string("\(process)#\(incarnation)"),
            "e": .string(name.rawValue),
        ]
        members["op"] = operation.map { .string($0) }
        if !fields.isEmpty { members["f"] = .object(fields) }
        return .object(members)
    }
}
