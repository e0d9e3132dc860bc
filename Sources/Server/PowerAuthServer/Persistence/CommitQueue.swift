import Dispatch
import Foundation
import GRDB
import Synchronization

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

    private let entries = CommitEntries()
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Starts the thread.
    init(_ writer: CommitWriter) {
        // The thread holds the entries only, so that it does not keep its owner alive.
        let thread = Thread { [entries, hasEnded] in
            while let next = entries.next() { writer.perform(next) }
            hasEnded.signal()
        }
        thread.name = "server writer"
        thread.start()
    }

    deinit { _ = entries.close() }

    /// Queues a change. Returns at once; a closed queue refuses by ``Request/whenDone``.
    func add(_ request: Request) {
        if !entries.add(.change(request)) { request.whenDone(ServerDatabaseError.closed) }
    }

    /// Runs something between two transactions, on the writing thread, and waits for it.
    /// - Throws: `closed` when the queue is; nothing is run then.
    func alone(_ body: @escaping @Sendable () -> Void) throws {
        let isDone = DispatchSemaphore(value: 0)
        let isAdded = entries.add(
            .alone {
                body()
                isDone.signal()
            })
        guard isAdded else { throw ServerDatabaseError.closed }
        isDone.wait()
    }

    /// Writes the queued changes, and ends the thread.
    func close() {
        if entries.close() { hasEnded.wait() }
    }
}

/// Something for the writing thread to do.
enum CommitEntry: Sendable {
    case change(CommitQueue.Request)
    /// Work with exclusive access to the database.
    case alone(@Sendable () -> Void)
}

/// The queued entries.
///
/// A semaphore and not a condition variable, for the reason that ``WorkerThreads`` has. Thread rule: any thread.
private final class CommitEntries: Sendable {
    private let state = Mutex<(waiting: [CommitEntry], isClosed: Bool)>(([], false))
    /// Signalled when the first one comes, and at the end.
    private let wakeUp = DispatchSemaphore(value: 0)

    /// - Returns: false when the queue is closed.
    func add(_ entry: CommitEntry) -> Bool {
        let (isAdded, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.waiting.append(entry)
            return (true, state.waiting.count == 1)
        }
        if isFirst { wakeUp.signal() }
        return isAdded
    }

    /// Everything that is waiting, waited for; nil when the queue is closed and empty.
    func next() -> [CommitEntry]? {
        while true {
            let (entries, isClosed) = state.withLock { state in
                defer { state.waiting = [] }
                return (state.waiting, state.isClosed)
            }
            if !entries.isEmpty { return entries }
            if isClosed { return nil }
            wakeUp.wait()
        }
    }

    /// - Returns: whether it was open.
    func close() -> Bool {
        let wasOpen = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if wasOpen { wakeUp.signal() }
        return wasOpen
    }
}
