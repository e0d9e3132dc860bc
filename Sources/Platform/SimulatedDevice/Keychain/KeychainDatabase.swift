// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The SQLite file behind all keychains of a device.
///
/// Thread rule: any thread; the connection is opened by the first call.
final class KeychainDatabase: Sendable {
    private let database: DeviceDatabase

    init(path: String) { database = DeviceDatabase(path: path, schema: Self.schema) }

    /// `revision` is the stamp of one write and never repeats; `generation` counts the writes of one item.
    private static let schema = DeviceDatabase.Schema(
        purpose: "keychain", version: 4,
        statements: """
            CREATE TABLE item (
                service TEXT NOT NULL, account TEXT NOT NULL, accessGroup TEXT NOT NULL,
                value BLOB NOT NULL, checksum BLOB NOT NULL,
                revision INTEGER NOT NULL, generation INTEGER NOT NULL, creator TEXT NOT NULL,
                protection INTEGER NOT NULL, enrolment INTEGER NOT NULL, accessibility INTEGER NOT NULL,
                PRIMARY KEY (service, account, accessGroup)
            ) WITHOUT ROWID;
            """)

    enum UpdateOutcome {
        case notFound
        case otherRevision
        case written(revision: Int64, keys: [KeychainKey])
    }

    /// Inserts a row; nil when the key is taken.
    func insert(
        _ value: Data, at key: KeychainKey, creator: String, protection: KeychainProtection, enrolment: Int,
        accessibility: KeychainAccessibility
    ) throws -> Int64? {
        try database.writeOne { db in
            let revision = Self.newRevision()
            try db.cachedStatement(
                sql: "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
            ).execute(
                arguments: [
                    key.service, key.account, key.accessGroup, value, KeychainItem.checksum(of: value, at: key),
                    revision, creator, protection.rawValue, enrolment, accessibility.rawValue,
                ])
            return db.changesCount == 0 ? nil : revision
        }
    }

    /// Puts back items of a backup, in place of those that are there. Each is a write of its own, so it gets a new
    /// revision; a value that was damaged when the backup was made stays so. The set that was enrolled then is lost: no
    /// later one has the number -1.
    func restore(_ items: [KeychainItem]) throws {
        try database.write { db in
            let statement = try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            for item in items {
                try statement.execute(
                    arguments: [
                        item.key.service, item.key.account, item.key.accessGroup, item.value, item.checksum,
                        Self.newRevision(), item.generation, item.creator, item.protection.rawValue,
                        item.protection == .currentBiometricSet ? -1 : 0, item.accessibility.rawValue,
                    ])
            }
        }
    }

    func first(service: String, account: String, groups: [String]) throws -> KeychainItem? {
        try database.read { db in try Self.first(db, service: service, account: account, groups: groups) }
    }

    func update(
        _ value: Data, service: String, account: String, groups: [String], accessibility: KeychainAccessibility?,
        expectedRevision: Int64?
    ) throws -> UpdateOutcome {
        let revision = Self.newRevision()
        let write = { (db: Database) in
            try groups.map { KeychainKey(service: service, account: account, accessGroup: $0) }.filter {
                try Self.update(db, $0, value, accessibility, revision: revision, expected: expectedRevision)
            }
        }
        let keys = try groups.count == 1 ? database.writeOne(write) : database.write(write)
        guard keys.isEmpty else { return .written(revision: revision, keys: keys) }
        return try first(service: service, account: account, groups: groups) == nil ? .notFound : .otherRevision
    }

    /// Replaces the value of a row if it is there, and is of the expected revision; nil expects none, and keeps the
    /// accessibility.
    private static func update(
        _ db: Database, _ key: KeychainKey, _ value: Data, _ accessibility: KeychainAccessibility?, revision: Int64,
        expected: Int64?
    ) throws -> Bool {
        try db.cachedStatement(
            sql: """
                UPDATE item SET value = ?1, checksum = ?2, revision = ?3, generation = generation + 1,
                protection = 0, enrolment = 0, accessibility = IFNULL(?8, accessibility)
                WHERE service = ?4 AND account = ?5 AND accessGroup = ?6 AND (?7 IS NULL OR revision = ?7)
                """
        ).execute(
            arguments: [
                value, KeychainItem.checksum(of: value, at: key), revision, key.service, key.account,
                key.accessGroup, expected, accessibility?.rawValue,
            ])
        return db.changesCount > 0
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

    /// Every row of the device, of all owners.
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

    /// A stamp that no other write has: of 2⁶³ values drawn at random, none comes twice in the life of a device.
    private static func newRevision() -> Int64 { .random(in: 1...Int64.max) }
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
        creator = String.fromDatabaseValue(row["creator"] as DatabaseValue) ?? ""
        // An unknown protection is the strictest one: a damaged row must not open an item.
        protection =
            Int.fromDatabaseValue(row["protection"] as DatabaseValue).flatMap(KeychainProtection.init(rawValue:))
            ?? .currentBiometricSet
        enrolment = Int.fromDatabaseValue(row["enrolment"] as DatabaseValue) ?? -1
        // The stricter one, for the same reason.
        accessibility =
            Int.fromDatabaseValue(row["accessibility"] as DatabaseValue).flatMap(KeychainAccessibility.init(rawValue:))
            ?? .afterFirstUnlockThisDeviceOnly
    }
}

/// The device's own view of its keychain: every item of every owner, without the values. For the device agent and for
/// reports; an app never sees it.
public struct KeychainInventory: Sendable {
    private let database: KeychainDatabase

    /// Looks into the keychain file at `path`.
    public init(path: String) { database = KeychainDatabase(path: path) }

    /// One stored item.
    public struct Entry: Sendable {
        /// Identity of the item.
        public let key: KeychainKey
        /// Size of the value in bytes.
        public let size: Int
        /// The authentication that is required to read the value.
        public let protection: KeychainProtection
        /// How often the value was written.
        public let generation: Int64
        /// Whether the value matches its checksum.
        public let isIntact: Bool
    }

    /// The items of a service, or of all services, ordered by access group, service and account.
    public func entries(service: String? = nil) throws -> [Entry] {
        try database.everything(service: service).map {
            Entry(
                key: $0.key, size: $0.value.count, protection: $0.protection, generation: $0.generation,
                isIntact: $0.isIntact)
        }
    }
}
