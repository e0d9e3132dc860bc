// SPDX-License-Identifier: Apache-2.0

import LabSystem
import Synchronization

/// Rings when the lab's clock reaches a moment: at the speed of real time, or at once when the clock is advanced.
///
/// Thread rule: any thread. One thread of its own waits on the clock, from the first use on.
public final class LabAlarm: Sendable {
    private struct State {
        /// The moment the thread waits for, or shall wait for next.
        var armed: LabTime?
        var wait: LabClock.Cancellation?
        var isStopping = false
        var hasThread = false
    }

    private let clock: LabClock
    private let ring: @Sendable (LabAlarm) -> Void
    private let state = Mutex(State())
    private let changed = Mailbox<Void>()

    /// An alarm that is not set.
    /// - Parameter ring: called on the alarm's own thread, with the alarm, which it may set again.
    public init(clock: LabClock, ring: @escaping @Sendable (LabAlarm) -> Void) {
        self.clock = clock
        self.ring = ring
    }

    /// Asks for a ring at a moment, in nanoseconds of lab time since 1970; nil needs none.
    ///
    /// An alarm that is set for an earlier moment stays: it rings too early once and is set again then. So a later
    /// moment, the usual case, costs nothing.
    public func set(_ deadline: Int64?) {
        guard let deadline = deadline.map(LabTime.init(nanoseconds:)) else { return }
        let startsThread = state.withLock { state -> Bool in
            if let armed = state.armed, armed <= deadline { return false }
            state.armed = deadline
            state.wait?.cancel()
            changed.send(())
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if startsThread { runOnThread(name: "lab alarm") { [self] in run() } }
    }

    /// Ends the thread.
    public func stop() {
        state.withLock { state in
            state.isStopping = true
            state.wait?.cancel()
        }
        changed.send(())
    }

    private func run() {
        while true {
            let (deadline, wait, isStopping) = state.withLock { state in
                state.wait = clock.makeCancellation()
                return (state.armed, state.wait, state.isStopping)
            }
            if isStopping { return }
            guard let deadline else {
                _ = changed.takeAll()
                continue
            }
            // The only failure is an unusable clock page; then nothing in this instance can wait for lab time.
            guard (try? clock.waitUntil(deadline, orCancelled: wait)) == true else { continue }
            state.withLock { if $0.armed == deadline { $0.armed = nil } }
            ring(self)
        }
    }
}
