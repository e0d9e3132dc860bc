import Foundation
import GRDB

/// A key pair for a few minutes of requests of protocol 3.3 (protocol.md, section 8).
struct TemporaryKey: Sendable {
    /// A lower-case UUID.
    let id: String
    let applicationKey: String
    /// Nil in application scope.
    let activationId: String?
    /// The private scalar, big endian.
    let privateKey: Data
    let expires: ServerTime
}

/// The rows of temporary keys.
enum TemporaryKeyStore {
    static func find(_ database: Database, id: String) throws -> TemporaryKey? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT key_id, app_key, activation_id, private_key, t_expire FROM temporary_key WHERE key_id = ?"
            ), arguments: [id]
        ).map { row in
            TemporaryKey(
                id: row[0], applicationKey: row[1], activationId: row[2], privateKey: row[3],
                expires: ServerTime(milliseconds: row[4]))
        }
    }

    static func insert(_ database: Database, _ key: TemporaryKey) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO temporary_key (key_id, app_key, activation_id, private_key, t_expire)
                VALUES (?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            key.id, key.applicationKey, key.activationId, key.privateKey, key.expires.milliseconds,
        ])
    }

    static func delete(_ database: Database, id: String) throws {
        try database.cachedStatement(sql: "DELETE FROM temporary_key WHERE key_id = ?").execute(arguments: [id])
    }

    static func deleteExpired(_ database: Database, at now: ServerTime) throws {
        try database.cachedStatement(sql: "DELETE FROM temporary_key WHERE t_expire < ?")
            .execute(arguments: [now.milliseconds])
    }

    /// Deletes all but the newest `count` keys of an activation.
    static func keepNewest(_ database: Database, activationId: String, count: Int) throws {
        try database.cachedStatement(
            sql: """
                DELETE FROM temporary_key WHERE key_id IN (SELECT key_id FROM temporary_key
                    WHERE activation_id = ? ORDER BY t_expire DESC, rowid DESC LIMIT -1 OFFSET ?)
                """
        ).execute(arguments: [activationId, count])
    }
}
