import LabKit
import LabSystem

/// When a step with `eventually` is retried: as soon as something happens in a process that it asks, else after a
/// pause, and never so often that the requests themselves keep the processes busy.
///
/// Not thread-safe: used by the one thread that retries.
struct Pacing {
    /// The maximum pause between attempts.
    private static let pause = LabDuration.milliseconds(20)
    /// Number of attempts within one pause that may immediately follow an event. An attempt can itself cause events
    /// that cannot be distinguished from those of others; they must not cause an endless loop.
    private static let hurriedAttempts = 3

    let events: TraceBoard
    let interest: TraceBoard.Interest
    private var hurried = 0
    private var hurriedSince: UInt64 = 0

    /// - Parameters:
    ///   - processes: The processes that the step asks.
    ///   - path: The step's number, which marks its own events.
    init(events: TraceBoard, processes: Set<String>, path: String) {
        self.events = events
        interest = TraceBoard.Interest(processes: processes, own: path)
    }

    /// Waits until the next attempt is due.
    ///
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
        let rest = LabDuration(nanoseconds: Int64(min(pause, deadline > now ? deadline - now : 0)))
        guard hurried < Self.hurriedAttempts else {
            // Only the end of the run interrupts this pause.
            events.wait(after: seen, for: .nothing, timeout: rest)
            return
        }
        hurried += 1
        events.wait(after: seen, for: interest, timeout: rest)
    }
}
