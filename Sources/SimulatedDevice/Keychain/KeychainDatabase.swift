import Foundation
import GRDB

/// The SQLite file behind all keychains of a device.
///
/// Thread rule: any thread; the connection is opened by the first call.
final class KeychainDatabase: Sendable {
    private let database: DeviceDatabase

    init(path: String) {
        database = DeviceDatabase(path: path, schema: Self.schema)
    }

    /// `revision` is device-wide and never repeats; `generation` counts the writes of one item.
    private static let schema = DeviceDatabase.Schema(
        purpose: "keychain", version: 2,
        statements: """
            CREATE TABLE item (
                service TEXT NOT NULL, account TEXT NOT NULL, accessGroup TEXT NOT NULL,
                value BLOB NOT NULL, checksum BLOB NOT NULL,
                revision INTEGER NOT NULL, generation INTEGER NOT NULL, creator TEXT NOT NULL,
                protection INTEGER NOT NULL, enrolment INTEGER NOT NULL,
                PRIMARY KEY (service, account, accessGroup)
            ) WITHOUT ROWID;
            CREATE TABLE stamp (revision INTEGER NOT NULL);
            INSERT INTO stamp VALUES (0);
            """)

    enum UpdateOutcome {
        case notFound
        case otherRevision
        case written(revision: Int64, keys: [KeychainKey])
    }

    /// Inserts a row; nil when the key is taken.
    func insert(
        _ value: Data, at key: KeychainKey, creator: String, protection: KeychainProtection, enrolment: Int
    ) throws -> Int64? {
        try database.write { db in
            let taken = try Int.fetchOne(
                db.cachedStatement(
                    sql: "SELECT 1 FROM item WHERE service = ? AND account = ? AND accessGroup = ?"),
                arguments: [key.service, key.account, key.accessGroup])
            guard taken == nil else { return nil }
            let revision = try Self.nextRevision(db)
            try db.cachedStatement(sql: "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?)").execute(
                arguments: [
                    key.service, key.account, key.accessGroup, value, KeychainItem.checksum(of: value, at: key),
                    revision, creator, protection.rawValue, enrolment,
                ])
            return revision
        }
    }

    func first(service: String, account: String, groups: [String]) throws -> KeychainItem? {
        try database.read { db in try Self.first(db, service: service, account: account, groups: groups) }
    }

    func update(
        _ value: Data, service: String, account: String, groups: [String], expectedRevision: Int64?
    ) throws -> UpdateOutcome {
        try database.write { db in
            var found = false
            var revision: Int64?
            var keys: [KeychainKey] = []
            for group in groups {
                let key = KeychainKey(service: service, account: account, accessGroup: group)
                guard let current = try Self.revision(db, of: key) else { continue }
                found = true
                if let expectedRevision, expectedRevision != current { continue }
                let next = try revision ?? Self.nextRevision(db)
                revision = next
                keys.append(key)
                try db.cachedStatement(
                    sql: """
                        UPDATE item SET value = ?, checksum = ?, revision = ?, generation = generation + 1,
                        protection = 0, enrolment = 0
                        WHERE service = ? AND account = ? AND accessGroup = ?
                        """
                ).execute(
                    arguments: [value, KeychainItem.checksum(of: value, at: key), next, service, account, group])
            }
            if let revision { return .written(revision: revision, keys: keys) }
            return found ? .otherRevision : .notFound
        }
    }

    /// Deletes what matches; nil matches everything. Gives the identities of the deleted rows.
    func delete(service: String?, account: String?, groups: [String]) throws -> [KeychainKey] {
        try database.write { db in
            try groups.flatMap { group in
                try Row.fetchAll(
                    db.cachedStatement(
                        sql: """
                            DELETE FROM item WHERE accessGroup = :group
                            AND (:service IS NULL OR service = :service) AND (:account IS NULL OR account = :account)
                            RETURNING service, account
                            """),
                    arguments: ["group": group, "service": service, "account": account]
                ).map { KeychainKey(service: $0["service"], account: $0["account"], accessGroup: group) }
            }
        }
    }

    /// All items of a service (nil: of every service), group by group in the given order.
    func all(service: String?, groups: [String]) throws -> [KeychainItem] {
        try database.read { db in
            try groups.flatMap { group in
                try Row.fetchAll(
                    db.cachedStatement(
                        sql: """
                            SELECT * FROM item WHERE accessGroup = :group AND (:service IS NULL OR service = :service)
                            ORDER BY service, account
                            """),
                    arguments: ["group": group, "service": service]
                ).map(KeychainItem.init(row:))
            }
        }
    }

    /// Every row of the device, whoever owns it.
    func everything(service: String?) throws -> [KeychainItem] {
        try database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM item WHERE (:service IS NULL OR service = :service)
                    ORDER BY accessGroup, service, account
                    """,
                arguments: ["service": service]
            ).map(KeychainItem.init(row:))
        }
    }

    private static func first(
        _ db: Database, service: String, account: String, groups: [String]
    ) throws -> KeychainItem? {
        let statement = try db.cachedStatement(
            sql: "SELECT * FROM item WHERE service = ? AND account = ? AND accessGroup = ?")
        for group in groups {
            if let row = try Row.fetchOne(statement, arguments: [service, account, group]) {
                return KeychainItem(row: row)
            }
        }
        return nil
    }

    private static func revision(_ db: Database, of key: KeychainKey) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(
                sql: "SELECT revision FROM item WHERE service = ? AND account = ? AND accessGroup = ?"),
            arguments: [key.service, key.account, key.accessGroup])
    }

    private static func nextRevision(_ db: Database) throws -> Int64 {
        try db.cachedStatement(sql: "UPDATE stamp SET revision = revision + 1").execute()
        return try Int64.fetchOne(db.cachedStatement(sql: "SELECT revision FROM stamp")) ?? 0
    }
}

extension KeychainItem {
    /// Reads a row. A column of the wrong type (a damaged file) becomes an empty value, which the checksum refuses.
    init(row: Row) {
        key = KeychainKey(
            service: String.fromDatabaseValue(row["service"] as DatabaseValue) ?? "",
            account: String.fromDatabaseValue(row["account"] as DatabaseValue) ?? "",
            accessGroup: String.fromDatabaseValue(row["accessGroup"] as DatabaseValue) ?? "")
        value = Data.fromDatabaseValue(row["value"] as DatabaseValue) ?? Data()
        checksum = Data.fromDatabaseValue(row["checksum"] as DatabaseValue) ?? Data()
        revision = Int64.fromDatabaseValue(row["revision"] as DatabaseValue) ?? 0
        generation = Int64.fromDatabaseValue(row["generation"] as DatabaseValue) ?? 0
        // An unknown protection is the strictest one: a damaged row must not open an item.
        protection =
            Int.fromDatabaseValue(row["protection"] as DatabaseValue).flatMap(KeychainProtection.init)
            ?? .currentBiometricSet
        enrolment = Int.fromDatabaseValue(row["enrolment"] as DatabaseValue) ?? -1
    }
}
