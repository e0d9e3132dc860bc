import Foundation
import GRDB

/// A key pair for a few minutes of requests of protocol 3.3 (protocol.md, section 8).
struct TemporaryKeyPair: Sendable {
    /// A lower-case UUID.
    let id: String
    let applicationKey: String
    /// Nil in application scope.
    let activationId: String?
    /// The private scalar, big endian.
    let privateKey: StoredSecret
    let expires: ServerTime
}

/// The rows of temporary keys.
enum TemporaryKeyPairStore {
    private enum Column: String, QueryColumn {
        case id = "key_id"
        case applicationKey = "app_key"
        case activationId = "activation_id"
        case privateKey = "private_key"
        case privateKeyMode = "private_key_mode"
        case expires = "t_expire"
    }

    /// Made once, because it is asked with every encrypted request of protocol 3.3.
    private static let findSQL = "SELECT \(Column.list) FROM temporary_key WHERE key_id = ?"

    static func find(_ database: Database, id: String) throws -> TemporaryKeyPair? {
        try QueryRow<Column>.first(database.cachedStatement(sql: findSQL), arguments: [id]) { row in
            TemporaryKeyPair(
                id: row[.id], applicationKey: row[.applicationKey], activationId: row[.activationId],
                privateKey: StoredSecret(mode: row[.privateKeyMode], bytes: row[.privateKey]),
                expires: ServerTime(milliseconds: row[.expires]))
        }
    }

    static func insert(_ database: Database, _ key: TemporaryKeyPair) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO temporary_key (key_id, app_key, activation_id, private_key, private_key_mode, t_expire)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            key.id, key.applicationKey, key.activationId, key.privateKey.bytes, key.privateKey.mode,
            key.expires.milliseconds,
        ])
    }

    static func delete(_ database: Database, id: String) throws {
        try database.cachedStatement(sql: "DELETE FROM temporary_key WHERE key_id = ?").execute(arguments: [id])
    }

    static func deleteExpired(_ database: Database, at now: ServerTime) throws {
        try database.cachedStatement(sql: "DELETE FROM temporary_key WHERE t_expire < ?")
            .execute(arguments: [now.milliseconds])
    }

    /// Deletes all but the newest `count` keys of an activation, or of an application version for devices without one.
    static func keepNewest(
        _ database: Database, applicationKey: String, activationId: String?, count: Int
    ) throws {
        try database.cachedStatement(
            sql: """
                DELETE FROM temporary_key WHERE key_id IN (SELECT key_id FROM temporary_key
                    WHERE activation_id IS ?1 AND (?1 IS NOT NULL OR app_key = ?2)
                    ORDER BY t_expire DESC, rowid DESC LIMIT -1 OFFSET ?3)
                """
        ).execute(arguments: [activationId, applicationKey, count])
    }
}
