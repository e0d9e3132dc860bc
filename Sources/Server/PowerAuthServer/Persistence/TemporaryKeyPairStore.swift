import Foundation
import GRDB

/// A key pair for a few minutes of requests of protocol 3.3 (protocol.md, section 8).
struct TemporaryKeyPair: Sendable {
    /// A lower-case UUID.
    let id: Identifier
    let applicationKey: Identifier
    /// Nil in application scope.
    let activationId: Identifier?
    /// The client's address; nil for requests of a mobile-facing server, or if unknown.
    var address: String?
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
        case address
        case privateKey = "private_key"
        case privateKeyMode = "private_key_mode"
        case expires = "t_expire"
    }

    /// Built once, because every encrypted request of protocol 3.3 uses it.
    private static let findSQL = "SELECT \(Column.list) FROM temporary_key WHERE key_id = ?"

    static func find(_ database: Database, id: Identifier) throws -> TemporaryKeyPair? {
        try QueryRow<Column>.first(database.cachedStatement(sql: findSQL), arguments: [id]) { row in
            TemporaryKeyPair(
                id: row[.id], applicationKey: row[.applicationKey], activationId: row[.activationId],
                address: row[.address],
                privateKey: StoredSecret(mode: row[.privateKeyMode], bytes: row[.privateKey]),
                expires: ServerTime(milliseconds: row[.expires]))
        }
    }

    static func insert(_ database: Database, _ key: TemporaryKeyPair) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO temporary_key (key_id, app_key, activation_id, address, private_key, private_key_mode,
                    t_expire)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            key.id, key.applicationKey, key.activationId, key.address, key.privateKey.bytes, key.privateKey.mode,
            key.expires.milliseconds,
        ])
    }

    static func delete(_ database: Database, id: Identifier) throws {
        try database.cachedStatement(sql: "DELETE FROM temporary_key WHERE key_id = ?").execute(arguments: [id])
    }

    static func deleteExpired(_ database: Database, at now: ServerTime) throws {
        try database.cachedStatement(sql: "DELETE FROM temporary_key WHERE t_expire < ?")
            .execute(arguments: [now.milliseconds])
    }

    /// Deletes all but the newest keys of an activation.
    static func keepNewest(_ database: Database, ofActivation id: Identifier, count: Int) throws {
        try database.cachedStatement(
            sql: """
                DELETE FROM temporary_key WHERE key_id IN (SELECT key_id FROM temporary_key
                    WHERE activation_id = ? ORDER BY t_expire DESC, rowid DESC LIMIT -1 OFFSET ?)
                """
        ).execute(arguments: [id, count])
    }

    /// Deletes all but the newest keys that devices without activation have got at one address.
    static func keepNewest(
        _ database: Database, ofAddress address: String?, applicationKey: Identifier, count: Int
    ) throws {
        try database.cachedStatement(
            sql: """
                DELETE FROM temporary_key WHERE key_id IN (SELECT key_id FROM temporary_key
                    WHERE activation_id IS NULL AND app_key = ? AND address IS ?
                    ORDER BY t_expire DESC, rowid DESC LIMIT -1 OFFSET ?)
                """
        ).execute(arguments: [applicationKey, address, count])
    }

    /// Deletes keys of devices without activation until an application version has no more than `count`, each time the
    /// oldest of the address with the most keys, so that only clients with many keys lose some.
    static func keepFairly(_ database: Database, applicationKey: Identifier, count: Int) throws {
        let all = try Int.fetchOne(
            database.cachedStatement(
                sql: "SELECT COUNT(*) FROM temporary_key WHERE activation_id IS NULL AND app_key = ?"),
            arguments: [applicationKey])
        for _ in 0..<max(0, (all ?? 0) - count) {
            try database.cachedStatement(
                sql: """
                    DELETE FROM temporary_key WHERE key_id = (SELECT key_id FROM temporary_key
                        WHERE activation_id IS NULL AND app_key = ?1 AND address IS (SELECT address FROM temporary_key
                            WHERE activation_id IS NULL AND app_key = ?1
                            GROUP BY address ORDER BY COUNT(*) DESC LIMIT 1)
                        ORDER BY t_expire, rowid LIMIT 1)
                    """
            ).execute(arguments: [applicationKey])
        }
    }
}
