import Dispatch
import Synchronization

/// Messages in the order of their arrival. Any thread sends; of several threads that take, each message reaches one.
///
/// Thread rule: any thread. Taking blocks its thread, without a lock; all else returns at once.
public final class Mailbox<Message: Sendable>: Sendable {
    // An array and not a slice of one: a slice would keep what was removed, and with it all that a message refers to.
    private let state = Mutex<(waiting: [Message], isClosed: Bool)>(([], false))
    /// Counts the messages, and after the end one more, which each taker passes on.
    ///
    /// A semaphore and not a condition variable: glibc before 2.41 can lose a condition's signal when a new waiter
    /// takes one that was meant for an older (bug 25847), and a message that wakes no thread is never taken.
    private let news = DispatchSemaphore(value: 0)

    /// Makes an empty one.
    public init() {}

    /// Whether ``close()`` was called; messages may still wait.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Adds a message.
    ///
    /// - Returns: false, with nothing added, after ``close()``.
    @discardableResult
    public func send(_ message: Message) -> Bool {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.waiting.append(message) }
            return !state.isClosed
        }
        if isOpen { news.signal() }
        return isOpen
    }

    /// Refuses messages from now on. The takers get those that wait, and then the end.
    public func close() {
        let wasOpen = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if wasOpen { news.signal() }
    }

    /// The oldest message, waited for.
    ///
    /// - Parameter timeoutNanoseconds: how long at most, in real time; nil waits without end.
    /// - Returns: nil when the mailbox is closed and empty, or the time is over.
    public func take(timeoutNanoseconds: Int64? = nil) -> Message? {
        next(timeoutNanoseconds) { $0.isEmpty ? nil : $0.removeFirst() }
    }

    /// All messages that wait, waited for without end until there is one.
    ///
    /// - Returns: nil when the mailbox is closed and empty.
    public func takeAll() -> [Message]? {
        next(nil) { waiting in
            defer { waiting = [] }
            return waiting.isEmpty ? nil : waiting
        }
    }

    private func next<Taken: Sendable>(
        _ timeoutNanoseconds: Int64?, _ remove: (inout [Message]) -> Taken?
    ) -> Taken? {
        let deadline: DispatchTime =
            if let timeoutNanoseconds { .now() + .nanoseconds(Int(timeoutNanoseconds)) } else { .distantFuture }
        // The signals of messages that were taken together find nothing.
        while news.wait(until: deadline) {
            let (taken, isClosed) = state.withLock { state in (remove(&state.waiting), state.isClosed) }
            if let taken { return taken }
            if isClosed {
                news.signal()
                return nil
            }
        }
        return nil
    }
}
