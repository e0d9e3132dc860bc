import Foundation
import GRDB
import PowerAuthProtocol

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
        let info = audit.info.isEmpty ? "[]" : String(decoding: try JSONEncoder().encode(audit.info), as: UTF8.self)
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
            arguments: [
                userId, from?.milliseconds ?? .min, to?.milliseconds ?? .max, applicationId, applicationId,
            ]
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
