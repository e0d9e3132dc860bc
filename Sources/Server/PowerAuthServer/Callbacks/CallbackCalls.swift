// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Has the messages of callbacks delivered, several at a time and never more than the policy says.
///
/// Thread rule: any thread.
final class CallbackCalls: Sendable {
    private struct State {
        /// The number of running delivery tasks.
        var running = 0
        /// Whether there may be a message that no task has seen.
        var isAsked = false
        var isStopped = false

        /// Ends a task, unless more work was announced meanwhile.
        mutating func endsOne() -> Bool {
            guard isAsked, !isStopped else {
                running -= 1
                return true
            }
            isAsked = false
            return false
        }
    }

    private let delivery: CallbackDelivery
    private let state = Mutex(State())

    init(_ delivery: CallbackDelivery) { self.delivery = delivery }

    /// There may be messages to deliver.
    func wake() {
        let limit = delivery.context.policy.callbacks.concurrentCalls
        let mayStart = state.withLock { state in
            guard !state.isStopped else { return false }
            guard state.running < limit else {
                state.isAsked = true
                return false
            }
            state.running += 1
            return true
        }
        guard mayStart else { return }
        Task { await self.run() }
    }

    /// Stops taking messages; calls under way continue.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Delivers until nothing is due.
    private func run() async {
        repeat {
            // If one message is due there may be more, for another task. If the database cannot be written, the next
            // change retries.
            while !isStopped, (try? await delivery.deliverNext(onTaking: wake)) == true {}
        } while !state.withLock({ $0.endsOne() })
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }
}

/// The messages of callbacks whose calls this process has begun and not ended.
///
/// They are not lost, however late it is on the server's clock: targets take real time, and a lab's clock may jump.
/// Thread rule: any thread.
final class CallsUnderWay: Sendable {
    private let rows = Mutex<Set<Int64>>([])

    var all: Set<Int64> { rows.withLock { $0 } }

    func begin(_ row: Int64) { rows.withLock { _ = $0.insert(row) } }

    func end(_ row: Int64) { rows.withLock { _ = $0.remove(row) } }
}
