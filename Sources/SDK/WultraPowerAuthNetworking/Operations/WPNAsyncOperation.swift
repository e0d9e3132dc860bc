// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Foundation
import PowerAuthShared
import Synchronization

/// An operation that ends when its work reports the end, not when a function returns (networking.md, sections 2.11 and
/// 8.2).
///
/// A subclass overrides ``started()`` and calls ``markFinished(completion:)`` once. An operation ends once: a cancel after
/// the end, and an end after a cancel, are ignored.
///
/// Thread rule: any thread. Unchecked: the superclass is documented to be thread-safe, and the only property here is a
/// mutex; a subclass guards what it adds.
open class WPNAsyncOperation: Operation, @unchecked Sendable {
    private enum Phase { case ready, executing, finished, cancelled }

    private struct State {
        var phase = Phase.ready
        /// Whether operation queues know of the end.
        var isEndAnnounced = false
        var completionQueue: DispatchQueue?
        var endActions: [@Sendable () -> Void] = []

        var hasEnded: Bool { phase == .finished || phase == .cancelled }

        /// Ends the operation.
        /// - Returns: what else is to be done; nil when it has ended before.
        mutating func end(_ end: Phase) -> (wasExecuting: Bool, queue: DispatchQueue?, actions: [@Sendable () -> Void])?
        {
            guard !hasEnded else { return nil }
            let wasExecuting = phase == .executing
            phase = end
            isEndAnnounced = wasExecuting
            defer { endActions = [] }
            return (wasExecuting, completionQueue, endActions)
        }
    }

    private let state = Mutex(State())

    /// Makes an operation that waits for its start.
    public override init() { super.init() }

    // MARK: For subclasses

    /// Does the work, or begins it. Called once, on the thread that starts the operation; not for one that was cancelled
    /// before.
    open func started() { fatalError("this method needs to be overriden") }
    /// Called once when the operation is cancelled before its end, on the thread that cancels, outside of any lock.
    open func canceled() {}

    /// Ends the operation. Ignored with a warning once it has ended.
    /// - Parameter completion: called on ``completionQueue``, or at once without one, after the operation has ended.
    public final func markFinished(completion: (() -> Void)? = nil) {
        guard let (wasExecuting, queue, actions) = state.withLock({ $0.end(.finished) }) else {
            return WPNLogger.warning("An operation was finished that had ended before.")
        }
        // Before anything is started that waits for the end: completions on one queue come in the order of the ends.
        if let completion, let queue {
            let callback = Callback<Void> { completion() }
            queue.async { callback(()) }
        }
        announceEnd(wasExecuting: wasExecuting)
        for action in actions { action() }
        if queue == nil { completion?() }
    }

    // MARK: Operation

    /// Begins the work. For operation queues; does no work for an operation that was begun or has ended.
    public final override func start() {
        let (starts, hasEnded) = state.withLock { state in
            if state.phase == .ready {
                state.phase = .executing
                return (true, false)
            }
            defer { if state.hasEnded { state.isEndAnnounced = true } }
            return (false, state.hasEnded && !state.isEndAnnounced)
        }
        if starts {
            announce("isExecuting")
            started()
        } else if hasEnded {
            announce("isFinished")
        }
    }

    /// Ends the operation without a result. Ignored with a warning once it has finished.
    public final override func cancel() {
        guard let (wasExecuting, _, actions) = state.withLock({ $0.end(.cancelled) }) else {
            if !isCancelled { WPNLogger.warning("An operation was cancelled that had finished before.") }
            return
        }
        announce("isCancelled")
        announceEnd(wasExecuting: wasExecuting)
        canceled()
        for action in actions { action() }
    }

    /// True.
    public final override var isAsynchronous: Bool { true }

    /// True for an operation that may be started: none of those that it depends on is under way, or it was cancelled.
    public final override var isReady: Bool {
        switch state.withLock({ $0.phase }) {
        case .ready: dependencies.allSatisfy(\.isFinished)
        case .executing: false
        case .finished, .cancelled: true
        }
    }

    /// True from the start to the end.
    public final override var isExecuting: Bool { state.withLock { $0.phase == .executing } }
    /// True once the operation has ended, also by a cancel.
    public final override var isFinished: Bool { state.withLock { $0.hasEnded } }
    /// True for an operation that was cancelled before its end.
    public final override var isCancelled: Bool { state.withLock { $0.phase == .cancelled } }

    // MARK: Completion

    /// Where the completion given to ``markFinished(completion:)`` is called; nil calls it on the thread that finishes.
    public var completionQueue: DispatchQueue? {
        get { state.withLock { $0.completionQueue } }
        set { state.withLock { $0.completionQueue = newValue } }
    }

    /// Sets ``completionQueue``.
    public func assignCompletionDispatchQueue(_ queue: DispatchQueue?) { completionQueue = queue }

    /// Does something once the operation has ended, however it ended; at once when it has.
    func whenEnded(_ action: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.endActions.append(action) }
            return state.hasEnded
        }
        if hasEnded { action() }
    }

    /// Notifies operation queues of the end. A queue without the notification would stall for good; a queue that gets
    /// it before it has started the operation would lose the operation on Linux, so the queue starts it first.
    private func announceEnd(wasExecuting: Bool) {
        if wasExecuting {
            announce("isExecuting")
            announce("isFinished")
        } else {
            announce("isReady")
        }
    }

    /// Notifies the observers of the operation, such as operation queues, that a property has changed.
    private func announce(_ key: String) {
        willChangeValue(forKey: key)
        didChangeValue(forKey: key)
    }
}

/// An asynchronous operation made of closures (networking.md, section 2.11).
///
/// Unchecked: the closures are constants; the work is called once, by the starting thread, and the other one once, by
/// the cancelling thread.
open class WPNAsyncBlockOperation: WPNAsyncOperation, @unchecked Sendable {
    /// Ends the operation; takes a closure that is then called on its completion queue.
    public typealias MarkFinishedBlock = ((() -> Void)?) -> Void
    /// The work; gets the operation and what ends it.
    public typealias ExecutionBlock = (_ this: WPNAsyncBlockOperation, _ markFinished: @escaping MarkFinishedBlock) ->
        Void

    private let executionBlock: ExecutionBlock
    private let canceledBlock: (() -> Void)?

    /// - Parameter executionBlock: the work, called on the thread that starts the operation.
    public init(_ executionBlock: @escaping ExecutionBlock) {
        canceledBlock = nil
        self.executionBlock = executionBlock
        super.init()
    }

    /// - Parameters:
    ///   - canceledBlock: called when the operation is cancelled before its end, on the thread that cancels.
    ///   - executionBlock: the work, called on the thread that starts the operation.
    public init(_ canceledBlock: (() -> Void)?, executionBlock: @escaping ExecutionBlock) {
        self.canceledBlock = canceledBlock
        self.executionBlock = executionBlock
        super.init()
    }

    /// Calls the work.
    public final override func started() {
        executionBlock(self) { [self] completion in markFinished(completion: completion) }
    }

    /// Calls the closure for a cancel.
    public final override func canceled() { canceledBlock?() }
}

extension OperationQueue {
    /// Adds an asynchronous operation made of a closure.
    /// - Parameters:
    ///   - completionQueue: where the completion given at the end is called.
    ///   - executionBlock: the work.
    public func addAsyncOperation(
        _ completionQueue: DispatchQueue? = nil, _ executionBlock: @escaping WPNAsyncBlockOperation.ExecutionBlock
    ) {
        let operation = WPNAsyncBlockOperation(executionBlock)
        operation.completionQueue = completionQueue
        addOperation(operation)
    }
}
