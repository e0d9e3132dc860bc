// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabSystem
import ScenarioEngine

/// The waits between two checks of a condition, for `eventually` with and without `await`.
///
/// Thread rule: any thread; ``next()`` blocks.
struct ConditionWait: Sendable {
    private let limit: LabDuration
    private let what: String
    private let deadline: Int64
    private let wakeUp: EventDescriptor
    private let follower: TraceFollower

    /// Starts to follow the traces. This reads all of them, so callers check the condition once before.
    init(within limit: LabDuration, for what: String, in tracesDirectory: String) throws {
        self.limit = limit
        self.what = what
        let wakeUp = try EventDescriptor()
        self.wakeUp = wakeUp
        follower = try TraceFollower(directory: tracesDirectory) { _ in wakeUp.signal() }
        deadline = Int64(MonotonicClock.nanoseconds()) + limit.nanoseconds
    }

    /// Waits for a trace event, 20 ms at most: not everything leaves a trace.
    ///
    /// - Throws: `LabFailure` when the time is over.
    func next() throws {
        let rest = deadline - Int64(MonotonicClock.nanoseconds())
        guard rest > 0 else { throw LabFailure("It did not happen within \(limit): \(what).") }
        _ = try wakeUp.wait(timeoutNanoseconds: min(rest, 20_000_000))
        wakeUp.drain()
    }

    func stop() { follower.stop() }
}
