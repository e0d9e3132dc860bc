import Foundation
import LabKit
import PowerAuthProtocol

extension WriteTransaction {
    /// Notifies the callbacks of its application that an activation was saved in a status (server.md, section 16.3).
    func announce(_ activation: Activation) throws {
        wakesJobs = true
        let callbacks = try CallbackStore.list(database, of: activation.application, type: .activationStatusChange)
        guard !callbacks.isEmpty else { return }
        let optional: [String: JSONValue] = [
            "userId": .string(activation.userId.text), "activationName": .optional(activation.name),
            "deviceInfo": .optional(activation.deviceInfo), "platform": .optional(activation.platform),
            "protocol": "POWERAUTH", "activationFlags": .array(activation.flags.map { .string($0.text) }),
            "activationStatus": .string(activation.status.name),
            "blockedReason": .optional(activation.lifecycle.blockedReason),
            "applicationId": .string(activation.application.id.text),
        ]
        try enqueue(callbacks, ["type": "ACTIVATION", "activationId": .string(activation.id.text)], optional)
    }

    /// Notifies the callbacks of each of its applications that an operation was created or decided.
    func announce(_ operation: OperationRecord) throws {
        wakesJobs = true
        let callbacks = try operation.applications.flatMap {
            try CallbackStore.list(database, of: $0, type: .operationStatusChange)
        }
        guard !callbacks.isEmpty else { return }
        let optional: [String: JSONValue] = [
            "userId": .optional(operation.userId),
            "applications": .array(operation.applications.map { .string($0.id.text) }),
            "operationType": .string(operation.operationType.text),
            "parameters": .object(operation.parameters.mapValues { .string($0) }),
            "additionalData": .object(operation.additionalData), "activationFlag": .optional(operation.activationFlag),
            "status": .string(operation.status.name), "data": .string(operation.data),
            "failureCount": .integer(Int64(operation.failureCount)),
            "maxFailureCount": .integer(Int64(operation.maxFailureCount)),
            "signatureType": .array(operation.signatureTypes.map { .string($0.name) }),
            "externalId": .optional(operation.externalId),
            "timestampCreated": .string(BackOfficeDate(operation.created).text),
            "timestampExpires": .string(BackOfficeDate(operation.expires).text),
            "timestampFinalized": .optional(operation.finalized.map { BackOfficeDate($0).text }),
        ]
        try enqueue(callbacks, ["type": "OPERATION", "operationId": .string(operation.id.text)], optional)
    }

    private func enqueue(
        _ callbacks: [Callback], _ always: [String: JSONValue], _ optional: [String: JSONValue]
    ) throws {
        for callback in callbacks {
            let wanted = optional.filter { callback.attributes.contains($0.key) }
            let payload = always.merging(wanted) { first, _ in first }
            try CallbackStore.enqueue(
                database, callback,
                payload: String(decoding: JSONBody.encode(JSONValue.object(payload)), as: UTF8.self),
                at: now)
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
