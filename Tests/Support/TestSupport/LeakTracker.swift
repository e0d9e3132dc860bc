import LabKit
import LabSystem

/// What is left of objects that a test has let go of.
public protocol LeakTracker: Sendable {
    /// The names of those that are still there.
    var left: [String] { get }
}

extension LeakTracker {
    /// Waits until nothing is left: the thread or queue that gave the last answer may hold the parts for a moment longer.
    /// What a cycle holds never goes, and the wait ends with it. Blocks.
    ///
    /// - Returns: the names of those that have stayed.
    public func leftAfterWaiting() -> [String] {
        let deadline = MonotonicClock.nanoseconds() + UInt64(LabDuration.minutes(1).stretched.nanoseconds)
        while !left.isEmpty, MonotonicClock.nanoseconds() < deadline {
            // A wait on nothing: a release tells nobody.
            _ = try? Polling.waitReadable([], timeoutNanoseconds: 1_000_000)
        }
        return left
    }
}
