// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore

/// A JSON value as it was written: `100.00` for a text keeps its two decimal places, and members keep their order.
enum WrittenJSON {
    /// How many lists and objects may stand in one another.
    static let mostLevels = 128
    /// The longest number in bytes, as Jackson reads it. A longer one could be a text that no limit of a text has seen.
    static let longestNumber = 1_000

    /// `null`, `true`, `false` or a text.
    case plain(JSONValue)
    case number(JSONValue, text: String)
    case list([WrittenJSON])
    /// Of a name that comes twice, the first member counts, as for the strict reader.
    case object(Members)

    /// The members of an object in their order.
    struct Members {
        private(set) var names: [String] = []
        private(set) var values: [String: WrittenJSON] = [:]

        /// A new member comes last; nil removes one.
        subscript(name: String) -> WrittenJSON? {
            get { values[name] }
            set {
                let isNew = values[name] == nil
                values[name] = newValue
                if newValue == nil {
                    names.removeAll { $0 == name }
                } else if isNew {
                    names.append(name)
                }
            }
        }
    }

    /// Reads a text; nil for one that is no JSON, or beyond the limits.
    init?(_ data: Data) {
        var parser = WrittenJSONParser(bytes: [UInt8](data))
        guard let value = parser.document() else { return nil }
        self = value
    }

    /// The value without the texts of its numbers.
    var value: JSONValue {
        switch self {
        case .plain(let value), .number(let value, _): value
        case .list(let elements): .array(elements.map(\.value))
        case .object(let members): .object(members.values.mapValues(\.value))
        }
    }
}

extension WrittenJSON {
    /// A value of the program, as it writes it: with members in the order of their names.
    init(_ value: JSONValue) {
        switch value {
        case .array(let elements): self = .list(elements.map { WrittenJSON($0) })
        case .object(let values):
            var members = Members()
            for (name, member) in values.sorted(by: { $0.key < $1.key }) { members[name] = WrittenJSON(member) }
            self = .object(members)
        case .integer, .unsigned, .number:
            self = .number(value, text: String(decoding: value.encoded(), as: UTF8.self))
        case .null, .bool, .string: self = .plain(value)
        }
    }

    /// The JSON text without white space.
    func encoded() -> Data {
        switch self {
        case .plain(let value): return value.encoded()
        case .number(_, let text): return Data(text.utf8)
        case .list(let elements): return Self.text(of: elements.map { $0.encoded() }, from: "[", to: "]")
        case .object(let members):
            let texts = members.names.compactMap { name in
                members[name].map { JSONValue.string(name).encoded() + Data(":".utf8) + $0.encoded() }
            }
            return Self.text(of: texts, from: "{", to: "}")
        }
    }

    private static func text(of parts: [Data], from start: String, to end: String) -> Data {
        Data(start.utf8) + Data(parts.joined(separator: Data(",".utf8))) + Data(end.utf8)
    }
}

/// Finds the parts of a JSON text, and leaves each text, number and word to ``JSONValue``.
private struct WrittenJSONParser {
    let bytes: [UInt8]
    private var position = 0
    private var level = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() -> WrittenJSON? {
        guard let value = value() else { return nil }
        skipSpace()
        return position == bytes.count ? value : nil
    }

    private mutating func value() -> WrittenJSON? {
        skipSpace()
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "{"): return nested { $0.object() }
        case UInt8(ascii: "["): return nested { $0.list() }
        case UInt8(ascii: "\""): return text().map { .plain(.string($0)) }
        default: return word()
        }
    }

    private mutating func nested(_ body: (inout WrittenJSONParser) -> WrittenJSON?) -> WrittenJSON? {
        guard level < WrittenJSON.mostLevels else { return nil }
        level += 1
        position += 1
        defer { level -= 1 }
        return body(&self)
    }

    private mutating func object() -> WrittenJSON? {
        var members = WrittenJSON.Members()
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard let key = text(), take(":"), let member = value() else { return nil }
            if members[key] == nil { members[key] = member }
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func list() -> WrittenJSON? {
        var elements: [WrittenJSON] = []
        if take("]") { return .list(elements) }
        repeat {
            guard let element = value() else { return nil }
            elements.append(element)
        } while take(",")
        return take("]") ? .list(elements) : nil
    }

    private mutating func text() -> String? {
        let start = position
        guard takeByte("\"") else { return nil }
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard takeByte("\"") else { return nil }
        return scalar(from: start)?.stringValue
    }

    /// A number, `true`, `false` or `null`.
    private mutating func word() -> WrittenJSON? {
        let start = position
        while position < bytes.count, Self.isPartOfWord(bytes[position]) { position += 1 }
        guard let value = scalar(from: start) else { return nil }
        guard value.numberValue != nil else { return .plain(value) }
        guard position - start <= WrittenJSON.longestNumber else { return nil }
        return .number(value, text: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    private func scalar(from start: Int) -> JSONValue? { try? JSONValue.parse(Data(bytes[start..<position])) }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[position]) { position += 1 }
    }

    /// Skips white space, then takes the character if it is next.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        return takeByte(character)
    }

    private mutating func takeByte(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }
}
