// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import Foundation
import Synchronization

/// Runs units of work one after another, each of them with what surrounds it (taking and giving back the
/// lock between processes) as one indivisible step.
///
/// The original adds lock, work and unlock as three operations, which lets the lock of a later unit run
/// before the unlock of an earlier one (sharing.md, D14); here nothing can come between.
///
/// Thread rule: ``add(_:around:)`` may be called from any thread. Units start on a private dispatch queue,
/// where they may block.
package final class SerialOperationQueue: Sendable {
    /// Brackets a unit: `enter` may block, `leave` follows on the thread that finishes the unit. A unit whose bracket
    /// cannot be entered is refused: it never runs outside its bracket.
    package struct Bracket: Sendable {
        let enter: @Sendable () throws -> Void
        let leave: @Sendable () -> Void

        /// - Parameters:
        ///   - enter: called before the unit starts; throws the error of a refused unit.
        ///   - leave: called after the unit finished.
        package init(enter: @escaping @Sendable () throws -> Void, leave: @escaping @Sendable () -> Void) {
            self.enter = enter
            self.leave = leave
        }
    }

    private struct Entry {
        let operation: any SerialOperation
        let bracket: Bracket?
    }

    /// The turn of one unit, which ends once: a second end would give two others the turn.
    private final class Turn: Sendable {
        private let isOver = Atomic(false)

        /// - Returns: Whether this is the end.
        func end() -> Bool { !isOver.exchange(true, ordering: .relaxed) }
    }

    private struct State {
        var waiting: [Entry] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    private let queue: DispatchQueue

    /// - Parameter label: name of the dispatch queue, for debuggers.
    package init(label: String) { queue = DispatchQueue(label: label) }

    /// Adds a unit behind all that were added before.
    /// - Parameters:
    ///   - operation: the unit; skipped when it is cancelled before its turn.
    ///   - bracket: what surrounds it, entered only for a unit that still is wanted.
    package func add(_ operation: any SerialOperation, around bracket: Bracket? = nil) {
        let starts = state.withLock { state in
            state.waiting.append(Entry(operation: operation, bracket: bracket))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { startNext() }
    }

    /// Waits until nothing starts: the queue is empty, or a unit has the turn. For tests.
    func waitUntilIdle() { queue.sync {} }

    private func startNext() {
        queue.async { [self] in
            let next = state.withLock { state -> Entry? in
                if state.waiting.isEmpty {
                    state.isRunning = false
                    return nil
                }
                return state.waiting.removeFirst()
            }
            guard let next else { return }
            guard !next.operation.isCancelled else {
                next.operation.skip()
                return startNext()
            }
            do {
                try next.bracket?.enter()
            } catch {
                next.operation.refuse(error as NSError)
                return startNext()
            }
            let turn = Turn()
            next.operation.run { [self] in
                guard turn.end() else { return }
                next.bracket?.leave()
                startNext()
            }
        }
    }
}

/// A unit of work that has a ``SerialOperationQueue`` for itself until it reports that it has finished.
package protocol SerialOperation: AnyObject, Sendable {
    /// True when the work is no longer wanted; a cancelled unit is skipped without taking any lock.
    var isCancelled: Bool { get }

    /// Does the work. Called once each time the unit was added, on a thread of the queue (never the main thread).
    /// - Parameter finished: to be called from any thread when the next unit may run; only the first call counts.
    func run(finished: @escaping @Sendable () -> Void)

    /// Ends the unit without doing the work, because what surrounds it cannot be entered. Called instead of
    /// ``run(finished:)``.
    /// - Parameter error: what to report.
    func refuse(_ error: NSError)

    /// Ends a unit that was cancelled before its turn. Called instead of ``run(finished:)``; by default there is nothing to
    /// do.
    func skip()
}

extension SerialOperation {
    package func skip() {}
}
