// SPDX-License-Identifier: Apache-2.0

import CSimulatedDevice
package import Foundation
public import GRDB
import GRDBSQLite
import LabCore
import LabSystem
import Synchronization

/// A small SQLite database that several processes of one device use at the same time: the keychain, the queues of
/// the watch link.
///
/// Write-ahead logging with files that stay (no process deletes the log under another one's feet), a busy time-out
/// of ten seconds of real time, and write transactions that take the write lock at once, so that two writers never
/// deadlock by upgrading. A file with a newer schema than this program knows is refused.
///
/// `synchronous` is `NORMAL`: a committed transaction survives the death of any process. Only a crash of the machine
/// could lose one, and that ends the instance with everything in it.
///
/// Every page has a checksum, and so has the log (`CSimulatedDevice`): any difference from the written content is an
/// error, never an older or another state. A foreign program may read such a file, but must not fold its log.
///
/// Thread rule: any thread; calls block. The file is opened, and created if need be, by the first call.
public final class DeviceDatabase: Sendable {
    /// The tables of a database.
    public struct Schema: Sendable {
        /// What the database holds, for error messages.
        public let purpose: String
        /// Stored in `user_version`; a file with a greater number is refused.
        public let version: Int
        /// Statements that create the tables in an empty file.
        public let statements: String

        /// Creates a schema.
        public init(purpose: String, version: Int, statements: String) {
            self.purpose = purpose
            self.version = version
            self.statements = statements
        }
    }

    /// The file was written by a newer program.
    public struct NewerSchema: Error, CustomStringConvertible {
        let path: String
        let purpose: String
        let found: Int
        let known: Int

        /// What was found, what was expected, and what to do.
        public var description: String {
            """
            The \(purpose) database \(path) has schema version \(found); this program knows versions up to \(known). \
            Use the newer lab that wrote it, or start a new instance.
            """
        }
    }

    /// A file of the database is not as its processes have written it.
    public struct Damaged: Error, CustomStringConvertible {
        let purpose: String
        /// The damaged part with its file.
        let part: String

        /// What is damaged, and what to do.
        public var description: String {
            """
            The \(purpose) database is damaged: \(part) does not match its checksum. Nothing was changed. Erase the \
            device, or start a new instance.
            """
        }
    }

    private let path: String
    private let schema: Schema
    private let connection = Mutex<DatabaseQueue?>(nil)

    /// Describes a database; nothing is opened yet.
    public init(path: String, schema: Schema) {
        self.path = path
        self.schema = schema
    }

    /// Runs a read transaction: one consistent view.
    public func read<T>(_ body: (Database) throws -> T) throws -> T {
        try namingDamage {
            try queue().unsafeRead { db in
                try db.beginTransaction(.deferred)
                defer { try? db.rollback() }
                return try body(db)
            }
        }
    }

    /// Runs a write transaction; it is rolled back when `body` throws.
    public func write<T>(_ body: (Database) throws -> T) throws -> T { try namingDamage { try queue().write(body) } }

    /// Runs one statement that writes, which is a transaction by itself: half the work of ``write(_:)``.
    public func writeOne<T>(_ statement: (Database) throws -> T) throws -> T {
        try namingDamage { try queue().writeWithoutTransaction(statement) }
    }

