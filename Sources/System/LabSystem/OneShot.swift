import Dispatch
import Synchronization

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
    ///
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
    ///
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
    ///
    /// - Returns: false when the moment has come.
    func wait(until deadline: DispatchTime) -> Bool {
        while wait(timeout: deadline) == .timedOut {
            if deadline <= .now() { return false }
        }
        return true
    }
}
