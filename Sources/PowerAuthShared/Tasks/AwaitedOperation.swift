import Dispatch
package import Foundation
import SimulatedDevice
import Synchronization

/// Lets an asynchronous function wait for an operation of the callback style.
///
/// The operation starts on a queue of its own, because a start may wait for another process and must not hold a thread of
/// the concurrency runtime. Cancelling the function's task cancels the operation, whose callback then never comes; the
/// function throws `CancellationError` at once. Thread rule: any thread.
private final class AwaitedOperation<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var task: Transferred<any PowerAuthOperationTask>?
        var isOver = false

        /// Marks the end, and gives what is to be done about it.
        mutating func end() -> (CheckedContinuation<Value, any Error>?, Transferred<any PowerAuthOperationTask>?) {
            defer { (continuation, task, isOver) = (nil, nil, true) }
            return (continuation, task)
        }
    }

    private let state = Mutex(State())
    private let labOperation = Sandbox.operation

    func begin(
        _ continuation: CheckedContinuation<Value, any Error>,
        _ start: @escaping @Sendable (AwaitedOperation) -> (any PowerAuthOperationTask)?
    ) {
        let isCancelled = state.withLock { state in
            if !state.isOver { state.continuation = continuation }
            return state.isOver
        }
        guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
        awaitedOperations.async { [self] in
            guard !state.withLock({ $0.isOver }) else { return }
            guard let task = Sandbox.$operation.withValue(labOperation, operation: { start(self) }) else { return }
            let given = Transferred(task)
            let isTooLate = state.withLock { state in
                if !state.isOver { state.task = given }
                return state.isOver
            }
            // Without effect when the operation has ended; otherwise the function was cancelled while it started.
            if isTooLate { task.cancel() }
        }
    }

    func finish(_ result: Result<Value, any Error>) {
        state.withLock { $0.end() }.0?.resume(with: result)
    }

    func cancel() {
        let (continuation, task) = state.withLock { $0.end() }
        continuation?.resume(throwing: CancellationError())
        if let task { awaitedOperations.async { task.value.cancel() } }
    }
}

private let awaitedOperations = DispatchQueue(
    label: "com.wultra.powerauth.awaited", attributes: .concurrent)

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
///
/// - Parameter start: starts the operation with the given callback; called on a thread where it may block.
/// - Throws: the operation's `NSError`, or `CancellationError`.
package func awaitValue<Value: Sendable>(
    _ start: @escaping @Sendable (@escaping (Value?, NSError?) -> Void) -> (any PowerAuthOperationTask)?
) async throws -> Value {
    try await wait { operation in
        start { value, error in
            operation.finish(value.map { .success($0) } ?? .failure(error ?? .powerAuth(.networkError)))
        }
    }
}

/// Waits for an operation that reports an error or nothing.
///
/// - Parameter start: starts the operation with the given callback; called on a thread where it may block.
/// - Throws: the operation's `NSError`, or `CancellationError`.
package func awaitCompletion(
    _ start: @escaping @Sendable (@escaping (NSError?) -> Void) -> (any PowerAuthOperationTask)?
) async throws {
    try await wait { operation in
        start { error in operation.finish(error.map { .failure($0) } ?? .success(())) }
    }
}
