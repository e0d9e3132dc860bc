import LabKit

/// What an SDK reports about its work to the system it runs on; the system writes it into the trace of the process.
///
/// The SDKs know these cases only, not the lab: the trace names of an event and its fields are defined here.
public enum AppEvent: Sendable {
    /// A configuration was refused; `limit` and `actual` where the cause is a length.
    case configurationRejected(cause: String, message: String, limit: Int?, actual: Int?)
    /// A configuration was taken, but lacks something that makes answers sure.
    case configurationIncomplete(cause: String, message: String)
    /// The session's state was read; `activationId` is nil without an activation, `counter` is the change counter of a
    /// shared session.
    case stateLoaded(activationId: String?, counter: UInt64?)
    /// The session's state was written; `activationId` and `counter` as above.
    case stateSaved(bytes: Int, activationId: String?, counter: UInt64?)
    /// The session's state was removed.
    case stateRemoved
    /// The change counter of a shared session was raised to a value.
    case counterBumped(UInt64)
    /// A counter was used for a signature.
    case counterUsed(counter: String, activationId: String, factor: String)
    /// A lock of a shared session is being waited for.
    case lockRequested(SharedLockKind)
    /// A lock of a shared session was taken.
    case lockTaken(SharedLockKind)
    /// A lock of a shared session was released.
    case lockReleased(SharedLockKind)
    /// An operation that excludes other apps began.
    case operationStarted(type: String, application: String)
    /// An operation that excludes other apps ended.
    case operationFinished(type: String, application: String)
    /// Shared memory was made.
    case memoryCreated(name: String)
    /// Shared memory was opened.
    case memoryOpened(name: String)
    /// Damage that a dead or foreign process left in shared memory was repaired.
    case memoryRepaired(name: String, cause: MemoryDamage)
    /// A token was stored.
    case tokenStored(name: String)
    /// A token was removed.
    case tokenRemoved(name: String)
    /// An HTTP request is sent.
    case httpRequest(method: String, path: String)
    /// An HTTP response arrived.
    case httpResponse(status: Int, path: String)
    /// An HTTP exchange failed.
    case httpFailed(error: String, path: String)

    /// The locks of a shared session that an event can be about (sharing.md, section 6).
    public enum SharedLockKind: String, Sendable {
        /// Held for one task.
        case status
        /// Held for one signed request.
        case queue
        /// Held for a critical operation; only ever tried.
        case operation
    }

    /// What can be wrong with shared memory.
    public enum MemoryDamage: String, Sendable {
        /// Memory without a size: its creator died right after the name was made, or another process has truncated it
        /// (sharing.md, D11).
        case noSize
        /// Memory without content: its creator died before the content was complete (sharing.md, D11).
        case noContent
        /// Memory that is in use, but whose name was removed: a process that starts later would make another.
        case noName
        /// An operation whose owner has died (sharing.md, D1).
        case deadOwner
    }
}

extension AppEvent {
    /// How the trace names the event.
    var name: TraceEventName {
        switch self {
        case .configurationRejected: .configurationRejected
        case .configurationIncomplete: .configurationIncomplete
        case .stateLoaded: .stateLoaded
        case .stateSaved: .stateSaved
        case .stateRemoved: .stateRemoved
        case .counterBumped: .counterBumped
        case .counterUsed: .counterUsed
        case .lockRequested: .lockRequested
        case .lockTaken: .lockTaken
        case .lockReleased: .lockReleased
        case .operationStarted: .operationStarted
        case .operationFinished: .operationFinished
        case .memoryCreated: .memoryCreated
        case .memoryOpened: .memoryOpened
        case .memoryRepaired: .memoryRepaired
        case .tokenStored: .tokenStored
        case .tokenRemoved: .tokenRemoved
        case .httpRequest: .httpRequest
        case .httpResponse: .httpResponse
        case .httpFailed: .httpFailed
        }
    }

    /// The details of the event, as the trace spells them.
    var fields: [String: JSONValue] {
        switch self {
        case .configurationRejected(let cause, let message, let limit, let actual):
            var fields: [String: JSONValue] = ["cause": .string(cause), "message": .string(message)]
            fields["limit"] = limit.map { .integer(Int64($0)) }
            fields["actual"] = actual.map { .integer(Int64($0)) }
            return fields
        case .configurationIncomplete(let cause, let message):
            return ["cause": .string(cause), "message": .string(message)]
        case .stateLoaded(let activationId, let counter):
            var fields: [String: JSONValue] = ["activation": .bool(activationId != nil)]
            fields["activationId"] = activationId.map { .string($0) }
            fields["counter"] = counter.map(Self.number)
            return fields
        case .stateSaved(let bytes, let activationId, let counter):
            var fields: [String: JSONValue] = ["bytes": .integer(Int64(bytes))]
            fields["activationId"] = activationId.map { .string($0) }
            fields["counter"] = counter.map(Self.number)
            return fields
        case .stateRemoved:
            return [:]
        case .counterBumped(let counter):
            return ["counter": Self.number(counter)]
        case .counterUsed(let counter, let activationId, let factor):
            return [
                "counter": .string(counter), "activationId": .string(activationId), "factor": .string(factor),
            ]
        case .lockRequested(let lock), .lockTaken(let lock), .lockReleased(let lock):
            return ["lock": .string(lock.rawValue)]
        case .operationStarted(let type, let application), .operationFinished(let type, let application):
            return ["type": .string(type), "application": .string(application)]
        case .memoryCreated(let name), .memoryOpened(let name), .tokenStored(let name), .tokenRemoved(let name):
            return ["name": .string(name)]
        case .memoryRepaired(let name, let cause):
            return ["name": .string(name), "cause": .string(cause.rawValue)]
        case .httpRequest(let method, let path):
            return ["method": .string(method), "path": .string(path)]
        case .httpResponse(let status, let path):
            return ["status": .integer(Int64(status)), "path": .string(path)]
        case .httpFailed(let error, let path):
            return ["error": .string(error), "path": .string(path)]
        }
    }

    private static func number(_ counter: UInt64) -> JSONValue { .integer(Int64(clamping: counter)) }
}
