// SPDX-License-Identifier: Apache-2.0

package import Dispatch
public import Foundation
import SimulatedDevice
import Synchronization

/// The result of an asynchronous operation, as the callbacks of the SDK take it.
package typealias TaskResult<Value> = Result<Value, NSError>

/// A cancellable operation that reports once (sdk.md, section 8.1).
///
/// A cancel before the report suppresses it, even when the work is already done; a cancel after it has no effect.
/// Thread rule: any thread; the callback runs on the given queue, the cancel handler on the thread that cancels.
package final class OperationTask<Value>: PowerAuthOperationTask, Sendable {
    private struct State {
        var isCancelled = false
        var isReported = false
        var onCancel: (@Sendable () -> Void)?
        var parts: [UncheckedTransfer<any PowerAuthOperationTask>] = []
    }

    private let state = Mutex(State())
    private let queue: DispatchQueue
    private let callback: Callback<TaskResult<Value>>

    /// - Parameters:
    ///   - queue: where the callback is called.
    ///   - callback: takes the result.
    package init(queue: DispatchQueue = .main, callback: @escaping (TaskResult<Value>) -> Void) {
        self.queue = queue
        self.callback = Callback(callback)
    }

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Sets what a cancel does besides suppressing the callback; runs at once when the task already is
    /// cancelled, and never once the result was reported.
    package func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let runsNow = state.withLock { state in
            if state.isReported { return false }
            if state.isCancelled { return true }
            state.onCancel = handler
            return false
        }
        if runsNow { handler() }
    }

    /// Makes a cancel of this task cancel `part` too: the prerequisite or the request that runs now.
    package func add(_ part: any PowerAuthOperationTask) {
        let part = UncheckedTransfer(part)
        let cancelsNow = state.withLock { state in
            if state.isCancelled { return true }
            if !state.isReported { state.parts.append(part) }
            return false
        }
        if cancelsNow { part.value.cancel() }
    }

    package func cancel() {
        let taken = state.withLock {
            state -> (handler: (@Sendable () -> Void)?, parts: [UncheckedTransfer<any PowerAuthOperationTask>])? in
            if state.isCancelled || state.isReported { return nil }
            state.isCancelled = true
            defer {
                state.onCancel = nil
                state.parts = []
            }
            return (state.onCancel, state.parts)
        }
        guard let taken else { return }
        taken.handler?()
        for part in taken.parts { part.value.cancel() }
    }

    /// Reports the result on the queue, unless the task is cancelled before the report is made.
    package func complete(_ result: TaskResult<Value>) {
        let result = UncheckedTransfer(result)
        queue.async { [self] in
            let reports = state.withLock { state in
                if state.isCancelled || state.isReported { return false }
                state.isReported = true
                state.onCancel = nil
                state.parts = []
                return true
            }
            if reports { callback(result.value) }
        }
    }
}

/// An asynchronous operation that the application can cancel (sdk.md, sections 5.26 and 8.1). Thread rule: any thread.
public protocol PowerAuthOperationTask: AnyObject {
    /// True after ``cancel()``. The children of a grouped task say true also once they are complete.
    var isCancelled: Bool { get }

    /// Cancels the operation: its completion will not be called. Without effect once it was called.
    func cancel()
}

/// An operation of the application is a task as it stands (sdk.md, section 5.26).
extension Operation: PowerAuthOperationTask {}
