internal import LabKit
internal import LabSystem

/// When one command was certainly being handled: known bounds of an interval whose length is known.
///
/// The runner stamps the sending of the request and the arrival of the answer; the peer tells how long it
/// worked. The work lies somewhere between the two stamps; the peer's trace, when it has one, says where.
struct HandlingInterval: Sendable, Equatable {
    /// Monotonic nanoseconds when the request was sent.
    let sent: UInt64
    /// Monotonic nanoseconds when the answer arrived.
    let received: UInt64
    /// How long the peer worked, in nanoseconds.
    let handling: UInt64
    /// The process that worked.
    var actor = ""
    /// What its trace calls the operation.
    var operation = ""
    /// Begin and end of the work by the process's own trace.
    var traced: ClosedRange<UInt64>?

    /// The latest moment at which the work can have begun.
    var latestStart: UInt64 { traced?.lowerBound ?? received - min(handling, received - sent) }
    /// The earliest moment at which the work can have ended.
    var earliestEnd: UInt64 { traced?.upperBound ?? sent + min(handling, received - sent) }
}

/// Proves that branches of a race ran at the same time.
enum Overlap {
    /// Whether some moment certainly lies within the work of both branches.
    static func isProven(_ left: [HandlingInterval], _ right: [HandlingInterval]) -> Bool {
        guard let left = bounds(of: left), let right = bounds(of: right) else { return false }
        return left.begin < right.end && right.begin < left.end
    }

    /// When a branch had certainly begun, and until when it certainly went on: one stretch from its first command to its
    /// last one. Nil of a branch without a command.
    private static func bounds(of branch: [HandlingInterval]) -> (begin: UInt64, end: UInt64)? {
        guard let first = branch.first, let last = branch.last else { return nil }
        return (first.latestStart, last.earliestEnd)
    }

    /// What is known of two branches whose overlap is not proven, in a sentence: the times that were judged, since the first
    /// request of the race.
    static func account(of branches: [[HandlingInterval]], _ left: Int, _ right: Int) -> String {
        let origin = branches.flatMap { $0 }.map(\.sent).min() ?? 0
        func time(_ moment: UInt64) -> String { TerminalReport.milliseconds(moment - origin) }
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

    /// The branches with exact times from the processes' traces, when the stamps alone prove nothing. Traces are
    /// followed at a distance, so that the last events are waited for, but not long.
    static func withTraces(
        _ branches: [[HandlingInterval]], from events: TraceBoard
    ) -> [[HandlingInterval]] {
        var branches = branches
        let deadline = MonotonicClock.nanoseconds() + 500_000_000
        while unproven(branches) != nil {
            let seen = events.generation
            for branch in branches.indices {
                // Only the ends of a branch count.
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

    /// The first two branches whose overlap is not proven; nil when all pairs overlap.
    static func unproven(_ branches: [[HandlingInterval]]) -> (Int, Int)? {
        for left in branches.indices {
            for right in branches.indices where right > left {
                if !isProven(branches[left], branches[right]) { return (left, right) }
            }
        }
        return nil
    }
}