    /// SQLite calls a page that does not match its checksum an input error; the reader learns which file it is.
    private func namingDamage<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_DATA {
            throw Damaged(purpose: schema.purpose, part: "a page of \(path)")
        }
    }

    private func queue() throws -> DatabaseQueue {
        try connection.withLock { connection in
            if let connection { return connection }
            let opened = try open()
            connection = opened
            return opened
        }
    }

    private func open() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.label = "device.\(schema.purpose)"
        configuration.prepareDatabase { db in
            try Self.control(db, SQLITE_FCNTL_RESERVE_BYTES, page_checksum_reserved)
            // The library's own way to the log also makes sure for readers of a pool that it is not empty: a part of
            // every app's launch, for nothing here. Pages reach the log at the commit only: one that is written twice in
            // a transaction would not match the sums of its frame meanwhile.
            try db.execute(
                sql: """
                    PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;
                    PRAGMA cache_spill = OFF
                    """)
            try Self.control(db, SQLITE_FCNTL_PERSIST_WAL, 1)
        }
        // SQLite gives the log files the mode of the database file: items are secrets.
        if !Files.exists(path) { try Files.touch(path) }
        try verifyLog()
        let queue = try DatabaseQueue(path: try checkedLocation(), configuration: configuration)
        if try queue.unsafeRead({ try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0 }) != schema.version {
            try queue.write(prepareTables)
        }
        return queue
    }

    private static func control(_ db: Database, _ option: CInt, _ value: CInt) throws {
        var value = value
        let code = sqlite3_file_control(db.sqliteConnection, nil, option, &value)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Refuses a log that differs from the committed content, which SQLite would truncate silently.
    private func verifyLog() throws {
        var damage = page_checksum_damage()
        let code = page_checksum_verify_log(path, &damage)
        guard code <= 0 else {
            throw Damaged(
                purpose: schema.purpose,
                part:
                    "\(String(cString: damage.part)) at offset \(damage.offset) of \(path)\(String(cString: damage.file))"
            )
        }
        guard code == 0 else { throw SystemError(call: "open", errno: -code, path: path) }
    }

    /// The file as SQLite opens it with the layer of checksums.
    private func checkedLocation() throws -> String {
        let code = page_checksum_register()
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        guard sqlite3_compileoption_used("USE_URI") != 0,
            let name = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
        else {
            throw DatabaseError(
                message: "SQLite is built without USE_URI, which \(path) needs; install the system's libsqlite3")
        }
        return "file:\(name)?vfs=\(String(cString: page_checksum_vfs))"
    }

    private func prepareTables(_ db: Database) throws {
        let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if found == schema.version { return }
        guard found == 0 else {
            throw NewerSchema(path: path, purpose: schema.purpose, found: found, known: schema.version)
        }
        try db.execute(sql: schema.statements)
        try db.execute(sql: "PRAGMA user_version = \(schema.version)")
    }
}

/// The form of the small files that a device keeps: a value and a checksum over it, so that no damage reads as a missing
/// or another value. A damaged file is an error until a person removes it; it is never replaced.
package enum CheckedFile {
    /// A file is not as the device has written it.
    package struct Damaged: Error, CustomStringConvertible, Sendable {
        let path: String

        /// What is damaged, and what to do.
        package var description: String {
            "'\(path)' is damaged: its content does not match its checksum. Erase the device, or start a new instance."
        }
    }

    private static let checksum = "checksum"
    private static let content = "values"

    /// The bytes of a file that holds a value.
    package static func encoded(_ value: some Encodable) throws -> Data {
        let value = try JSONValue(encoding: value)
        return JSONValue.object([checksum: .string(digest(of: value)), content: value]).encoded()
    }

    /// The value in the bytes of a file.
    /// - Parameter path: where the bytes come from, for the error.
    /// - Throws: ``Damaged`` for bytes that ``encoded(_:)`` has not made.
    package static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from data: Data, at path: String
    ) throws -> Value {
        guard case .object(let file)? = try? JSONValue.parse(data), let value = file[content],
            file[checksum] == .string(digest(of: value)), let decoded = try? value.decode(type)
        else { throw Damaged(path: path) }
        return decoded
    }

    /// The value of a file.
    package static func read<Value: Decodable>(_ type: Value.Type = Value.self, at path: String) throws -> Value {
        try decode(type, from: try Files.read(path), at: path)
    }

    /// Replaces a file in one step.
    package static func write(_ value: some Encodable, to path: String) throws {
        try Files.write(try encoded(value), to: path)
    }

    private static func digest(of value: JSONValue) -> String { sha256(value.encoded()).hexadecimal }
}
