// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore
import PowerAuthProtocol

/// The kind of changes that a callback reports.
enum CallbackType: String, CaseIterable, Sendable {
    case activationStatusChange = "ACTIVATION_STATUS_CHANGE"
    case operationStatusChange = "OPERATION_STATUS_CHANGE"
}

/// A URL that is called when something changes (server.md, section 16.1).
struct Callback: Sendable {
    /// A lower-case UUID.
    let id: Identifier
    let application: Application
    var name: String
    var type: CallbackType
    var url: String
    /// The payload's fields beside type and identifier.
    var attributes: [String]
    var authentication: CallbackAuthentication
    /// Milliseconds; nil means the policy's.
    var retention: Int64?
    /// Milliseconds; nil means the policy's.
    var initialBackoff: Int64?
    /// Nil means the policy's.
    var maxAttempts: Int?
}

/// One message of a callback, on its way.
struct CallbackEvent: Sendable {
    let row: Int64
    let callback: Callback
    /// The JSON body.
    let payload: String
    /// The same in all attempts.
    let idempotencyKey: String
    /// How many attempts were made, this one included.
    let attempt: Int
}

/// One call in the delivery log.
struct CallbackAttempt: Sendable {
    let idempotencyKey: String
    let payload: String
    /// PENDING, PROCESSING, FAILED or COMPLETED: the state of the whole message.
    let status: String
    /// Counted from 1.
    let number: Int
    /// Nil when no answer came.
    let httpStatus: Int?
    /// Why no answer came.
    let failure: String?
    let called: ServerTime
}

/// How callbacks are delivered, with the defaults of server.md, sections 16.4 and 25. Times are milliseconds.
public struct CallbackPolicy: Sendable {
    /// How often a message is tried.
    public var maxAttempts = 1
    /// The time from the first attempt to the second.
    public var initialBackoff: Int64 = 2_000
    /// The growth factor of the time between attempts.
    public var backoffMultiplier = 1.5
    /// The longest time between attempts.
    public var maxBackoff: Int64 = 32_000
    /// How long a message and its attempts are kept after the last one.
    public var retention: Int64 = 2_592_000_000
    /// The hosts that may be called for a message or its access token, `*` for any text in a name; nil allows every host.
    public var allowedHosts: [String]?
    /// The folder that key and trust stores must be in; nil means `keystores` in the server's directory.
    public var keyStores: String?
    /// Whether a message has moments as milliseconds of Unix time, and not in the text form of the back office
    /// (server.md, section 16.2).
    public var hasNumericDates = false
    /// How many targets may be called at a time.
    public var concurrentCalls = 16
    /// How long a target may take to accept a connection.
    public var connectTimeout: Int64 = 5_000
    /// How long a target may take to answer.
    public var responseTimeout: Int64 = 60_000
    /// How many failures in a row open the circuit; negative never opens it.
    public var failureThreshold = 200
    /// How long after the last failure an open circuit lets no call through.
    public var resetTimeout: Int64 = 60_000

    /// The defaults.
    public init() {}

    /// How long an attempt may be under way before it counts as lost with its process.
    var rerunAfter: Int64 { connectTimeout + responseTimeout + 10_000 }

    /// The host of a URL in lower case. Nil where two readers of the URL might find two hosts: with an escape, a control
    /// character, a backslash or a user in it.
    private static func host(of url: String) -> String? {
        let authority = url.firstRange(of: "://").map { url[$0.upperBound...].prefix { !"/?#".contains($0) } } ?? ""
        let isPlain = authority.unicodeScalars.allSatisfy {
            $0.isASCII && $0.value > 0x20 && !"%\\@\u{7F}".contains(Character($0))
        }
        guard isPlain, let host = URLComponents(string: url)?.host else { return nil }
        return host.lowercased()
    }

