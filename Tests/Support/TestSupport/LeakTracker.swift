// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabSystem

/// The remaining objects after a test has released them.
public protocol LeakTracker: Sendable {
    /// The names of those that are still there.
    var left: [String] { get }
}

extension LeakTracker {
    /// Waits until nothing is left: the thread or queue that gave the last answer may hold the parts for a moment longer.
    /// Objects in a cycle are never released, and the wait ends with them. Blocks.
    ///
    /// - Returns: the names of those that have stayed.
    public func leftAfterWaiting() -> [String] {
        let deadline = MonotonicClock.nanoseconds() + UInt64(LabDuration.minutes(1).stretched.nanoseconds)
        while !left.isEmpty, MonotonicClock.nanoseconds() < deadline {
            // A wait on nothing: a release sends no notification.
            _ = try? Polling.waitReadable([], timeoutNanoseconds: 1_000_000)
        }
        return left
    }
}
