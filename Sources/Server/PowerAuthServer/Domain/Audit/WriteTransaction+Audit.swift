import LabKit
import PowerAuthProtocol

/// The audit entry and its change are written in one transaction.
extension WriteTransaction {
    /// - Parameter previous: nil for a new activation.
    func audit(
        _ activation: Activation, previous: ActivationState?, reason: String? = nil, externalUserId: Identifier? = nil
    ) throws {
        let text =
            switch previous {
            case nil: "the activation was created"
            case activation.status: "the activation was changed and stays \(activation.status.name)"
            case let previous?: "the activation went from \(previous.name) to \(activation.status.name)"
            }
        try audit(
            .activation, text,
            [
                "activationId": .string(activation.id.text), "userId": .string(activation.userId.text),
                "applicationId": .string(activation.application.id.text), "status": .string(activation.status.name),
                "reason": .optional(activation.lifecycle.blockedReason ?? reason),
                "externalUserId": .optional(externalUserId),
            ])
    }

    /// Records the current state of an operation.
    func audit(_ operation: OperationRecord) throws {
        try audit(
            .operation,
            operation.failureCount > 0 && operation.status == .pending
                ? "an approval of the operation failed" : "the operation is \(operation.status.name)",
            [
                "operationId": .string(operation.id.text), "userId": .optional(operation.userId),
                "applications": .array(operation.applications.map { .string($0.id.text) }),
                "operationType": .string(operation.operationType.text), "status": .string(operation.status.name),
                "failureCount": .integer(Int64(operation.failureCount)),
                "statusReason": .optional(operation.statusReason),
            ])
    }

    /// The code is shown masked, as everywhere.
    func audit(_ code: RecoveryCodeRecord, _ text: String) throws {
        try audit(
            .recovery, text,
            [
                "recoveryCode": .string(code.masked), "userId": .string(code.userId.text),
                "applicationId": .string(code.applicationId.text), "activationId": .optional(code.activationId),
                "failedAttempts": .integer(Int64(code.failedAttempts)),
                "isBlocked": .bool(code.status == .blocked),
            ])
    }

    private func audit(_ kind: AuditEntry.Kind, _ text: String, _ detail: JSONValue) throws {
        try AuditStore.insert(database, kind, text, detail, at: now)
    }
}
