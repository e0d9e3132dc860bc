public import Foundation
public import PowerAuthShared
import Synchronization

/// Waits for a callback: `register` gets the function to call.
public func callback<T: Sendable>(_ register: (@escaping @Sendable (T) -> Void) -> Void) async -> T {
    // Thread Sanitizer does not see that a continuation orders what comes before and after it when it is resumed before
    // a task waits for it; it does see this lock.
    let order = Mutex(())
    let value = await withCheckedContinuation { continuation in
        register { value in
            order.withLock { _ in }
            continuation.resume(returning: value)
        }
    }
    order.withLock { _ in }
    return value
}

/// Waits for a callback with a value or an error.
public func outcome<Value: Sendable>(
    _ call: (@escaping @Sendable (Value?, NSError?) -> Void) -> Void
) async -> Result<Value, NSError> {
    await callback { report in
        call { value, error in
            report(value.map { .success($0) } ?? .failure(error ?? NSError(domain: "no result", code: 0)))
        }
    }
}

/// Waits for a callback with an optional error.
public func failure(_ call: (@escaping @Sendable (NSError?) -> Void) -> Void) async -> NSError? {
    await callback { report in call { report($0) } }
}

extension Result where Failure == NSError {
    /// The SDK's error code of a failure.
    public var code: PowerAuthErrorCode? {
        if case .failure(let error) = self { error.powerAuthErrorCode } else { nil }
    }
}
