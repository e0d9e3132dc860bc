// SPDX-License-Identifier: Apache-2.0

import GRDB
import LabCore
import PowerAuthProtocol

/// One entry of the audit: what became of an activation, an operation or a recovery code (server.md, section 28).
struct AuditEntry: Encodable, Sendable {
    /// The subject of an entry. Signatures have their own audit, `/signature/list`.
    enum Kind: String, Encodable, Sendable {
        case activation = "ACTIVATION"
        case operation = "OPERATION"
        case recovery = "RECOVERY"
    }

    /// Grows with time.
    let number: Int64
    /// Milliseconds of Unix time.
    let time: Int64
    let kind: String
    /// A sentence.
    let text: String
    /// The changed record; contains no secret.
    let detail: JSONValue
}

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
                "failedAttempts": .integer(Int64(code.failedAttempts)), "isBlocked": .bool(code.status == .blocked),
            ])
    }

    private func audit(_ kind: AuditEntry.Kind, _ text: String, _ detail: JSONValue) throws {
        try AuditStore.insert(database, kind, text, detail, at: now)
    }
}

/// The rows of the audit.
enum AuditStore {
    /// The most entries of one answer.
    static let page = 1_000

    static func insert(
        _ database: Database, _ kind: AuditEntry.Kind, _ text: String, _ detail: JSONValue, at now: ServerTime
    ) throws {
        try database.cachedStatement(sql: "INSERT INTO audit_log (t, kind, text, detail) VALUES (?, ?, ?, ?)").execute(
            arguments: [now.milliseconds, kind.rawValue, text, String(decoding: detail.encoded(), as: UTF8.self)])
    }

    /// The first thousand entries behind a number, oldest first.
    static func entries(_ database: Database, after number: Int64) throws -> [AuditEntry] {
        try Row.fetchAll(
            database, sql: "SELECT id, t, kind, text, detail FROM audit_log WHERE id > ? ORDER BY id LIMIT \(page)",
            arguments: [number]
        ).map { row in
            AuditEntry(
                number: row["id"], time: row["t"], kind: row["kind"], text: row["text"],
                detail: try JSONValue.parse(row["detail"] as String))
        }
    }
}
