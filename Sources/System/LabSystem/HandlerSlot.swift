import Synchronization

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
    public func callAsFunction(_ argument: Argument) {
        handler.withLock { $0 }?.call(argument)
    }
}

extension HandlerSlot where Argument == Void {
    /// Calls the handler, if there is one.
    public func callAsFunction() { self(()) }
}
