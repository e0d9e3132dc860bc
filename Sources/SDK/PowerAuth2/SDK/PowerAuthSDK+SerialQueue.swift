// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// The application's own requests between those of the SDK (sdk.md, section 5.12).
extension PowerAuthSDK {
    /// Runs an operation when no signed request is on its way. Until it has finished, no other one starts; where the
    /// activation is shared, in no application.
    /// - Parameter operation: the operation; start no request of the SDK in it and wait for it. When the lock that orders
    ///   the applications cannot be taken, it is cancelled and ends without having run.
    /// - Returns: false, with nothing done, without an activation.
    @discardableResult
    public func executeOperation(onSerialQueue operation: Operation) -> Bool {
        guard hasValidActivation() else {
            PowerAuthLog.write("ERROR: The serial queue needs an activation.")
            return false
        }
        client.runSerially(ApplicationOperation(operation))
        return true
    }

    /// Runs a block when no signed request is on its way. No other one starts until the block's task is cancelled: that is
    /// how it reports that it has finished.
    /// - Parameter block: gets its own task; called on a background thread. When the lock that orders the applications
    ///   cannot be taken, the task is cancelled and the block is never called.
    /// - Returns: the same task; nil, with nothing done, without an activation.
    @discardableResult
    public func executeBlock(
        onSerialQueue block: @escaping (any PowerAuthOperationTask) -> Void
    ) -> (any PowerAuthOperationTask)? {
        executeBlock(onSerialQueue: block, refused: { _ in })
    }

    /// As ``executeBlock(onSerialQueue:)``, and reports when the block is not called because the lock cannot be taken.
    /// - Parameters:
    ///   - block: as above.
    ///   - refused: takes `invalidActivationState`, on a background thread.
    package func executeBlock(
        onSerialQueue block: @escaping (any PowerAuthOperationTask) -> Void,
        refused: @escaping @Sendable (NSError) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard hasValidActivation() else {
            PowerAuthLog.write("ERROR: The serial queue needs an activation.")
            return nil
        }
        let operation = ApplicationBlock(block, refused: refused)
        client.runSerially(operation)
        return operation
    }
}

/// An operation of the application on the serial queue.
///
/// Unchecked: `Operation` is documented to be thread-safe.
private final class ApplicationOperation: SerialOperation, @unchecked Sendable {
    private let operation: Operation
    private let queue = OperationQueue()

    init(_ operation: Operation) { self.operation = operation }

    var isCancelled: Bool { operation.isCancelled }

    func run(finished: @escaping @Sendable () -> Void) {
        // A queue of its own runs asynchronous operations too, and knows when they have finished.
        queue.addOperation(operation)
        queue.addBarrierBlock(finished)
    }

    func refuse(_ error: NSError) {
        PowerAuthLog.write("ERROR: An operation of the serial queue is cancelled: \(error.localizedDescription)")
        operation.cancel()
        skip()
    }

    func skip() {
        // A queue makes a cancelled operation end without running it; it is kept until then.
        queue.addOperation(operation)
        queue.addBarrierBlock { withExtendedLifetime(self) {} }
    }
}

/// A block of the application on the serial queue. Thread rule: any thread.
private final class ApplicationBlock: SerialOperation, PowerAuthOperationTask {
    private struct State {
        var isCancelled = false
        var finished: (@Sendable () -> Void)?
    }

    private let block: Callback<any PowerAuthOperationTask>
    private let refused: @Sendable (NSError) -> Void
    private let state = Mutex(State())

    init(_ block: @escaping (any PowerAuthOperationTask) -> Void, refused: @escaping @Sendable (NSError) -> Void) {
        self.block = Callback(block)
        self.refused = refused
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func run(finished: @escaping @Sendable () -> Void) {
        let runs = state.withLock { state in
            if !state.isCancelled { state.finished = finished }
            return !state.isCancelled
        }
        guard runs else { return finished() }
        block(self)
    }

    func refuse(_ error: NSError) {
        PowerAuthLog.write("ERROR: A block of the serial queue is cancelled: \(error.localizedDescription)")
        cancel()
        refused(error)
    }

    func cancel() {
        let finished = state.withLock { state in
            defer { state.finished = nil }
            state.isCancelled = true
            return state.finished
        }
        finished?()
    }
}