    /// Whether a URL may be called.
    func allows(_ url: String) -> Bool {
        guard let allowedHosts else { return true }
        guard let host = Self.host(of: url) else { return false }
        return allowedHosts.contains { Wildcard.matches($0.lowercased(), host) }
    }
}

/// The configuration of callbacks and the log of their deliveries (server.md, section 16.1).
struct CallbackService: Sendable {
    let context: ServiceContext

    struct Description: Sendable {
        var applicationId: Identifier?
        var name: String?
        var type: CallbackType?
        var url: String?
        var attributes: [String] = []
        var authentication: CallbackAuthentication?
        var retention: Int64?
        var initialBackoff: Int64?
        var maxAttempts: Int?
    }

    /// - Throws: `invalidRequest`, `invalidURLFormat` for a URL that is not absolute, `invalidApplication`.
    func create(_ description: Description) throws -> Callback {
        try context.change { change in
            let callback = try callback(description, id: Identifiers.uuid(), stored: nil, in: change)
            try CallbackStore.save(change.database, callback, at: change.now)
            return callback
        }
    }

    /// Changes a callback; a secret that is not given stays.
    /// - Throws: `invalidRequest` for an unknown or removed callback or another application's; as ``create(_:)``.
    func update(id: Identifier?, _ description: Description) throws -> Callback {
        try context.change { change in
            guard let id, let stored = try CallbackStore.find(change.database, id: id),
                stored.application.id == description.applicationId
            else { throw ServiceError(.invalidRequest, "no callback \(id?.text ?? "without id") of this application") }
            let callback = try callback(description, id: id, stored: stored, in: change)
            try CallbackStore.save(change.database, callback, at: change.now)
            return callback
        }
    }

    /// - Throws: `invalidRequest` without application, `invalidApplication` for an unknown one.
    func list(applicationId: Identifier?) throws -> [Callback] {
        try context.read { try CallbackStore.list($0, of: ApplicationStore.required($0, id: applicationId)) }
    }

    /// - Returns: false for an unknown or removed callback.
    /// - Throws: `invalidRequest` without identifier.
    func remove(id: Identifier?) throws -> Bool {
        guard let id else { throw ServiceError(.invalidRequest, "id is missing") }
        let policy = context.policy.callbacks
        return try context.change { try CallbackStore.disable($0.database, id: id, policy, at: $0.now) }
    }

    /// The latest attempts to deliver messages of a callback, newest first.
    /// - Throws: `invalidRequest` without identifier.
    func attempts(callbackId: Identifier?) throws -> [CallbackAttempt] {
        guard let callbackId else { throw ServiceError(.invalidRequest, "id is missing") }
        return try context.read { try CallbackStore.attempts($0, callbackId: callbackId) }
    }

    private func callback(
        _ description: Description, id: Identifier, stored: Callback?, in change: WriteTransaction
    ) throws -> Callback {
        guard let name = description.name, let type = description.type, let url = description.url else {
            throw ServiceError.invalid("name, type and callbackUrl are required")
        }
        try TextLimit.line.check(name, "name")
        let application = try ApplicationStore.required(change.database, id: description.applicationId)
        guard let parsed = URL(string: url), ["http", "https"].contains(parsed.scheme?.lowercased()),
            parsed.host?.isEmpty == false
        else { throw ServiceError(.invalidURLFormat, "\(url) is not an absolute HTTP URL") }
        if let maxAttempts = description.maxAttempts, maxAttempts < 1 {
            throw ServiceError.invalid("requestObject.maxAttempts - must be greater than or equal to 1")
        }
        guard context.policy.callbacks.allows(url) else {
            throw ServiceError.invalid("requestObject.callbackUrl - callbacks may not call \(parsed.host ?? url)")
        }
        var authentication = description.authentication ?? CallbackAuthentication()
        authentication.keepSecrets(of: stored?.authentication)
        try authentication.validate()
        if let oauth2 = authentication.oauth2, oauth2.enabled, let uri = oauth2.tokenUri {
            guard context.policy.callbacks.allows(uri) else {
                throw ServiceError.invalid(
                    "requestObject.authentication.oauth2.tokenUri - callbacks may not call \(URL(string: uri)?.host ?? uri)"
                )
            }
        }
        return Callback(
            id: id, application: application, name: name, type: type, url: url, attributes: description.attributes,
            authentication: authentication, retention: description.retention,
            initialBackoff: description.initialBackoff, maxAttempts: description.maxAttempts)
    }
}

