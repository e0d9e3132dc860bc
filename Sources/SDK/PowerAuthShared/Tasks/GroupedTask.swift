// SPDX-License-Identifier: Apache-2.0

package import Dispatch
import Foundation
import SimulatedDevice
import Synchronization

/// Several callers that wait for one piece of work (sdk.md, section 8.2).
///
/// The first child starts the work, later ones join while it is unfinished, and all get the same result. When the last
/// child is cancelled the work is cancelled, unless it is in a phase that must not be interrupted.
///
/// Thread rule: any thread. No closure of the caller runs while the group's lock is held (sdk.md, section 15, item 2).
package final class GroupedTask<Value>: Sendable {
    /// The actions of a group; the closures run on the thread that causes them.
    package struct Hooks: Sendable {
        /// Starts the work and registers it with ``GroupedTask/setOperation(_:)``.
        let start: @Sendable (GroupedTask) -> Void
        /// Sees the result before any child does, exactly once; nil when every child was cancelled.
        let complete: @Sendable (TaskResult<Value>?) -> Void

        /// - Parameters:
        ///   - start: starts the work.
        ///   - complete: sees the result before any child does.
        package init(
            start: @escaping @Sendable (GroupedTask) -> Void,
            complete: @escaping @Sendable (TaskResult<Value>?) -> Void = { _ in }
        ) {
            self.start = start
            self.complete = complete
        }
    }

    private enum Phase { case idle, running, finished }

    private struct State {
        var phase = Phase.idle
        var children: [Child] = []
        var operation: UncheckedTransfer<any PowerAuthOperationTask>?
        var continuesWithoutChildren = false

        /// Moves to the final phase.
        /// - Returns: what the group was before; nil when it is not running.
        mutating func end() -> State? {
            guard phase == .running else { return nil }
            defer { (phase, children, operation) = (.finished, [], nil) }
            return self
        }
    }

    /// One caller of the group.
    private final class Child: PowerAuthOperationTask, Sendable {
        private let done = Mutex(false)
        private let queue: DispatchQueue
        private let callback: Callback<TaskResult<Value>>
        private let group: WeakReference<GroupedTask>

        init(group: GroupedTask, queue: DispatchQueue, callback: @escaping (TaskResult<Value>) -> Void) {
            self.group = WeakReference(group)
            self.queue = queue
            self.callback = Callback(callback)
        }

        /// True after a cancel and after the completion too, as the original has it.
        var isCancelled: Bool { done.withLock { $0 } }

        func cancel() {
            guard finish() else { return }
            group.value?.remove(self)
        }

        func complete(_ result: TaskResult<Value>) {
            let result = UncheckedTransfer(result)
            queue.async { [self] in
                if finish() { callback(result.value) }
            }
        }

        private func finish() -> Bool {
            done.withLock { done in
                defer { done = true }
                return !done
            }
        }
    }

    private let hooks: Hooks
    private let state = Mutex(State())

    /// - Parameter hooks: what the group does.
    package init(_ hooks: Hooks) { self.hooks = hooks }

    /// Adds a caller; the first one starts the work.
    /// - Parameters:
    ///   - queue: where the callback is called.
    ///   - callback: takes the result.
    /// - Returns: the caller's task, or nil when the work has finished: start a new group then.
    package func addChild(
        queue: DispatchQueue = .main, callback: @escaping (TaskResult<Value>) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let child = Child(group: self, queue: queue, callback: callback)
        let phase = state.withLock { state in
            let before = state.phase
            if before != .finished {
                state.children.append(child)
                state.phase = .running
            }
            return before
        }
        switch phase {
        case .finished: return nil
        case .running: return child
        case .idle: break
        }
        hooks.start(self)
        let isMissing = state.withLock { $0.phase == .running && $0.operation == nil }
        if isMissing { complete(.failure(.powerAuth(.operationCancelled, "Internal error. No operation is set"))) }
        return child
    }

    /// Registers the work that a cancel has to stop; replaces an earlier part of it.
    package func setOperation(_ operation: any PowerAuthOperationTask) {
        let operation = UncheckedTransfer(operation)
        let isTooLate = state.withLock { state in
            if state.phase == .running { state.operation = operation }
            return state.phase == .finished
        }
        if isTooLate { operation.value.cancel() }
    }

    /// While true, the group continues after its last child was cancelled, and new children may join.
    package var continuesWithoutChildren: Bool {
        get { state.withLock { $0.continuesWithoutChildren } }
        set { state.withLock { $0.continuesWithoutChildren = newValue } }
    }

    /// True once the result is known or the group was cancelled.
    package var isFinished: Bool { state.withLock { $0.phase == .finished } }

    /// Ends the group with a result for every child.
    package func complete(_ result: TaskResult<Value>) {
        guard let ended = end() else { return }
        hooks.complete(result)
        for child in ended.children { child.complete(result) }
    }

    /// Stops the work; every child gets `operationCancelled`.
    package func cancel() {
        guard let ended = end() else { return }
        ended.operation?.value.cancel()
        let result = TaskResult<Value>.failure(.powerAuth(.operationCancelled))
        hooks.complete(result)
        for child in ended.children { child.complete(result) }
    }

    /// Prepares a finished group for new children.
    /// - Returns: false while the work is running.
    package func restart() -> Bool {
        state.withLock { state in
            guard state.phase != .running else { return false }
            state = State()
            return true
        }
    }

    private func remove(_ child: Child) {
        // One step: a child joins, or the work is set to continue without children, either before or after the end.
        let ended = state.withLock { state -> State? in
            state.children.removeAll { $0 === child }
            return state.children.isEmpty && !state.continuesWithoutChildren ? state.end() : nil
        }
        guard let ended else { return }
        ended.operation?.value.cancel()
        hooks.complete(nil)
    }

    /// Moves to the final phase; nil if it is already final.
    private func end() -> State? { state.withLock { $0.end() } }
}
