/// A moment as the protocol counts it: milliseconds of Unix time.
public struct ServerTime: Comparable, Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64

    /// Creates a moment.
    /// - Parameter milliseconds: milliseconds since 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whole seconds since 1970, for JWT claims.
    public var seconds: Int64 { milliseconds / 1000 }

    public static func < (earlier: ServerTime, later: ServerTime) -> Bool {
        earlier.milliseconds < later.milliseconds
    }

    /// The moment `milliseconds` later (or earlier, when negative). Saturates at the ends of the range,
    /// because clients choose some of the operands.
    func advanced(by milliseconds: Int64) -> ServerTime {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        return overflow ? ServerTime(milliseconds: milliseconds > 0 ? .max : .min) : ServerTime(milliseconds: sum)
    }
}

/// Where the server reads the time from: the machine's clock, or the clock page of a lab instance.
///
/// Implementations are called from any thread; ``now()`` must not block.
public protocol ServerClock: Sendable {
    /// The current moment.
    func now() -> ServerTime

    /// Blocks until a moment has come or the alarm was rung since the last wait for it.
    /// - Parameters:
    ///   - deadline: nil waits for the alarm alone.
    ///   - alarm: only one thread waits for it.
    func wait(until deadline: ServerTime?, orRung alarm: ServerAlarm)
}

extension ServerClock {
    /// For clocks that run at the speed of real time.
    public func wait(until deadline: ServerTime?, orRung alarm: ServerAlarm) {
        guard let deadline else { return alarm.wait(milliseconds: nil) }
        alarm.wait(milliseconds: max(0, deadline.advanced(by: -now().milliseconds).milliseconds))
    }
}
