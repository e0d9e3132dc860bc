// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol

/// One verification as the audit keeps it (server.md, section 8.7).
struct SignatureAudit: Sendable {
    /// One circumstance of a verification.
    struct Info: Codable, Sendable, Equatable {
        let key: String
        let value: String

        static func vaultUnlocked(reason: String) -> Info { Info(key: "VAULT_UNLOCKED_REASON", value: reason) }
        static let biometryAllowed = Info(key: "BIOMETRY_ALLOWED", value: "TRUE")
        static func blocked(reason: String) -> Info { Info(key: "BLOCKED_REASON", value: reason) }
    }

    /// The outcome of the verification.
    enum Note: String, Sendable {
        case ok = "signature_ok"
        case mismatch = "signature_does_not_match"
        case invalidApplication = "activation_invalid_application"
        case invalidState = "activation_invalid_state"
        case exhausted = "activation_invalid_state_ctr_mismatch"
    }

    let activationId: Identifier
    let application: Application
    let userId: Identifier
    /// Counter, counter data, status and version are those before the verification; nil without a device.
    let counter: UInt64?
    let counterData: Data?
    let status: ActivationState
    let activationVersion: Int?
    let info: [Info]
    /// The first of the authenticated bytes, with `***` in place of the application secret: as many as of any text.
    let data: Data
    /// Nil for an offline signature.
    let versionText: String?
    let type: SignatureType
    let signature: String
    let isValid: Bool
    let note: Note
}

extension SignatureAudit {
    init(_ question: SignatureQuestion, _ verdict: SignatureVerdict, before: Activation) {
        self.init(
            verdict, before: before, fits: before.lifecycle.binding.map { question.fits(before, $0) } ?? false,
            info: question.auditInfo, data: question.data.bytes(applicationSecret: "***"),
            versionText: question.versionText ?? question.version.text, type: question.type,
            signature: question.signature)
    }

    /// - Parameter fits: whether the activation could make such a signature while it is active: one of another version of
    ///   the protocol, or before the confirmation, is refused for its state.
    init(
        _ verdict: SignatureVerdict, before: Activation, fits: Bool = true, info: [Info], data: Data,
        versionText: String?, type: SignatureType, signature: String
    ) {
        let binding = before.lifecycle.binding
        let note: Note =
            switch verdict {
            case .valid: .ok
            case .invalid: .mismatch
            case .unknownActivation: .invalidState
            case .refused where before.status != .active || !fits: .invalidState
            case .refused where before.failedAttempts >= before.maxFailedAttempts: .exhausted
            case .refused: .invalidApplication
            }
        self.init(
            activationId: before.id, application: before.application, userId: before.userId, counter: binding?.counter,
            counterData: binding?.counterData, status: before.status, activationVersion: binding?.version,
            info: info + (before.lifecycle.blockedReason.map { [.blocked(reason: $0)] } ?? []),
            data: data.prefix(TextLimit.ordinary.characters), versionText: versionText, type: type,
            signature: String(signature.unicodeScalars.prefix(TextLimit.line.characters)), isValid: verdict.isValid,
            note: note)
    }
}

/// The rows of the signature audit.
enum SignatureAuditStore {
    /// A record as the back office reads it.
    struct Item {
        let id: Int64
        let created: ServerTime
        let userId: Identifier
        let applicationId: Identifier
        let activationId: Identifier
        let counter: Int64?
        let counterData: Data?
        let status: ActivationState
        let info: [SignatureAudit.Info]
        let data: Data
        let versionText: String?
        let type: String
        let signature: String
        let isValid: Bool
        let note: String
        let activationVersion: Int?
    }

    static func insert(_ database: Database, _ audit: SignatureAudit, at now: ServerTime) throws {
        let info = try audit.info.isEmpty ? "[]" : JSONBody.text(of: audit.info)
        try database.cachedStatement(
            sql: """
                INSERT INTO signature_audit (activation_id, application, user_id, counter, ctr_data, status, info,
                    data, version_text, type, signature, note, valid, activation_version, t_created)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            audit.activationId, audit.application.row, audit.userId, audit.counter.map(Int64.init(bitPattern:)),
            audit.counterData, audit.status.rawValue, info, audit.data, audit.versionText, audit.type.name,
            audit.signature, audit.note.rawValue, audit.isValid, audit.activationVersion, now.milliseconds,
        ])
    }

    /// The most records of one answer.
    static let most = 1_000

    /// The newest thousand records of a user, newest first; bounds are included.
    static func list(
        _ database: Database, userId: Identifier, applicationId: Identifier?, from: ServerTime?, to: ServerTime?
    ) throws -> [Item] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT signature_audit.id, t_created, user_id, app_id, activation_id, counter, ctr_data, status, info,
                    data, version_text, type, signature, valid, note, activation_version
                FROM signature_audit JOIN application ON application.id = signature_audit.application
                WHERE user_id = ? AND t_created BETWEEN ? AND ? AND (? IS NULL OR app_id = ?)
                ORDER BY t_created DESC, signature_audit.id DESC LIMIT \(most)
                """,
            arguments: [userId, from?.milliseconds ?? .min, to?.milliseconds ?? .max, applicationId, applicationId]
        ).map { row in
            Item(
                id: row["id"], created: ServerTime(milliseconds: row["t_created"]), userId: row["user_id"],
                applicationId: row["app_id"], activationId: row["activation_id"], counter: row["counter"],
                counterData: row["ctr_data"], status: ActivationState(rawValue: row["status"]) ?? .removed,
                info: (try? JSONDecoder().decode([SignatureAudit.Info].self, from: row["info"])) ?? [],
                data: row["data"], versionText: row["version_text"], type: row["type"], signature: row["signature"],
                isValid: row["valid"], note: row["note"], activationVersion: row["activation_version"])
        }
    }
}
