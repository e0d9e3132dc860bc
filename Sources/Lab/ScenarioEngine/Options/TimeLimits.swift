// SPDX-License-Identifier: Apache-2.0

import LabControl
public import LabCore
import LabSystem

/// Real-time limits after which steps, scenarios and runs count as hanging.
public struct TimeLimits: Sendable, Equatable {
    /// For the answer to a command without `within`.
    public var step = ControlClient.patience
    /// For the steps of a scenario, and again for its tear-down; nil for no limit.
    public var scenario: LabDuration? = .seconds(60).stretched
    /// For the whole run; nil for no limit.
    public var run: LabDuration?

    /// Limits that a working lab never reaches.
    public init() {}
}

/// The real time by which a group of steps must have ended.
package struct Deadline: Sendable {
    /// The monotonic time, in nanoseconds.
    package let time: UInt64
    private let limit: LabDuration
    /// What the deadline limits.
    private let owner: String

    /// A deadline from now on.
    package init(after limit: LabDuration, of owner: String) {
        time = MonotonicClock.nanoseconds() &+ UInt64(max(0, limit.nanoseconds))
        self.limit = limit
        self.owner = owner
    }

    package var isOver: Bool { MonotonicClock.nanoseconds() >= time }

    /// The remaining time, in whole milliseconds.
    package var rest: LabDuration {
        let now = MonotonicClock.nanoseconds()
        return .milliseconds(now < time ? Int64((time - now + 999_999) / 1_000_000) : 0)
    }

    /// The exceeded limit, in a sentence.
    package var sentence: String { "\(owner) takes longer than \(limit)" }

    /// The earlier one of two.
    package static func earlier(_ left: Deadline?, _ right: Deadline) -> Deadline {
        guard let left else { return right }
        return left.time <= right.time ? left : right
    }
}

/// Performs an action when a real-time limit has passed, unless the limited work has ended before.
///
/// Thread rule: any thread; `end` once.
package final class Countdown: Sendable {
    private let bell: EventDescriptor?
    private let watcher: ThreadHandle?

    /// Starts counting.
    /// - Parameter limit: The time; nil means no limit.
    package init(_ limit: LabDuration?, action: @escaping @Sendable (LabDuration) -> Void) {
        guard let limit, let bell = try? EventDescriptor() else {
            (bell, watcher) = (nil, nil)
            return
        }
        self.bell = bell
        watcher = runOnThread(name: "countdown") {
            if (try? bell.wait(timeoutNanoseconds: limit.nanoseconds)) == false { action(limit) }
        }
    }

    /// Stops counting; waits for an action that has begun.
    package func end() {
        bell?.signal()
        watcher?.join()
    }
}

/// When a step with `eventually` is retried: as soon as something happens in a process that it asks, else after a
/// pause, and never so often that the requests themselves keep the processes busy.
///
/// Not thread-safe: used by the one thread that retries.
struct Pacing {
    /// The maximum pause between attempts.
    package static let pause = LabDuration.milliseconds(20)
    /// Number of attempts within one pause that may immediately follow an event. An attempt can itself cause events
    /// that cannot be distinguished from those of others; they must not cause an endless loop.
    private static let hurriedAttempts = 3

    package let events: TraceBoard
    let interest: TraceBoard.Interest
    private var hurried = 0
    private var hurriedSince: UInt64 = 0

    /// - Parameter path: The step's number, which marks its own events.
    init(events: TraceBoard, processes: Set<String>, path: String) {
        self.events = events
        interest = TraceBoard.Interest(processes: processes, own: path)
    }

    /// Waits until the next attempt is due.
    /// - Parameters:
    ///   - seen: The board's generation before the last attempt.
    ///   - deadline: The monotonic time of the last attempt, in nanoseconds.
    mutating func waitForNextAttempt(after seen: Int, deadline: UInt64) {
        let now = MonotonicClock.nanoseconds()
        let pause = UInt64(Self.pause.nanoseconds)
        if now - hurriedSince >= pause {
            hurried = 0
            hurriedSince = now
        }
        let rest = Self.rest(at: now, until: deadline)
        guard hurried < Self.hurriedAttempts else {
            // Only the end of the run interrupts this pause.
            events.wait(after: seen, for: .nothing, timeout: rest)
            return
        }
        hurried += 1
        events.wait(after: seen, for: interest, timeout: rest)
    }

    /// How long the next attempt may be waited for: a pause, but not beyond the deadline.
    package static func rest(at now: UInt64, until deadline: UInt64) -> LabDuration {
        deadline > now ? min(pause, LabDuration(nanoseconds: Int64(clamping: deadline - now))) : .zero
    }
}
