// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The rows of recovery codes, their PUKs and their configuration.
enum RecoveryStore {
    private enum Column: String, QueryColumn {
        case row = "recovery_code.id"
        case applicationId = "application.app_id"
        case userId = "user_id"
        case activationId = "activation_id"
        case code
        case status
        case failedAttempts = "failed"
        case maxFailedAttempts = "max_failed"
    }

    private static let source = "FROM recovery_code JOIN application ON application.id = recovery_code.application"

    // MARK: Configuration

    /// Nil when nothing was ever configured.
    static func configuration(_ database: Database, of application: Application) throws -> RecoveryConfiguration? {
        try Row.fetchOne(
            database,
            sql: """
                SELECT activation_enabled, postcard_enabled, allow_multiple, postcard_private, postcard_private_mode,
                    postcard_public, remote_public FROM recovery_config WHERE application = ?
                """, arguments: [application.row]
        ).map { row in
            RecoveryConfiguration(
                isActivationRecoveryEnabled: row["activation_enabled"], isPostcardEnabled: row["postcard_enabled"],
                allowsMultipleCodes: row["allow_multiple"],
                postcardPrivateKey: (row["postcard_private"] as Data?).map {
                    StoredSecret(mode: row["postcard_private_mode"], bytes: $0)
                },
                postcardPublicKey: row["postcard_public"], remotePublicKey: row["remote_public"])
        }
    }

    static func save(_ database: Database, _ configuration: RecoveryConfiguration, of application: Application) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO recovery_config (application, activation_enabled, postcard_enabled,
                    allow_multiple, postcard_private, postcard_private_mode, postcard_public, remote_public)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                application.row, configuration.isActivationRecoveryEnabled, configuration.isPostcardEnabled,
                configuration.allowsMultipleCodes, configuration.postcardPrivateKey?.bytes,
                configuration.postcardPrivateKey?.mode ?? StoredSecret.Mode.clear.rawValue,
                configuration.postcardPublicKey, configuration.remotePublicKey,
            ])
    }

    // MARK: Codes

    static func find(_ database: Database, row: Int64) throws -> RecoveryCodeRecord? {
        try fetch(database, "recovery_code.id = ?", [row]).first
    }

    static func find(_ database: Database, application: Application, code: Identifier) throws -> RecoveryCodeRecord? {
        try fetch(database, "recovery_code.application = ? AND code = ?", [application.row, code]).first
    }

    /// The codes that fit all given criteria, oldest first.
    static func list(
        _ database: Database, userId: Identifier?, activationId: Identifier?, applicationId: Identifier?,
        status: RecoveryCodeStatus?
    ) throws -> [RecoveryCodeRecord] {
        var conditions = QueryConditions()
        conditions.add("user_id = ?", userId)
        conditions.add("activation_id = ?", activationId)
        conditions.add("app_id = ?", applicationId)
        conditions.add("status = ?", status?.rawValue)
        return try fetch(database, conditions.text, conditions.arguments)
    }

    /// Whether the user has a postcard that is waiting or usable.
    static func hasPostcard(_ database: Database, application: Application, userId: Identifier) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM recovery_code WHERE application = ? AND user_id = ?
                    AND activation_id IS NULL AND status IN (1, 2))
                """, arguments: [application.row, userId]) ?? false
    }

    static func insert(
        _ database: Database, application: Application, userId: Identifier, activationId: Identifier?, code: String,
        status: RecoveryCodeStatus, maxFailedAttempts: Int, pukHashes: [String], at now: ServerTime
    ) throws -> Int64 {
        try database.execute(
            sql: """
                INSERT INTO recovery_code (application, user_id, activation_id, code, status, failed, max_failed,
                    t_created, t_last_change) VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)
                """,
            arguments: [
                application.row, userId, activationId, code, status.rawValue, maxFailedAttempts, now.milliseconds,
                now.milliseconds,
            ])
        let row = database.lastInsertedRowID
        for (offset, hash) in pukHashes.enumerated() {
            try database.execute(
                sql: "INSERT INTO recovery_puk (code, puk_index, hash, status, t_last_change) VALUES (?, ?, ?, ?, ?)",
                arguments: [row, offset + 1, hash, RecoveryPukStatus.valid.rawValue, now.milliseconds])
        }
        return row
    }

    /// Writes the status and failures of a code and the status of each of its PUKs.
    static func update(_ database: Database, _ record: RecoveryCodeRecord, at now: ServerTime) throws {
        try database.execute(
            sql: "UPDATE recovery_code SET status = ?, failed = ?, t_last_change = ? WHERE id = ?",
            arguments: [record.status.rawValue, record.failedAttempts, now.milliseconds, record.row])
        for puk in record.puks {
            try database.execute(
                sql: """
                    UPDATE recovery_puk SET status = ?, t_last_change = ?
                    WHERE code = ? AND puk_index = ? AND status <> ?
                    """, arguments: [puk.status.rawValue, now.milliseconds, record.row, puk.index, puk.status.rawValue])
        }
    }

    /// Makes a code useless for ever. - Returns: false when it was so already.
    static func revoke(_ database: Database, row: Int64, at now: ServerTime) throws -> Bool {
        guard var record = try find(database, row: row), record.status != .revoked else { return false }
        record.status = .revoked
        for index in record.puks.indices where record.puks[index].status == .valid {
            record.puks[index].status = .invalid
        }
        try update(database, record, at: now)
        return true
    }

    /// - Parameter status: which of them; nil for all.
    static func revokeAll(
        _ database: Database, ofActivation id: Identifier, thatAre status: RecoveryCodeStatus? = nil, at now: ServerTime
    ) throws {
        for row in try Int64.fetchAll(
            database, sql: "SELECT id FROM recovery_code WHERE activation_id = ?1 AND (?2 IS NULL OR status = ?2)",
            arguments: [id, status?.rawValue])
        {
            _ = try revoke(database, row: row, at: now)
        }
    }

    /// The codes of an activation that has become usable become usable with it.
    static func activateAll(_ database: Database, ofActivation id: Identifier, at now: ServerTime) throws {
        try database.execute(
            sql: "UPDATE recovery_code SET status = 2, t_last_change = ? WHERE activation_id = ? AND status = 1",
            arguments: [now.milliseconds, id])
    }

    private static func fetch(
        _ database: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [RecoveryCodeRecord] {
        try Row.fetchAll(
            database, sql: "SELECT \(Column.list) \(source) WHERE \(condition) ORDER BY recovery_code.id",
            arguments: arguments
        ).map { selected in
            let row = QueryRow<Column>(selected)
            return RecoveryCodeRecord(
                row: row[.row], applicationId: row[.applicationId], userId: row[.userId],
                activationId: row[.activationId], code: row[.code],
                status: RecoveryCodeStatus(rawValue: row[.status]) ?? .revoked, failedAttempts: row[.failedAttempts],
                maxFailedAttempts: row[.maxFailedAttempts], puks: try puks(database, of: row[.row]))
        }
    }

    private static func puks(_ database: Database, of code: Int64) throws -> [RecoveryCodeRecord.Puk] {
        try Row.fetchAll(
            database, sql: "SELECT puk_index, hash, status FROM recovery_puk WHERE code = ? ORDER BY puk_index",
            arguments: [code]
        ).map { row in
            RecoveryCodeRecord.Puk(
                index: row["puk_index"], hash: row["hash"],
                status: RecoveryPukStatus(rawValue: row["status"]) ?? .invalid)
        }
    }
}
