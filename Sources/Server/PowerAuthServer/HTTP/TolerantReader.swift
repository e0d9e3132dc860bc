// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore

/// How the JSON of a request is read (server.md, section 2.3).
enum JSONReading: Sendable {
    /// Values of another form are read where the original's reader, Jackson, reads them.
    case tolerant
    /// Every value has the form that the description of the API says.
    case strict
}

/// Reads values that have another form than the API describes, as Jackson does by default: texts from numbers and truth
/// values; numbers and truth values from texts; truth values from whole numbers. Dates and enumerations ask
/// `isTolerant` of their decoder, and read further forms of their own.
///
/// No value is changed by it: a fraction is no whole number, and the empty text is no number. Types that Foundation's
/// reader treats as special, such as `Data`, are not read: no request has one.
///
/// Thread rule: any thread; immutable.
struct TolerantReader: Decoder {
    private let json: WrittenJSON
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Reads a value.
    /// - Throws: `DecodingError` with the path to the place at fault; errors of the type itself.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from json: WrittenJSON, at path: [any CodingKey] = []
    ) throws -> Value {
        // It takes what is there, and its own initialiser would find a number in a text.
        if type == JSONValue.self, let value = json.value as? Value { return value }
        return try Value(from: TolerantReader(json: json, codingPath: path))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = json else { throw mismatch(type, "an object") }
        return objectContainer(of: self, at: codingPath, names: members.names) { name, path in
            members[name].map { TolerantReader(json: $0, codingPath: path) }
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .list(let elements) = json else { throw mismatch([Any].self, "a list") }
        return listContainer(of: elements.count, at: codingPath) { index, path in
            TolerantReader(json: elements[index], codingPath: path)
        }
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "expected \(expected)"))
    }
}

extension Decoder {
    /// Whether the value may have a form that is not described.
    var isTolerant: Bool { self is TolerantReader }
}

extension TolerantReader: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        if case .plain(.null) = json { true } else { false }
    }

    func decode(_ type: Bool.Type) throws -> Bool {
        switch json {
        case .plain(.bool(let flag)): return flag
        case .plain(.string(let text)):
            switch text.trimmingCharacters(in: .whitespaces) {
            case "true", "True", "TRUE": return true
            case "false", "False", "FALSE": return false
            default: break
            }
        case .number(.integer(let number), _): return number != 0
        default: break
        }
        throw mismatch(type, "true or false")
    }

    func decode(_ type: String.Type) throws -> String {
        switch json {
        case .plain(.string(let text)), .number(_, let text): return text
        case .plain(.bool(let flag)): return flag ? "true" : "false"
        default: throw mismatch(type, "a text")
        }
    }

    func decode(_ type: Double.Type) throws -> Double {
        let value: JSONValue? =
            switch json {
            case .number(let number, _): number
            case .plain(.string(let text)): try? JSONValue.parse(text.trimmingCharacters(in: .whitespaces))
            default: nil
            }
        guard let number = value?.numberValue else { throw mismatch(type, "a number") }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try whole(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try whole(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try whole(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try whole(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try whole(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try whole(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try whole(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try whole(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try whole(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try whole(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Self.decode(type, from: json, at: codingPath)
    }

    private func whole<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        let number: Number? =
            switch json {
            case .number(.number(let number), _): Number(exactly: number)
            case .number(_, let text): Number(text)
            case .plain(.string(let text)): Number(text.trimmingCharacters(in: .whitespaces))
            default: nil
            }
        guard let number else { throw mismatch(type, "a whole number") }
        return number
    }
}

// MARK: Forms of single types

extension NamedChoice {
    /// Finds a choice by its word with space around it, or by its place in the vendor's declaration, counted from 0.
    init?(tolerating text: String) {
        let word = text.trimmingCharacters(in: .whitespaces)
        if let choice = Self(name: word) {
            self = choice
            return
        }
        let choices = Array(Self.allCases)
        // Digits only: `+1` is no place.
        guard word.wholeMatch(of: /\d{1,3}/) != nil, let place = Int(word), choices.indices.contains(place) else {
            return nil
        }
        self = choices[place]
    }
}

extension BackOfficeDate {
    /// Reads a date alone, a time without zone, which is UTC, a zone of hours only, a time without seconds, and the
    /// text form of RFC 1123; nil for anything else. A day that its month does not have is no date.
    init?(tolerating text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard let date = Self.complete(text) ?? Self.internet(text), let moment = BackOfficeDate(text: date) else {
            return nil
        }
        self = moment
    }

    /// The text form of a date of ISO 8601 that leaves out some of it.
    private static func complete(_ text: String) -> String? {
        let pattern =
            /(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(:\d{2})?(\.\d+)?(?:Z|([+-]\d{2})(?::?(\d{2}))?)?)?/
        guard let match = text.wholeMatch(of: pattern) else { return nil }
        let (_, date, minutes, seconds, fraction, zoneHours, zoneMinutes) = match.output
        let zone = "\(zoneHours ?? "+00")\(zoneMinutes ?? "00")"
        return "\(date)T\(minutes ?? "00:00")\(seconds ?? ":00")\(fraction ?? "")\(zone)"
    }

    /// The text form of a date of RFC 1123, section 5.2.14, such as `Sat, 02 Nov 2024 09:15:27 GMT`.
    private static func internet(_ text: String) -> String? {
        let pattern =
            /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d?) (\w{3}) (\d{4}) ([\d:]{8}) ([A-Z]{3}|[+-]\d{4})/
        guard let match = text.wholeMatch(of: pattern) else { return nil }
        let (_, day, month, year, time, zone) = match.output
        guard let number = months.firstIndex(of: String(month)) else { return nil }
        let offset = zone.first?.isLetter == true ? zones[String(zone)] : String(zone)
        guard let offset else { return nil }
        let twoDigits = number < 9 ? "0\(number + 1)" : "\(number + 1)"
        return "\(year)-\(twoDigits)-\(day.count == 1 ? "0" : "")\(day)T\(time)\(offset)"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The names of zones (RFC 822, section 5).
    private static let zones = [
        "GMT": "+0000", "UTC": "+0000", "EST": "-0500", "EDT": "-0400", "CST": "-0600", "CDT": "-0500",
        "MST": "-0700", "MDT": "-0600", "PST": "-0800", "PDT": "-0700",
    ]
}
