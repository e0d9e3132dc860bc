import LabKit
import LabSystem

/// The real time by which a group of steps must have ended.
struct Deadline: Sendable {
    private let end: UInt64
    private let limit: LabDuration
    /// What the deadline limits.
    private let owner: String

    /// A deadline from now on.
    init(after limit: LabDuration, of owner: String) {
        end = MonotonicClock.nanoseconds() &+ UInt64(max(0, limit.nanoseconds))
        self.limit = limit
        self.owner = owner
    }

    var isOver: Bool { MonotonicClock.nanoseconds() >= end }

    /// The remaining time, in whole milliseconds.
    var rest: LabDuration {
        let now = MonotonicClock.nanoseconds()
        return .milliseconds(now < end ? Int64((end - now + 999_999) / 1_000_000) : 0)
    }

    /// The monotonic time, in nanoseconds.
    var time: UInt64 { end }

    /// The exceeded limit, in a sentence.
    var sentence: String { "\(owner) takes longer than \(limit)" }

    /// The earlier one of two.
    static func earlier(_ left: Deadline?, _ right: Deadline) -> Deadline {
        guard let left else { return right }
        return left.end <= right.end ? left : right
    }
}
