import Foundation
import GRDB
import LabSystem

/// The changes of requests, written by one thread, with one commit for all that were queued meanwhile.
///
/// The next requests gather during a commit, so that many share its cost. ``CommitWriter`` writes them.
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

    /// Starts the thread.
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
    func add(_ request: Request) {
        if !entries.send(.change(request)) { request.whenDone(ServerDatabaseError.closed) }
    }

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
