// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabSystem
import Synchronization

/// Writes requests together: a savepoint for each, and one commit for all.
///
/// A failed request leaves nothing behind and does not affect the others. Replies leave after the commit, so that no
/// answer is sent before its state is stored.
///
/// Thread rule: the writing thread of a ``CommitQueue``.
final class CommitWriter: Sendable {
    private let pool: DatabasePool
    private let cache: RowCache
    private let beforeCommit: @Sendable () throws -> Void
    private let hasCommitted: @Sendable (Database) -> Void
    /// The state of the file as SQLite numbers it; the commit of another program makes it another one.
    private let knownVersion = Mutex<Int?>(nil)

    /// - Parameter beforeCommit: passed by each request at its end; throwing undoes the request.
    init(
        _ pool: DatabasePool, cache: RowCache, beforeCommit: @escaping @Sendable () throws -> Void,
        hasCommitted: @escaping @Sendable (Database) -> Void
    ) {
        self.pool = pool
        self.cache = cache
        self.beforeCommit = beforeCommit
        self.hasCommitted = hasCommitted
    }

    /// Does everything, in its order.
    func perform(_ entries: [CommitEntry]) {
        var requests: [CommitQueue.Request] = []
        for entry in entries {
            switch entry {
            case .change(let request): requests.append(request)
            case .alone(let body):
                commit(requests[...])
                requests = []
                body()
            }
        }
        commit(requests[...])
    }

    /// Commits requests together. Those behind one that has ended the transaction get another one.
    private func commit(_ requests: ArraySlice<CommitQueue.Request>) {
        guard !requests.isEmpty else { return }
        var failures: [(any Error)?] = []
        do {
            try pool.writeWithoutTransaction { database in
                try transaction(requests, database, &failures)
                hasCommitted(database)
            }
        } catch {
            // Nothing of any of them is stored. When the transaction could not even begin, that is true of all.
            failures = Array(repeating: error, count: failures.isEmpty ? requests.count : failures.count)
        }
        for (request, failure) in zip(requests, failures) { request.whenDone(failure) }
        commit(requests.dropFirst(failures.count))
    }

    /// - Parameter failures: gets what became of each request that was tried.
    /// - Throws: when nothing of them was committed.
    private func transaction(
        _ requests: ArraySlice<CommitQueue.Request>, _ database: Database, _ failures: inout [(any Error)?]
    ) throws {
        try database.beginTransaction(.immediate)
        do {
            try forgetWhatOthersChanged(database)
            let rows = TransactionRows(cache)
            for request in requests {
                do {
                    try write(request, database, rows)
                    failures.append(nil)
                } catch {
                    failures.append(error)
                    // SQLite gives up the whole transaction when it has no space or memory left.
                    guard database.isInsideTransaction else { throw error }
                }
            }
            try database.commit()
            rows.publish()
            for (request, failure) in zip(requests, failures) where failure == nil { request.whenCommitted() }
        } catch {
            if database.isInsideTransaction { try database.rollback() }
            throw error
        }
    }

    private func write(_ request: CommitQueue.Request, _ database: Database, _ rows: TransactionRows) throws {
        try database.cachedStatement(sql: "SAVEPOINT request").execute()
        do {
            try request.write(database, rows)
            try beforeCommit()
            try database.cachedStatement(sql: "RELEASE request").execute()
            rows.endRequest(stands: true)
        } catch {
            rows.endRequest(stands: false)
            guard database.isInsideTransaction else { throw error }
            try database.cachedStatement(sql: "ROLLBACK TO request").execute()
            try database.cachedStatement(sql: "RELEASE request").execute()
            throw error
        }
    }

    /// Detects writes of another program into the same file, such as a tester's `sqlite3`.
    private func forgetWhatOthersChanged(_ database: Database) throws {
        let version = try Int.fetchOne(database.cachedStatement(sql: "PRAGMA data_version"))
        let isKnown = knownVersion.withLock { known in
            defer { known = version }
            return known == version
        }
        if !isKnown { cache.forgetAll() }
    }
}

/// The changes of requests, written by one thread, with one commit for all that were queued meanwhile.
///
/// The next requests gather during a commit, so that many share its cost. ``CommitWriter`` writes them. This is no actor
/// on a thread of its own: its jobs run one by one, so each request would suspend in its turn until the common commit, and
/// those that block for their answer could not call it.
///
/// Thread rule: any thread. The thread ends with ``close()`` or the last reference, after the queued changes.
final class CommitQueue: Sendable {
    /// One request's part of a transaction. All functions are called on the writing thread.
    struct Request: Sendable {
        /// Reads and writes. Throwing leaves nothing of what was written.
        let write: @Sendable (Database, TransactionRows) throws -> Void
        /// Called in the order of the changes as soon as they are committed, before the next transaction begins; not
        /// called when nothing was committed.
        let whenCommitted: @Sendable () -> Void
        /// Called last, and always; nil when the change is committed.
        let whenDone: @Sendable ((any Error)?) -> Void
    }

    private let entries = Mailbox<CommitEntry>()
    private let hasEnded = OneShot<Void>()

    init(_ writer: CommitWriter) {
        // The thread holds the entries only, so that it does not keep its owner alive.
        let thread = Thread { [entries, hasEnded] in
            while let next = entries.takeAll() { writer.perform(next) }
            hasEnded.set()
        }
        thread.name = "server writer"
        thread.start()
    }

    deinit { entries.close() }

    /// Queues a change. Returns at once; a closed queue refuses by ``Request/whenDone``.
    func add(_ request: Request) { if !entries.send(.change(request)) { request.whenDone(ServerDatabaseError.closed) } }

    /// Runs something between two transactions, on the writing thread, and waits for it.
    /// - Throws: what the body throws; `closed` when the queue is, and nothing is run then.
    func alone(_ body: @escaping @Sendable () throws -> Void) throws {
        let outcome = OneShot<Result<Void, any Error>>()
        let isAdded = entries.send(.alone { outcome.set(Result { try body() }) })
        guard isAdded else { throw ServerDatabaseError.closed }
        try outcome.wait().get()
    }

    /// Writes the queued changes, and ends the thread.
    func close() {
        entries.close()
        hasEnded.wait()
    }
}

/// Something for the writing thread to do.
enum CommitEntry: Sendable {
    case change(CommitQueue.Request)
    /// Work with exclusive access to the database.
    case alone(@Sendable () -> Void)
}
