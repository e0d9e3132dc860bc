// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol

/// A moment as the back-office API writes and reads it (server.md, section 2.3):
/// out `2024-11-02T09:15:27.482+00:00`; in also with `Z` or `+0000`, without milliseconds, or as a number of
/// milliseconds.
struct BackOfficeDate: Sendable, Equatable {
    let time: ServerTime

    init(_ time: ServerTime) { self.time = time }

    /// The text form, always in UTC.
    var text: String {
        let milliseconds = time.milliseconds
        let days = Self.floorDivide(milliseconds, 86_400_000)
        let rest = milliseconds - days * 86_400_000
        let (year, month, day) = Self.civil(fromDays: days)
        var text: [UInt8] = []
        text.reserveCapacity(29)
        func append(_ value: Int64, _ width: Int, _ behind: StaticString) {
            let digits = String(value).utf8
            text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, width - digits.count)))
            text.append(contentsOf: digits)
            behind.withUTF8Buffer { text.append(contentsOf: $0) }
        }
        append(year, 4, "-")
        append(month, 2, "-")
        append(day, 2, "T")
        append(rest / 3_600_000, 2, ":")
        append(rest / 60_000 % 60, 2, ":")
        append(rest / 1000 % 60, 2, ".")
        append(rest % 1000, 3, "+00:00")
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads the text form, or digits as milliseconds; nil for anything else.
    init?(text: String) {
        if let milliseconds = Int64(text) {
            time = ServerTime(milliseconds: milliseconds)
            return
        }
        guard let match = try? Self.pattern.wholeMatch(in: text)?.output,
            let year = Int64(match.1), let month = Int64(match.2), let day = Int64(match.3), let hour = Int64(match.4),
            let minute = Int64(match.5), let second = Int64(match.6),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let fraction = match.7.map { Int64(($0.dropFirst() + "000").prefix(3)) ?? 0 } ?? 0
        var offset: Int64 = 0
        if let hours = match.9.flatMap({ Int64($0) }), let minutes = match.10.flatMap({ Int64($0) }) {
            offset = (hours * 60 + minutes) * (match.8?.first == "-" ? -60_000 : 60_000)
        }
        let days = Self.days(fromCivil: (year, month, day))
        // 31 February is invalid, and not a day in March.
        guard Self.civil(fromDays: days) == (year, month, day) else { return nil }
        time = ServerTime(
            milliseconds: days * 86_400_000 + hour * 3_600_000 + minute * 60_000 + second * 1000 + fraction - offset)
    }

    /// Year, month, day, hour, minute, second, fraction, sign of the zone, zone hours, zone minutes.
    private static var pattern:
        Regex<
            (
                Substring, Substring, Substring, Substring, Substring, Substring, Substring, Substring?, Substring?,
                Substring?, Substring?
            )
        >
    {
        /(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?(?:Z|([+-])(\d{2}):?(\d{2}))/
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : (value + 1) / divisor - 1
    }

    /// The Gregorian date of a number of days since 1970. Years are counted from March, so that the leap day
    /// comes last; an era is 400 years.
    private static func civil(fromDays days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func days(fromCivil date: (year: Int64, month: Int64, day: Int64)) -> Int64 {
        let year = date.month <= 2 ? date.year - 1 : date.year
        let era = floorDivide(year, 400)
        let yearOfEra = year - era * 400
        let monthFromMarch = date.month > 2 ? date.month - 3 : date.month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + date.day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension BackOfficeDate: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let milliseconds = try? container.decode(Int64.self) {
            self.init(ServerTime(milliseconds: milliseconds))
            return
        }
        guard let date = BackOfficeDate(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "expected 2024-11-02T09:15:27.482+00:00 or a number of milliseconds")
        }
        self = date
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// A moment in a request: for requests only, the API also describes a number of milliseconds.
struct RequestedDate: Decodable, Sendable {
    let time: ServerTime

    init(from decoder: any Decoder) throws { time = try BackOfficeDate(from: decoder).time }
}

/// A number that may arrive as a JSON number or as decimal text (server.md, section 2.3).
struct LenientInteger: Decodable, Sendable {
    let value: Int64

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            value = number
            return
        }
        guard let number = Int64(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a number")
        }
        value = number
    }
}

/// An enumeration that the API spells in upper case.
protocol NamedChoice: CaseIterable, Sendable {
    /// How the API spells the choice.
    var name: String { get }
}

extension NamedChoice {
    /// All names of the API.
    static var names: [String] { allCases.map(\.name) }

    /// Finds a choice by its word.
    init?(name: String) {
        guard let choice = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = choice
    }
}

/// A value spelled by one of the API's upper-case names; an unknown name makes the request unreadable.
struct EnumName<Value: NamedChoice>: Decodable, Sendable {
    let value: Value

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Value(name: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is not one of \(Value.names.joined(separator: ", "))")
        }
        self.value = value
    }
}

/// The protocol of an activation; the only names of the API in lower case (server.md, section 2.3).
enum ActivationProtocol: String, CaseIterable, NamedChoice {
    case powerauth
    /// Served by another API, which this server does not have.
    case fido2

    var name: String { rawValue }
}

extension SignatureType: NamedChoice {}
