// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabSystem

/// The time during which a command was certainly being handled: bounds of an interval of known length.
///
/// The runner records when it sent the request and when the answer arrived; the peer reports how long it worked. The
/// work lies between the two times; the peer's trace, if it has one, has its exact place.
package struct HandlingInterval: Sendable, Equatable {
    /// Monotonic nanoseconds when the request was sent.
    package let sent: UInt64
    /// Monotonic nanoseconds when the answer arrived.
    package let received: UInt64
    /// How long the peer worked, in nanoseconds.
    package let handling: UInt64
    /// The working process.
    package var actor = ""
    /// The operation's name in its trace.
    package var operation = ""
    /// Begin and end of the work according to the process's own trace.
    var traced: ClosedRange<UInt64>?

    /// The latest possible begin of the work.
    var latestStart: UInt64 { traced?.lowerBound ?? received - min(handling, received - sent) }
    /// The earliest possible end of the work.
    var earliestEnd: UInt64 { traced?.upperBound ?? sent + min(handling, received - sent) }
}

/// Proves that branches of a race ran at the same time.
enum Overlap {
    /// Whether the work of both branches certainly overlaps.
    static func isProven(_ left: [HandlingInterval], _ right: [HandlingInterval]) -> Bool {
        guard let left = bounds(of: left), let right = bounds(of: right) else { return false }
        return left.begin < right.end && right.begin < left.end
    }

    /// The time from which a branch had certainly begun and until which it certainly ran: one interval from its first
    /// command to its last one. Nil for a branch without a command.
    private static func bounds(of branch: [HandlingInterval]) -> (begin: UInt64, end: UInt64)? {
        guard let first = branch.first, let last = branch.last else { return nil }
        return (first.latestStart, last.earliestEnd)
    }

    /// The known facts about two branches without a proven overlap, in a sentence: the times compared, since the first
    /// request of the race.
    package static func account(of branches: [[HandlingInterval]], _ left: Int, _ right: Int) -> String {
        let origin = branches.flatMap { $0 }.map(\.sent).min() ?? 0
        func time(_ moment: UInt64) -> String { FailureText.milliseconds(moment - origin) }
        for index in [left, right] where branches[index].isEmpty { return "branch \(index + 1) sent no command at all" }
        return [left, right].map { index in
            let branch = branches[index]
            guard let first = branch.first, let last = branch.last, let bounds = bounds(of: branch) else { return "" }
            guard first.traced == nil || last.traced == nil else {
                return "branch \(index + 1) worked from \(time(bounds.begin)) to \(time(bounds.end))"
            }
            return
                "branch \(index + 1) began at \(time(bounds.begin)) at the latest and worked until \(time(bounds.end)) at least"
        }.joined(separator: ", ")
    }

    /// The branches with exact times from the processes' traces, for use if the recorded times alone prove nothing.
    /// Traces are followed with a delay, so this waits briefly for the last events.
    static func withTraces(
        _ branches: [[HandlingInterval]], from events: TraceBoard
    ) -> [[HandlingInterval]] {
        var branches = branches
        let deadline = MonotonicClock.nanoseconds() + 500_000_000
        while unproven(branches) != nil {
            let seen = events.generation
            for branch in branches.indices {
                // Only the ends of a branch matter.
                for index in Set([0, branches[branch].count - 1]) where branches[branch].indices.contains(index) {
                    branches[branch][index].traced = events.work(branches[branch][index])
                }
            }
            let isComplete = branches.allSatisfy { $0.first?.traced != nil && $0.last?.traced != nil }
            if isComplete || MonotonicClock.nanoseconds() >= deadline { break }
            events.wait(after: seen, timeout: .milliseconds(50))
        }
        return branches
    }

    /// The first two branches without a proven overlap; nil if all pairs overlap.
    static func unproven(_ branches: [[HandlingInterval]]) -> (Int, Int)? {
        for left in branches.indices {
            for right in branches.indices where right > left {
                if !isProven(branches[left], branches[right]) { return (left, right) }
            }
        }
        return nil
    }
}
