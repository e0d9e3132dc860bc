// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import SimulatedDevice
import Synchronization

/// Lets an asynchronous function wait for an operation of the callback style.
///
/// The operation starts on a queue of its own, because a start may wait for another process and must not hold a thread of
/// the concurrency runtime. Cancelling the function's task cancels the operation, and only then throws
/// `CancellationError`: an operation that was faster than its cancel has its effect, so the caller gets its result.
/// Thread rule: any thread.
private final class AwaitedOperation<Value: Sendable>: Sendable {
    private struct State {
        /// Nil before the begin and after the end.
        var continuation: CheckedContinuation<Value, any Error>?
        /// Nil until the operation has started.
        var task: UncheckedTransfer<any PowerAuthOperationTask>?
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let labOperation = Sandbox.operation

    func begin(
        _ continuation: CheckedContinuation<Value, any Error>,
        _ start: @escaping @Sendable (AwaitedOperation) -> (any PowerAuthOperationTask)?
    ) {
        state.withLock { $0.continuation = continuation }
        awaitedOperations.async { [self] in
            // Nothing has started, so nothing is to be cancelled.
            guard !state.withLock({ $0.isCancelled }) else { return finish(.failure(CancellationError())) }
            guard let task = Sandbox.$operation.withValue(labOperation, operation: { start(self) }) else { return }
            let given = UncheckedTransfer(task)
            let isCancelled = state.withLock { state in
                state.task = given
                return state.isCancelled
            }
            if isCancelled { cancel(task) }
        }
    }

    /// Resumes the function; only the first result counts. The error of a cancelled operation is ignored: some report
    /// their own error while they are being cancelled.
    func finish(_ result: Result<Value, any Error>) {
        let (continuation, isCancelled) = state.withLock { state in
            defer { state.continuation = nil }
            return (state.continuation, state.isCancelled)
        }
        if isCancelled, case .failure = result {
            continuation?.resume(throwing: CancellationError())
        } else {
            continuation?.resume(with: result)
        }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        if let task { awaitedOperations.async { [self] in cancel(task.value) } }
    }

    private func cancel(_ task: any PowerAuthOperationTask) {
        task.cancel()
        // An operation that has ended can no longer be cancelled, and has reported or will.
        if task.isCancelled { finish(.failure(CancellationError())) }
    }
}

private let awaitedOperations = DispatchQueue(label: "com.wultra.powerauth.awaited", attributes: .concurrent)

private func wait<Value: Sendable>(
    _ start: @escaping @Sendable (AwaitedOperation<Value>) -> (any PowerAuthOperationTask)?
) async throws -> Value {
    let operation = AwaitedOperation<Value>()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { operation.begin($0, start) }
    } onCancel: {
        operation.cancel()
    }
}

/// Waits for an operation that reports a value or an error.
/// - Parameter start: starts the operation with the given callback; called on a thread where it may block.
/// - Throws: the operation's `NSError`, or `CancellationError`.
package func awaitValue<Value: Sendable>(
    _ start: @escaping @Sendable (@escaping (Value?, (any Error)?) -> Void) -> (any PowerAuthOperationTask)?
) async throws -> Value {
    try await wait { operation in
        start { value, error in
            operation.finish(value.map { .success($0) } ?? .failure(error ?? NSError.powerAuth(.networkError)))
        }
    }
}

/// Waits for an operation that reports an error or nothing.
/// - Parameter start: starts the operation with the given callback; called on a thread where it may block.
/// - Throws: the operation's `NSError`, or `CancellationError`.
package func awaitCompletion(
    _ start: @escaping @Sendable (@escaping ((any Error)?) -> Void) -> (any PowerAuthOperationTask)?
) async throws {
    try await wait { operation in
        start { error in operation.finish(error.map { .failure($0) } ?? .success(())) }
    }
}

/// Carries an application's callback to the queue where it is called.
///
/// The vendor's closure types are plain, so that code in the Swift 5 mode compiles; the closure itself
/// cannot promise to be `Sendable`.
package struct Callback<Value>: @unchecked Sendable {
    // Safe: the box is handed from the calling thread to exactly one queue, which calls the closure once. The
    // application chose the thread that captures its state, as the documentation of each function states on which queue
    // the callback arrives.
    private let body: (Value) -> Void

    /// - Parameter body: the application's closure.
    package init(_ body: @escaping (Value) -> Void) { self.body = body }
    /// Calls the closure.
    package func callAsFunction(_ value: Value) { body(value) }
}

/// The way back to an owner, which it does not keep alive.
struct WeakReference<Owner: AnyObject & Sendable>: @unchecked Sendable {
    // Safe: set once in the initialiser; reading a weak reference is atomic.
    private(set) weak var value: Owner?

    init(_ owner: Owner) { value = owner }
}
