// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Foundation
import LabSystem
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
    _ call: (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
) async -> Result<Value, NSError> {
    await callback { report in
        call { value, error in
            let failure = error.map { $0 as NSError } ?? NSError(domain: "no result", code: 0)
            report(value.map { .success($0) } ?? .failure(failure))
        }
    }
}

/// Waits for a callback with an optional error.
public func failure(_ call: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async -> NSError? {
    await callback { report in call { error in report(error.map { $0 as NSError }) } }
}

/// The error that a body throws; nil when it throws none.
public func thrown(_ body: () throws -> Void) -> (any Error)? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}

extension Result where Failure == NSError {
    /// The error of a failure.
    public var failure: NSError? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The SDK's error code of a failure.
    public var code: PowerAuthErrorCode? {
        if case .failure(let error) = self { error.powerAuthErrorCode } else { nil }
    }
}

/// Runs a body that blocks on a thread of its own, because the concurrency runtime has only a few.
///
/// - Parameter body: a test, or a part of one; it has the stack of a main thread.
public func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await onThread(named: "test", body)
}

/// The main queue, which in a test process has no thread of its own.
public enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// True when the caller runs on the main queue.
    public static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// Waits until everything that was sent to the main queue before has run.
public func mainQueueIsIdle() async {
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
}
