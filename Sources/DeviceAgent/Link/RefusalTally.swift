/// How the trace tells of what is thrown away: the first ones of a second one by one, the others as a number when it is over.
/// So a flood of nonsense makes no flood of events.
///
/// A value that decides and does nothing else.
struct RefusalTally: Equatable {
    /// An event for the trace.
    struct Told: Equatable {
        /// Why; of several the last one.
        var cause: String
        /// How many it stands for; nil for one.
        var count: Int?
    }

    /// How many of a period are told one by one.
    static let limit = 16
    /// The period, in nanoseconds of real time.
    static let period: UInt64 = 1_000_000_000

    private var begin: UInt64 = 0
    private var told = 0
    private var untold = 0
    private var lastCause = ""

    /// When ``summary(at:)`` has something to tell, in monotonic nanoseconds; nil when nothing waits.
    var due: UInt64? { untold > 0 ? begin + Self.period : nil }

    /// Something was thrown away.
    ///
    /// - Returns: What is to be told now.
    mutating func take(_ cause: String, at now: UInt64) -> Told? {
        if untold == 0, now >= begin + Self.period { (begin, told) = (now, 0) }
        guard told < Self.limit else {
            untold += 1
            lastCause = cause
            return nil
        }
        told += 1
        return Told(cause: cause)
    }

    /// What was counted in a period that is over.
    mutating func summary(at now: UInt64) -> Told? {
        guard let due, due <= now else { return nil }
        defer { untold = 0 }
        return Told(cause: lastCause, count: untold)
    }
}