extension WriteTransaction {
    /// Notifies the callbacks of its application that an activation was saved in a status (server.md, section 16.3).
    func announce(_ activation: Activation) throws {
        wakesJobs = true
        let callbacks = try CallbackStore.list(database, of: activation.application, type: .activationStatusChange)
        guard !callbacks.isEmpty else { return }
        let payload: OrderedMembers<JSONValue> = [
            "type": "ACTIVATION", "activationId": .string(activation.id.text),
            "userId": .string(activation.userId.text), "activationName": .optional(activation.name),
            "deviceInfo": .optional(activation.deviceInfo), "platform": .optional(activation.platform),
            "protocol": "POWERAUTH", "activationFlags": .array(activation.flags.map { .string($0.text) }),
            "activationStatus": .string(activation.status.name),
            "blockedReason": .optional(activation.lifecycle.blockedReason),
            "applicationId": .string(activation.application.id.text),
        ]
        try enqueue(callbacks, payload, always: ["type", "activationId"])
    }

    /// Notifies the callbacks of each of its applications that an operation was created or decided.
    func announce(_ operation: OperationRecord) throws {
        wakesJobs = true
        let callbacks = try operation.applications.flatMap {
            try CallbackStore.list(database, of: $0, type: .operationStatusChange)
        }
        guard !callbacks.isEmpty else { return }
        let payload: OrderedMembers<JSONValue> = [
            "type": "OPERATION", "operationId": .string(operation.id.text), "userId": .optional(operation.userId),
            "applications": .array(operation.applications.map { .string($0.id.text) }),
            "operationType": .string(operation.operationType.text),
            "parameters": .object(operation.parameters.mapValues { .string($0) }),
            "additionalData": .object(operation.additionalData), "activationFlag": .optional(operation.activationFlag),
            "status": .string(operation.status.name), "data": .string(operation.data),
            "failureCount": .integer(Int64(operation.failureCount)),
            "maxFailureCount": .integer(Int64(operation.maxFailureCount)),
            "signatureType": .array(operation.signatureTypes.map { .string($0.name) }),
            "externalId": .optional(operation.externalId),
            "timestampCreated": moment(operation.created), "timestampExpires": moment(operation.expires),
            "timestampFinalized": operation.finalized.map(moment) ?? .null,
        ]
        try enqueue(callbacks, payload, always: ["type", "operationId"])
    }

    /// A moment as the policy wants it in messages.
    private func moment(_ time: ServerTime) -> JSONValue {
        policy.hasNumericDates ? .integer(time.milliseconds) : .string(BackOfficeDate(time).text)
    }

    /// Stores the message of each callback: its attributes, and what every message has.
    private func enqueue(_ callbacks: [Callback], _ payload: OrderedMembers<JSONValue>, always: Set<String>) throws {
        for callback in callbacks {
            let wanted = payload.filter { always.contains($0) || callback.attributes.contains($0) }
            try CallbackStore.enqueue(database, callback, payload: JSONBody.text(of: wanted), at: now)
        }
    }
}

extension JSONValue {
    /// A text, or null for nil.
    static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// The text of an identifier, or null without one.
    static func optional(_ identifier: Identifier?) -> JSONValue { optional(identifier?.text) }
}

extension HistoryReason {
    /// Changes that are in the history and not reported to callbacks.
    static let unannounced: Set<String?> = [otpFailedAttempt, activationNameUpdated, activationVersionChanged]
}
