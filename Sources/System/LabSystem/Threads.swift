// SPDX-License-Identifier: Apache-2.0

import CLabSystem
import Dispatch
import Glibc
import Synchronization

/// A thread started by `runOnThread`. Thread rule: any thread may join.
public final class ThreadHandle: Sendable {
    fileprivate let finished = OneShot<Void>()

    fileprivate init() {}

    /// Waits until the body has returned. Must not be called by the thread itself.
    public func join() { finished.wait() }
}

/// Runs `body` on a new thread of its own, outside of Swift's cooperative pool, so that it may block.
/// - Parameters:
///   - name: what debuggers and `/proc` show; cut to the kernel's 15 bytes.
///   - stackSize: bytes of stack.
@discardableResult
public func runOnThread(
    name: String, stackSize: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void
) -> ThreadHandle {
    let handle = ThreadHandle()
    let start = Unmanaged.passRetained(ThreadStart(name: name, handle: handle, body: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, max(stackSize, 64 * 1024))
    var thread = pthread_t()
    let result = pthread_create(
        &thread, &attributes,
        { argument in
            // The argument is the one passed below, never nil.
            let start = Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue()
            csystem_set_thread_name(String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
            start.body()
            start.handle.finished.set()
            return nil
        }, start.toOpaque())
    pthread_attr_destroy(&attributes)
    // Without memory for a thread this process cannot continue as designed.
    precondition(result == 0, "pthread_create: \(SystemError(call: "pthread_create", errno: result))")
    return handle
}

/// Runs a body that blocks on a new thread of its own, while the caller waits for its result without holding a thread.
///
/// The thread has 8 MiB of stack, as a main thread has, because the body may be any code.
/// - Parameter name: what debuggers and `/proc` show; cut to the kernel's 15 bytes.
/// - Throws: what the body throws.
public func onThread<Value: Sendable, Failure: Error>(
    named name: String, _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let outcome: Result<Value, Failure> = await withCheckedContinuation { continuation in
        runOnThread(name: name, stackSize: 8 << 20) { continuation.resume(returning: Result(catching: body)) }
    }
    return try outcome.get()
}

private final class ThreadStart: Sendable {
    let name: String
    let handle: ThreadHandle
    let body: @Sendable () -> Void

    init(name: String, handle: ThreadHandle, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.handle = handle
        self.body = body
    }
}

/// A value that is set once, from any thread, and that any number of threads wait for.
///
/// Thread rule: any thread. A wait blocks its thread, without a lock.
public final class OneShot<Value: Sendable>: Sendable {
    private let stored = Mutex<Value?>(nil)
    /// Signalled once; each waiter passes the signal on to the next one.
    private let isSet = DispatchSemaphore(value: 0)

    /// Makes one that is not set.
    public init() {}

    /// Sets the value and ends all waits. Returns at once.
    /// - Returns: false when it was set before; the first value stays.
    @discardableResult
    public func set(_ value: Value) -> Bool {
        let isFirst = stored.withLock { stored in
            guard stored == nil else { return false }
            stored = value
            return true
        }
        if isFirst { isSet.signal() }
        return isFirst
    }

    /// The value, waited for without end.
    public func wait() -> Value {
        while true {
            if let value = stored.withLock({ $0 }) { return value }
            isSet.wait()
            isSet.signal()
        }
    }

    /// The value, waited for no longer than a time.
    /// - Parameter timeoutNanoseconds: how long at most, in real time.
    /// - Returns: nil when the time is over.
    public func wait(timeoutNanoseconds: Int64) -> Value? {
        if isSet.wait(until: .now() + .nanoseconds(Int(timeoutNanoseconds))) { isSet.signal() }
        return stored.withLock { $0 }
    }
}

extension OneShot where Value == Void {
    /// Ends all waits; see ``set(_:)``.
    @discardableResult
    public func set() -> Bool { set(()) }
}

extension DispatchSemaphore {
    /// Waits for a signal until a moment.
    ///
    /// The library measures a limit by the wall clock: a step of it can end a wait early, which is then repeated.
    /// - Returns: false when the moment has come.
    func wait(until deadline: DispatchTime) -> Bool {
        while wait(timeout: deadline) == .timedOut {
            if deadline <= .now() { return false }
        }
        return true
    }
}

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
    /// - Parameter timeoutNanoseconds: how long at most, in real time; nil waits without end.
    /// - Returns: nil when the mailbox is closed and empty, or the time is over.
    public func take(timeoutNanoseconds: Int64? = nil) -> Message? {
        next(timeoutNanoseconds) { $0.isEmpty ? nil : $0.removeFirst() }
    }

    /// All messages that wait, waited for without end until there is one.
    /// - Returns: nil when the mailbox is closed and empty.
    public func takeAll() -> [Message]? {
        next(nil) { waiting in
            defer { waiting = [] }
            return waiting.isEmpty ? nil : waiting
        }
    }

    private func next<Taken: Sendable>(_ timeoutNanoseconds: Int64?, _ remove: (inout [Message]) -> Taken?) -> Taken? {
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

/// A place for one handler, which one thread sets and any thread calls.
///
/// A function value directly in a generic container, as in `Mutex<(() -> Void)?>`, is wrapped in one more closure each
/// time the container is read and written back; after some thousand reads a call needs more stack than a thread has.
/// Here the function is a constant of an object, and the container holds the object.
///
/// Thread rule: any thread. The handler is called on the caller's thread, without a lock.
public final class HandlerSlot<Argument>: Sendable {
    private final class Handler: Sendable {
        let call: @Sendable (Argument) -> Void

        init(_ call: @escaping @Sendable (Argument) -> Void) { self.call = call }
    }

    private let handler = Mutex<Handler?>(nil)

    /// Makes an empty slot: a call does nothing until ``set(_:)``.
    public init() {}

    /// Replaces the handler. A call that has begun still reaches the previous one.
    public func set(_ handler: @escaping @Sendable (Argument) -> Void) {
        let new = Handler(handler)
        self.handler.withLock { $0 = new }
    }

    /// Calls the handler, if there is one.
    public func callAsFunction(_ argument: Argument) { handler.withLock { $0 }?.call(argument) }
}

extension HandlerSlot where Argument == Void {
    /// Calls the handler, if there is one.
    public func callAsFunction() { self(()) }
}
