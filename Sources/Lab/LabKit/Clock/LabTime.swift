public import Foundation

/// A moment of the lab's wall clock.
public struct LabTime: Hashable, Comparable, Codable, Sendable {
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public let nanoseconds: Int64

    /// Makes a moment from nanoseconds since 1970.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Makes a moment from milliseconds since 1970.
    public init(milliseconds: Int64) { self.init(nanoseconds: milliseconds &* 1_000_000) }

    /// Whole milliseconds since 1970, rounded down.
    public var milliseconds: Int64 { LabTime.quotient(nanoseconds, 1_000_000) }

    /// Seconds since 1970.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// The moment as Foundation's type.
    public var date: Date { Date(timeIntervalSince1970: seconds) }

    /// The moment in UTC as ISO 8601 writes it, to the millisecond: `2026-03-01T09:30:00.250Z`.
    public var text: String {
        // Apart from each other: Foundation's fractions of a second are now and then a millisecond short.
        let seconds = LabTime.quotient(milliseconds, 1000)
        let rest = String(milliseconds - seconds * 1000 + 1000).dropFirst()
        return "\(Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601).dropLast()).\(rest)Z"
    }

    public static func < (left: LabTime, right: LabTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// A later moment.
    public static func + (time: LabTime, duration: LabDuration) -> LabTime {
        LabTime(nanoseconds: saturating(time.nanoseconds.addingReportingOverflow(duration.nanoseconds), duration))
    }

    /// An earlier moment.
    public static func - (time: LabTime, duration: LabDuration) -> LabTime {
        time + LabDuration(nanoseconds: 0 &- duration.nanoseconds)
    }

    /// The time from the second moment to the first.
    public static func - (left: LabTime, right: LabTime) -> LabDuration {
        LabDuration(nanoseconds: left.nanoseconds &- right.nanoseconds)
    }

    private static func saturating(
        _ sum: (partialValue: Int64, overflow: Bool), _ duration: LabDuration
    ) -> Int64 {
        sum.overflow ? (duration.nanoseconds < 0 ? .min : .max) : sum.partialValue
    }

    private static func quotient(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
