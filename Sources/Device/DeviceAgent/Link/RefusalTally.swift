import LabKit

/// Reports of refused frames: the first ones of a second one by one, the others as one number at its end.
/// So a flood of nonsense makes no flood of events.
///
/// A value that decides and does nothing else.
struct RefusalTally: Equatable {
    /// An event for the trace.
    struct Report: Equatable {
        /// Why; of several the last one.
        var cause: String
        /// How many it stands for; nil for one.
        var count: Int?

        /// As members of the event.
        var fields: [String: JSONValue] {
            var fields: [String: JSONValue] = ["cause": .string(cause)]
            fields["count"] = count.map { .integer(Int64($0)) }
            return fields
        }
    }

    /// How many of a period are reported one by one.
    static let limit = 16
    /// The period, in nanoseconds of real time.
    static let period: UInt64 = 1_000_000_000

    private var begin: UInt64 = 0
    private var reported = 0
    private var unreported = 0
    private var lastCause = ""

    /// When ``summary(at:)`` has something to report, in monotonic nanoseconds; nil when nothing waits.
    var due: UInt64? { unreported > 0 ? begin + Self.period : nil }

    /// Something was thrown away.
    ///
    /// - Returns: What is to be reported now.
    mutating func take(_ cause: String, at now: UInt64) -> Report? {
        if unreported == 0, now >= begin + Self.period { (begin, reported) = (now, 0) }
        guard reported < Self.limit else {
            unreported += 1
            lastCause = cause
            return nil
        }
        reported += 1
        return Report(cause: cause)
    }

    /// What was counted in a period that is over.
    mutating func summary(at now: UInt64) -> Report? {
        guard let due, due <= now else { return nil }
        defer { unreported = 0 }
        return Report(cause: lastCause, count: unreported)
    }
}
