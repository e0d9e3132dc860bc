// SPDX-License-Identifier: Apache-2.0

import LabCore
public import PowerAuthProtocol

/// An event that the server reports to its observers.
public enum ServerEvent: Sendable {
    /// The server listens; the values are the port and the identifier of the first application.
    case started(port: Int, applicationId: String)
    /// A request has arrived completely.
    case requestReceived(method: String, path: String)
    /// A request was answered.
    case requestAnswered(method: String, path: String, status: Int, milliseconds: Double)
    /// A request was refused; the cause never left the server.
    case requestRefused(path: String, code: String, cause: String)
    /// A fault rule of the lab hit a request; `fault` says what it does.
    case requestFaulted(path: String, fault: String, id: String)
    /// The edit of a fault rule could not be made, and the answer left as it was made; no value is in the cause.
    case editFailed(path: String, cause: String, id: String)
    /// An activation was saved in a new state, or saved again in the same one with a reason.
    case activationChanged(activationId: String, from: ActivationState?, to: ActivationState, reason: String?)
    /// A signature was checked.
    case signatureVerified(
        activationId: String, type: String, valid: Bool, counter: UInt64, failedAttempts: Int, isVersion4: Bool = false)
    /// A notification was handed over for a device; no outcome without push gateway.
    case pushSent(id: String, activationId: String, type: String?, outcome: PushOutcome?)
    /// The server stops listening.
    case stopped

    /// The facts of a signature, which name protocol 4 only.
    private static func withVersion(_ isVersion4: Bool, _ fields: [String: JSONValue]) -> [String: JSONValue] {
        guard isVersion4 else { return fields }
        return fields.merging(["version": .string(CodeVersion.v4.text)]) { $1 }
    }

    /// What traces and logs write down about it.
    var fields: [String: JSONValue] {
        switch self {
        case .started(let port, let applicationId):
            ["port": .integer(Int64(port)), "applicationId": .string(applicationId)]
        case .requestReceived(let method, let path): ["method": .string(method), "path": .string(path)]
        case .requestAnswered(let method, let path, let status, let milliseconds):
            [
                "method": .string(method), "path": .string(path), "status": .integer(Int64(status)),
                "milliseconds": .number(milliseconds),
            ]
        case .requestRefused(let path, let code, let cause):
            ["path": .string(path), "code": .string(code), "cause": .string(cause)]
        case .requestFaulted(let path, let fault, let id):
            ["path": .string(path), "fault": .string(fault), "id": .string(id)]
        case .editFailed(let path, let cause, let id):
            ["path": .string(path), "cause": .string(cause), "id": .string(id)]
        case .activationChanged(let id, let from, let to, let reason):
            [
                "activationId": .string(id), "from": .optional(from?.name), "to": .string(to.name),
                "reason": .optional(reason),
            ]
        case .signatureVerified(let id, let type, let valid, let counter, let failedAttempts, let isVersion4):
            Self.withVersion(
                isVersion4,
                [
                    "activationId": .string(id), "type": .string(type), "valid": .bool(valid),
                    "counter": .integer(Int64(clamping: counter)), "failedAttempts": .integer(Int64(failedAttempts)),
                ])
        case .pushSent(let id, let activationId, let type, let outcome):
            [
                "id": .string(id), "activationId": .string(activationId), "type": .optional(type),
                "outcome": .optional(outcome?.rawValue),
            ]
        case .stopped: [:]
        }
    }
}

/// Where server events go: a lab's trace, a log, or a test.
///
/// Called from worker threads after the change is committed; must not throw or block for long.
public protocol ServerJournal: Sendable {
    /// Records an event.
    /// - Parameters:
    ///   - event: what happened.
    ///   - operation: the identifier of the lab operation that caused it, from the header `X-Lab-Operation`.
    func record(_ event: ServerEvent, operation: String?)
}

/// The lab operation on whose behalf the current thread works.
enum CurrentOperation { @TaskLocal static var id: String? }

/// The lab's app that waits for what the current thread works on; nil for threads that must not be held for it, such as
/// the writing one.
enum CurrentApp { @TaskLocal static var name: String? }

/// Several journals that receive the same events.
struct CompositeJournal: ServerJournal {
    let journals: [any ServerJournal]

    func record(_ event: ServerEvent, operation: String?) {
        for journal in journals { journal.record(event, operation: operation) }
    }
}

/// Where a lab may interfere with the server. Every function may block, and may end the process.
///
/// Called on threads of requests and on the writing thread. The defaults do nothing.
public struct ServerFaults: Sendable {
    /// Whether any point may act now. Otherwise a request may be answered on an event loop, which must not be blocked,
    /// and passes no point outside of its transaction. Must not block.
    public var areArmed: @Sendable () -> Bool
    /// A request for a path was received completely and nothing was done yet. Throwing answers it with 500.
    public var requestReceived: @Sendable (_ path: String) throws -> Void
    /// A request is about to begin a transaction. Nothing is locked, so that no other request waits for one that is
    /// held.
    public var beforeTransaction: @Sendable () -> Void
    /// A transaction is complete but not committed. Throwing rolls it back.
    public var beforeCommit: @Sendable () throws -> Void
    /// A transaction is committed, its reply not sent yet. Throwing answers with 500.
    public var afterCommit: @Sendable () throws -> Void
    /// The answer to a request for a path is about to be sent. Throwing replaces it by 500.
    public var responseSent: @Sendable (_ path: String) throws -> Void

    /// Creates points that never do anything.
    public init() { self.init(areArmed: { false }) }

    /// Creates the points.
    public init(
        areArmed: @escaping @Sendable () -> Bool = { true },
        requestReceived: @escaping @Sendable (_ path: String) throws -> Void = { _ in },
        beforeTransaction: @escaping @Sendable () -> Void = {},
        beforeCommit: @escaping @Sendable () throws -> Void = {},
        afterCommit: @escaping @Sendable () throws -> Void = {},
        responseSent: @escaping @Sendable (_ path: String) throws -> Void = { _ in }
    ) {
        self.areArmed = areArmed
        self.requestReceived = requestReceived
        self.beforeTransaction = beforeTransaction
        self.beforeCommit = beforeCommit
        self.afterCommit = afterCommit
        self.responseSent = responseSent
    }
}
