// SPDX-License-Identifier: Apache-2.0

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

    private static func saturating(_ sum: (partialValue: Int64, overflow: Bool), _ duration: LabDuration) -> Int64 {
        sum.overflow ? (duration.nanoseconds < 0 ? .min : .max) : sum.partialValue
    }

    private static func quotient(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

/// A length of time as people write it: `250ms`, `2s`, `5m`, `1h`, `1d`.
public struct LabDuration: Hashable, Comparable, Sendable {
    /// The length in nanoseconds.
    public let nanoseconds: Int64

    /// Makes a duration from nanoseconds.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// No time at all.
    public static let zero = LabDuration(nanoseconds: 0)

    /// A duration in milliseconds.
    public static func milliseconds(_ count: Int64) -> LabDuration { LabDuration(nanoseconds: count * 1_000_000) }

    /// A duration in seconds.
    public static func seconds(_ count: Int64) -> LabDuration { LabDuration(nanoseconds: count * 1_000_000_000) }

    /// A duration in minutes.
    public static func minutes(_ count: Int64) -> LabDuration { seconds(count * 60) }

    /// The length in seconds.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Reads a number with a unit, e.g. `1.5s`; nil when the text is not one, or is too long to count.
    ///
    /// Units: `ns`, `us`, `ms`, `s`, `m` (minutes), `h`, `d`. There is no default unit.
    public init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let unit = Self.units.first(where: { $0.name == text.dropFirst(digits.count) }) else { return nil }
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = Int64(parts[0]) else { return nil }
        let (product, overflow) = whole.multipliedReportingOverflow(by: unit.nanoseconds)
        var nanoseconds = product
        guard !overflow else { return nil }
        if parts.count == 2 {
            guard !parts[1].isEmpty, let fraction = Double("0.\(parts[1])") else { return nil }
            let (sum, overflow) = nanoseconds.addingReportingOverflow(
                Int64((fraction * Double(unit.nanoseconds)).rounded()))
            guard !overflow else { return nil }
            nanoseconds = sum
        }
        self.init(nanoseconds: nanoseconds)
    }

    public static func < (left: LabDuration, right: LabDuration) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The units that ``init(_:)`` knows, the longest first.
    public static var unitNames: [String] { units.map { String($0.name) } }

    private static let units: [(name: Substring, nanoseconds: Int64)] = [
        ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
        ("ms", 1_000_000), ("us", 1_000), ("ns", 1),
    ]
}

extension LabDuration: CustomStringConvertible {
    /// The shortest exact form with one unit; `init(_:)` reads it back.
    public var description: String {
        guard nanoseconds != 0 else { return "0s" }
        // The last unit is a nanosecond, so one always divides.
        let unit = Self.units.first { nanoseconds % $0.nanoseconds == 0 }!
        return "\(nanoseconds / unit.nanoseconds)\(unit.name)"
    }
}

extension LabDuration: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = LabDuration(signed: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' is not a duration; write a number and a unit, e.g. 250ms")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension LabDuration {
    /// Reads a length of time with a unit that may be negative, such as a clock that is behind: `30s`, `-2m`.
    public init?(signed text: String) {
        guard text.hasPrefix("-") else {
            self.init(text)
            return
        }
        guard let length = LabDuration(String(text.dropFirst())) else { return nil }
        self.init(nanoseconds: -length.nanoseconds)
    }
}
