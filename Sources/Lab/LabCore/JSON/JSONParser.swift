// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What is wrong with a JSON text, and where.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was found and what was expected.
    public let message: String
    /// Byte offset from the start of the text.
    public let offset: Int

    public var description: String { "invalid JSON at byte \(offset): \(message)" }
}

extension JSONValue {
    /// Reads a JSON text (RFC 8259).
    ///
    /// Stricter than required where the format leaves room for surprises: duplicate keys, nesting deeper than 128
    /// levels, invalid UTF-8 and lone surrogates are errors.
    public static func parse(_ data: Data) throws(JSONSyntaxError) -> JSONValue { try parse([UInt8](data)) }

    /// Reads a JSON text.
    public static func parse(_ text: String) throws(JSONSyntaxError) -> JSONValue { try parse(Array(text.utf8)) }

    /// Reads the bytes of a JSON text.
    static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        return try parser.document()
    }
}

/// A recursive-descent reader over the bytes of a document.
private struct JSONParser {
    static let maximumDepth = 128

    let bytes: [UInt8]
    var position = 0
    var depth = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSONSyntaxError) -> JSONValue {
        let result = try value()
        skipSpace()
        guard position == bytes.count else { throw error("expected the end of the text") }
        return result
    }

    private mutating func value() throws(JSONSyntaxError) -> JSONValue {
        skipSpace()
        guard position < bytes.count else { throw error("the text ends where a value was expected") }
        switch bytes[position] {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONSyntaxError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONSyntaxError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONSyntaxError) -> JSONValue
    ) throws(JSONSyntaxError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw error("nested deeper than \(Self.maximumDepth) levels") }
        depth += 1
        position += 1
        let result = try body(&self)
        depth -= 1
        return result
    }

    private mutating func object() throws(JSONSyntaxError) -> JSONValue {
        var members: [String: JSONValue] = [:]
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                throw error("expected a key in double quotes")
            }
            let start = position
            let key = try string()
            guard take(":") else { throw error("expected ':' after a key") }
            guard members.updateValue(try value(), forKey: key) == nil else {
                throw JSONSyntaxError(message: "the key '\(key)' appears twice", offset: start)
            }
        } while take(",")
        guard take("}") else { throw error("expected ',' or '}'") }
        return .object(members)
    }

    private mutating func array() throws(JSONSyntaxError) -> JSONValue {
        var elements: [JSONValue] = []
        if take("]") { return .array(elements) }
        repeat { elements.append(try value()) } while take(",")
        guard take("]") else { throw error("expected ',' or ']'") }
        return .array(elements)
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        let count = text.utf8CodeUnitCount
        let matches = text.withUTF8Buffer { $0.elementsEqual(bytes[position...].prefix(count)) }
        guard matches else { throw error("expected a value") }
        position += count
        return value
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = position
        var isInteger = true
        _ = takeByte("-")
        if !takeByte("0") {
            guard takeDigits() else { throw error("expected a value") }
        }
        if takeByte(".") {
            isInteger = false
            guard takeDigits() else { throw error("expected a digit after the decimal point") }
        }
        if takeByte("e") || takeByte("E") {
            isInteger = false
            if !takeByte("+") { _ = takeByte("-") }
            guard takeDigits() else { throw error("expected a digit in the exponent") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        if isInteger, let value = UInt64(text) { return .unsigned(value) }
        guard let value = Double(text), value.isFinite else {
            throw JSONSyntaxError(message: "the number \(text) is out of range", offset: start)
        }
        return .number(value)
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        let opening = position
        position += 1
        var content: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw JSONSyntaxError(message: "the text is not valid UTF-8", offset: opening)
                }
                return text
            case UInt8(ascii: "\\"):
                position += 1
                content.append(contentsOf: try escape())
            case 0..<0x20:
                throw error("control characters must be escaped in a text")
            default:
                content.append(byte)
                position += 1
            }
        }
        throw JSONSyntaxError(message: "the text that starts here has no closing quote", offset: opening)
    }

    private mutating func escape() throws(JSONSyntaxError) -> [UInt8] {
        guard position < bytes.count else { throw error("the text ends within an escape") }
        let letter = bytes[position]
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            let first = try hexadecimal()
            if let scalar = Unicode.Scalar(first) { return Array(String(Character(scalar)).utf8) }
            // A character outside of the basic plane comes as two escapes, high surrogate first.
            guard (0xD800..<0xDC00).contains(first), takeByte("\\"), takeByte("u") else {
                throw error("a surrogate escape stands alone")
            }
            let second = try hexadecimal()
            guard (0xDC00..<0xE000).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            else { throw error("a surrogate escape stands alone") }
            return Array(String(Character(scalar)).utf8)
        default:
            position -= 1
            throw error("unknown escape")
        }
    }

    private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
        guard position + 4 <= bytes.count else { throw error("expected four hexadecimal digits") }
        var result: UInt32 = 0
        for byte in bytes[position..<(position + 4)] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("expected four hexadecimal digits")
            }
            result = result << 4 | UInt32(digit)
        }
        position += 4
        return result
    }

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

    private mutating func takeDigits() -> Bool {
        let start = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        return position > start
    }

    private func error(_ message: String) -> JSONSyntaxError { JSONSyntaxError(message: message, offset: position) }
}
