// SPDX-License-Identifier: Apache-2.0

import GRDB
import LabSystem
import ServiceLifecycle
import Synchronization

/// The server's SQLite database: one writer, several readers.
///
/// Changes go through a ``CommitQueue``: each has exclusive access to the database, which replaces row locks for state
/// changes, and many are committed at once. A change whose reply was sent survives a crash of the process: the
/// write-ahead log has been written to the kernel by then.
///
/// Thread rule: worker threads (see ``WorkerThreads``), but for ``submit(_:whenCommitted:whenDone:)`` and the cache; all
/// other methods block.
final class ServerDatabase: Sendable {
    /// The rows that every request reads.
    let cache = RowCache()
    private let pool: DatabasePool
    private let queue: CommitQueue
    private let checkpointer: Checkpointer
    /// Called around a change and its commit; a lab injects faults there.
    private let hooks: CommitHooks

    /// What happens around a commit. Throwing from `beforeCommit` rolls back.
    struct CommitHooks: Sendable {
        /// On the caller's thread, before the change is queued.
        var beforeChange: @Sendable () -> Void = {}
        var beforeCommit: @Sendable () throws -> Void = {}
        var afterCommit: @Sendable () throws -> Void = {}
    }

    /// Opens or creates the database and brings its schema up to date.
    /// - Parameter path: the database file; its directory exists.
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
            // No commit waits for the disk: the log is folded beside them.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        self.hooks = hooks
        try DatabaseSchema.bringUpToDate(pool, path: path)
        let checkpointer = try Checkpointer(path: path)
        self.checkpointer = checkpointer
        queue = CommitQueue(
            CommitWriter(pool, cache: cache, beforeCommit: hooks.beforeCommit, hasCommitted: checkpointer.noteCommit))
    }

    /// Reads a consistent snapshot.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value { try pool.read(body) }

    /// Makes one change, alone with the database. A throwing body changes nothing.
    /// - Parameter whenCommitted: called on the writing thread, in the order of the commits, before the next change.
    func change<Value>(
        _ body: @escaping (Database, TransactionRows) throws -> Value, whenCommitted: @escaping () -> Void
    ) throws -> Value {
        hooks.beforeChange()
        let awaited = AwaitedChange(body: body, whenCommitted: whenCommitted)
        queue.add(
            CommitQueue.Request(
                write: { awaited.value = try awaited.body($0, $1) }, whenCommitted: { awaited.whenCommitted() },
                whenDone: { awaited.isDone.set($0) }))
        if let failure = awaited.isDone.wait() { throw failure }
        try hooks.afterCommit()
        // Without a failure the body has returned.
        guard let value = awaited.value else { throw ServerDatabaseError.closed }
        return value
    }

    /// Makes one change without blocking the caller. Any thread.
    ///
    /// The hooks before the change and after its commit are not called: a server with armed faults does not use this
    /// method.
    /// - Parameter whenDone: called on the writing thread with the result of the body, after the commit.
    func submit<Value: Sendable>(
        _ body: @escaping @Sendable (Database, TransactionRows) throws -> Value,
        whenCommitted: @escaping @Sendable () -> Void, whenDone: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let value = Mutex<Value?>(nil)
        queue.add(
            CommitQueue.Request(
                write: { database, rows in
                    let made = try body(database, rows)
                    value.withLock { $0 = made }
                },
                whenCommitted: whenCommitted,
                whenDone: { failure in
                    // Without a failure the body has returned.
                    if failure == nil, let made = value.withLock({ $0 }) {
                        whenDone(.success(made))
                    } else {
                        whenDone(.failure(failure ?? ServerDatabaseError.closed))
                    }
                }))
    }

    /// Writes a copy of the present state to another file, replacing what is there.
    func copy(to path: String) throws {
        let copy = try DatabaseQueue(path: path)
        try pool.backup(to: copy)
        try copy.close()
    }

    /// Replaces the state by the one in another file, which a server of the same schema wrote.
    func replace(from path: String) throws {
        // No change may begin with rows of the old state.
        try queue.alone { [pool, cache] in
            defer { cache.forgetAll() }
            let source = try DatabaseQueue(path: path)
            try source.backup(to: pool)
            try source.close()
        }
    }

    /// Finishes the queued changes, folds the write-ahead log into the database file and closes all connections.
    func close() throws {
        queue.close()
        checkpointer.close()
        // The readers close last and cannot write, so the log is folded in before anything closes.
        try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try pool.close()
    }
}

extension ServerDatabase: Service {
    /// Closes the database when the server ends; a cancelled task leaves it open.
    func run() async throws {
        try await gracefulShutdown()
        try await end()
    }

    /// Does the work of ``close()`` without blocking the caller's thread.
    func end() async throws { try await onThread(named: "server close") { try self.close() } }
}

/// A change that one thread makes, and whose result another one waits for.
///
/// Safe to share although nothing of it need be: the one that made it waits until `isDone` is set, which is the last
/// thing that the other one does with it, so that the two never use it at once.
private final class AwaitedChange<Value>: @unchecked Sendable {
    let body: (Database, TransactionRows) throws -> Value
    let whenCommitted: () -> Void
    /// The failure, if there is one.
    let isDone = OneShot<(any Error)?>()
    var value: Value?

    init(body: @escaping (Database, TransactionRows) throws -> Value, whenCommitted: @escaping () -> Void) {
        self.body = body
        self.whenCommitted = whenCommitted
    }
}

/// Why a database is not opened, or not written.
enum ServerDatabaseError: Error, CustomStringConvertible {
    case newerSchema(path: String, unknown: [String])
    /// A change came after the end.
    case closed

    var description: String {
        switch self {
        case .newerSchema(let path, let unknown):
            """
            \(path) was written by a newer server (unknown schema steps: \(unknown.joined(separator: ", "))). \
            Start the newer server, or choose another directory.
            """
        case .closed: "the database is closed, because the server is stopping; start it again"
        }
    }
}
