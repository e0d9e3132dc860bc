// SPDX-License-Identifier: Apache-2.0

public import LabCore
import Synchronization

/// A command on its way to a process of the lab.
public struct ControlRequest: Hashable, Sendable {
    /// Ties the reply to the request; unique in the sending process.
    public let id: UInt64
    /// The operation (such as a scenario step) the command belongs to; repeated in trace events.
    public let operation: String?
    /// Whom the command is about when the receiver serves several: an app or a link of an agent.
    public let actor: String?
    /// The command's name in the vocabulary.
    public let command: String
    /// Its arguments, a mapping.
    public let arguments: JSONValue

    private static let lastID = Atomic<UInt64>(0)

    /// Makes a request with a new id.
    public init(
        command: String, arguments: JSONValue = .object([:]), actor: String? = nil, operation: String? = nil
    ) {
        id = Self.lastID.add(1, ordering: .relaxed).newValue
        self.operation = operation
        self.actor = actor
        self.command = command
        self.arguments = arguments
    }

    /// The message as it travels.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .integer(Int64(bitPattern: id)), "command": .string(command), "arguments": arguments,
        ]
        members["operation"] = operation.map { .string($0) }
        members["actor"] = actor.map { .string($0) }
        return .object(members)
    }

    /// Reads a message, or throws `badRequest` with the reason.
    init(json: JSONValue) throws(ControlError) {
        guard case .object(let members) = json else { throw .badRequest("the message is not a JSON object") }
        guard let id = members["id"]?.integerValue else { throw .badRequest("'id' must be an integer") }
        guard let command = members["command"]?.stringValue else { throw .badRequest("'command' must be a text") }
        for key in ["operation", "actor"] {
            if let value = members[key], value.stringValue == nil, !value.isNull {
                throw .badRequest("'\(key)' must be a text")
            }
        }
        let arguments = members["arguments"] ?? .object([:])
        guard arguments.objectValue != nil else { throw .badRequest("'arguments' must be an object") }
        self.id = UInt64(bitPattern: id)
        self.operation = members["operation"]?.stringValue
        self.actor = members["actor"]?.stringValue
        self.command = command
        self.arguments = arguments
    }
}

/// The answer to a command: a result or an error.
public struct ControlReply: Hashable, Sendable {
    /// The id of the request.
    public let id: UInt64
    /// The result; `null` for commands without one, nil when the command failed.
    public let result: JSONValue?
    /// Why the command failed.
    public let error: ControlError?
    /// Which incarnation of the process answered.
    public let incarnation: Int?
    /// How long the process worked on it, in nanoseconds: without the time for which the request waited there, where the
    /// process knows it.
    public let handlingNanoseconds: UInt64?

    /// The result.
    /// - Throws: the `ControlError` of a command that failed.
    public func get() throws(ControlError) -> JSONValue {
        if let error { throw error }
        return result ?? .null
    }

    init(id: UInt64, outcome: Result<JSONValue, ControlError>, incarnation: Int?, handlingNanoseconds: UInt64?) {
        self.id = id
        switch outcome {
        case .success(let value): (result, error) = (value, nil)
        case .failure(let failure): (result, error) = (nil, failure)
        }
        self.incarnation = incarnation
        self.handlingNanoseconds = handlingNanoseconds
    }

    /// The message as it travels.
    var json: JSONValue {
        var members: [String: JSONValue] = ["id": .integer(Int64(bitPattern: id))]
        members["result"] = result
        members["error"] = error?.json
        members["incarnation"] = incarnation.map { .integer(Int64($0)) }
        members["handlingNanoseconds"] = handlingNanoseconds.map { .integer(Int64(clamping: $0)) }
        return .object(members)
    }

    /// Reads a message; nil when it is not a reply.
    init?(json: JSONValue) {
        guard let id = json["id"]?.integerValue else { return nil }
        self.id = UInt64(bitPattern: id)
        error = json["error"].map { ControlError(json: $0) }
        // In one expression `nil` would be the JSON value null.
        if error == nil { result = json["result"] ?? .null } else { result = nil }
        incarnation = json["incarnation"]?.integerValue.flatMap { Int(exactly: $0) }
        handlingNanoseconds = json["handlingNanoseconds"]?.integerValue.map { UInt64(clamping: $0) }
    }
}
