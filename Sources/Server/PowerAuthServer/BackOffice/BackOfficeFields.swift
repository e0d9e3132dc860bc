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
        var parts = DateParts(text)
        guard let year = parts.number(4), parts.skip("-"), let month = parts.number(2), parts.skip("-"),
            let day = parts.number(2), parts.skip("T"), let hour = parts.number(2), parts.skip(":"),
            let minute = parts.number(2), parts.skip(":"), let second = parts.number(2),
            let fraction = parts.fraction(), let offset = parts.offset(), parts.isAtEnd,
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let days = Self.days(fromCivil: (year, month, day))
        // 31 February is invalid, and not a day in March.
        guard Self.civil(fromDays: days) == (year, month, day) else { return nil }
        time = ServerTime(
            milliseconds: days * 86_400_000 + hour * 3_600_000 + minute * 60_000 + second * 1000 + fraction - offset)
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

/// Reads the parts of a date one after the other. By hand: a pattern is compiled at each use.
private struct DateParts {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text.utf8[...] }

    var isAtEnd: Bool { rest.isEmpty }

    /// A number of exactly so many digits; nil, with nothing read, for anything else.
    mutating func number(_ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(Self.isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// - Returns: false, with nothing read, if something else stands here.
    mutating func skip(_ sign: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// The milliseconds of a point with 1 to 9 digits, the others cut; 0 without a point.
    mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        let count = rest.prefix(while: Self.isDigit).count
        let weights: [Int64] = [100, 10, 1]
        guard (1...9).contains(count), let value = number(min(count, weights.count)) else { return nil }
        rest = rest.dropFirst(max(0, count - weights.count))
        return value * weights[min(count, weights.count) - 1]
    }

    /// The milliseconds that a zone is ahead of UTC: `Z`, or hours and minutes with a sign.
    mutating func offset() -> Int64? {
        if skip("Z") { return 0 }
        let sign: Int64 = rest.first == UInt8(ascii: "-") ? -60_000 : 60_000
        guard skip("+") || skip("-"), let hours = number(2) else { return nil }
        _ = skip(":")
        return number(2).map { (hours * 60 + $0) * sign }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
}

extension BackOfficeDate: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let milliseconds = try? container.decode(Int64.self) {
            self.init(ServerTime(milliseconds: milliseconds))
            return
        }
        let text = try container.decode(String.self)
        guard let date = BackOfficeDate(text: text) ?? (decoder.isTolerant ? BackOfficeDate(tolerating: text) : nil)
        else {
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

/// A value spelled by one of the API's upper-case names; an unknown name makes the request unreadable. The cases stand
/// in the order of the vendor's declaration, which a tolerant server counts by.
struct EnumName<Value: NamedChoice>: Decodable, Sendable {
    let value: Value

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Value(name: text) ?? (decoder.isTolerant ? Value(tolerating: text) : nil) else {
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
