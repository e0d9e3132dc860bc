import Foundation
import GRDB

/// The server's SQLite database: one writer, several readers.
///
/// A write is one immediate transaction, which is the row lock of every state change. When `change` has returned, what it
/// wrote survives the death of the process: the write-ahead log is in the kernel's hands by then.
///
/// Thread rule: worker threads only (see ``WorkerThreads``); all methods block.
final class ServerDatabase: Sendable {
    private let pool: DatabasePool
    /// What a change passes before and after its commit; a lab injects faults there.
    private let hooks: CommitHooks

    /// What happens around a commit. Throwing from `beforeCommit` rolls back.
    struct CommitHooks: Sendable {
        var beforeCommit: @Sendable () throws -> Void = {}
        var afterCommit: @Sendable () throws -> Void = {}
    }

    /// Opens or creates the database and brings its schema up to date.
    /// - Parameters:
    ///   - path: the database file; its directory exists.
    ///   - hooks: see ``CommitHooks``.
    /// - Throws: ``ServerDatabaseError/newerSchema(path:unknown:)`` for a database written by a later server;
    ///   GRDB's `DatabaseError` for anything SQLite refuses.
    init(path: String, hooks: CommitHooks = CommitHooks()) throws {
        var configuration = Configuration()
        configuration.label = "server"
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            // The write-ahead log makes a commit safe against the death of the process; only a power
            // failure could undo the last ones, which is not worth a disk flush for every signature.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            // Every fold of the log into the database waits for the disk twice: do it each 16 MiB, not each 4.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 4096")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        self.hooks = hooks
        try ServerSchema.bringUpToDate(pool, path: path)
    }

    /// Reads a consistent snapshot.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try pool.read(body)
    }

    /// Runs one immediate transaction. A throwing body changes nothing.
    func change<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let value = try pool.write { database in
            let value = try body(database)
            try hooks.beforeCommit()
            return value
        }
        try hooks.afterCommit()
        return value
    }

    /// Writes a copy of the present state to another file, replacing what is there.
    func copy(to path: String) throws {
        let copy = try DatabaseQueue(path: path)
        try pool.backup(to: copy)
        try copy.close()
    }

    /// Replaces the state by the one in another file, which a server of the same schema wrote.
    func replace(from path: String) throws {
        let source = try DatabaseQueue(path: path)
        try source.backup(to: pool)
        try source.close()
    }

    /// Folds the write-ahead log into the database file and closes all connections.
    func close() throws {
        // The readers close last and cannot write, so the log is folded in before anything closes.
        try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try pool.close()
    }
}

/// Why a database is not opened.
enum ServerDatabaseError: Error, CustomStringConvertible {
    case newerSchema(path: String, unknown: [String])

    var description: String {
        switch self {
        case .newerSchema(let path, let unknown):
            """
            \(path) was written by a newer server (unknown schema steps: \(unknown.joined(separator: ", "))). \
            Start the newer server, or choose another directory.
            """
        }
    }
}
