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
}

/// What a JSON text is read into: a value, or one that keeps more of the text.
package protocol JSONTree {
    /// The members of an object, while it is read.
    associatedtype Members

    /// The members of an empty object.
    static var noMembers: Members { get }
    /// The longest number in bytes.
    static var longestNumber: Int { get }

    /// Makes `null`, a truth value or a text.
    static func plain(_ value: JSONValue) -> Self
    /// Makes a number.
    /// - Parameter text: the number as it is written.
    static func number(_ value: JSONValue, text: String) -> Self
    /// Makes a list.
    static func list(_ elements: [Self]) -> Self
    /// Adds a member to those of an object.
    /// - Returns: false if a name must not come twice, and this one does.
    static func add(_ member: Self, named name: String, to members: inout Members) -> Bool
    /// Makes an object.
    static func object(_ members: Members) -> Self
}

extension JSONTree {
    /// Reads the bytes of a JSON text, as strictly as ``JSONValue``.
    package static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> Self {
        var parser = JSONParser(bytes: bytes)
        return try parser.document()
    }
}

extension JSONValue: JSONTree {
    package static var noMembers: [String: JSONValue] { [:] }
    package static var longestNumber: Int { .max }
    package static func plain(_ value: JSONValue) -> JSONValue { value }
    package static func number(_ value: JSONValue, text: String) -> JSONValue { value }
    package static func list(_ elements: [JSONValue]) -> JSONValue { .array(elements) }
    package static func add(
        _ member: JSONValue, named name: String, to members: inout [String: JSONValue]
    ) -> Bool {
        members.updateValue(member, forKey: name) == nil
    }
}

/// A recursive-descent reader over the bytes of a document.
private struct JSONParser {
    static let maximumDepth = 128

    let bytes: [UInt8]
    var position = 0
    var depth = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document<Tree: JSONTree>() throws(JSONSyntaxError) -> Tree {
        let result: Tree = try value()
        skipSpace()
        guard position == bytes.count else { throw error("expected the end of the text") }
        return result
    }

    private mutating func value<Tree: JSONTree>() throws(JSONSyntaxError) -> Tree {
        skipSpace()
        guard position < bytes.count else { throw error("the text ends where a value was expected") }
        switch bytes[position] {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONSyntaxError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONSyntaxError) in try parser.array() }
        case UInt8(ascii: "\""): return Tree.plain(.string(try string()))
        case UInt8(ascii: "t"): return Tree.plain(try word("true", .bool(true)))
        case UInt8(ascii: "f"): return Tree.plain(try word("false", .bool(false)))
        case UInt8(ascii: "n"): return Tree.plain(try word("null", .null))
        default: return try number()
        }
    }

    private mutating func nested<Tree: JSONTree>(
        _ body: (inout JSONParser) throws(JSONSyntaxError) -> Tree
    ) throws(JSONSyntaxError) -> Tree {
        guard depth < Self.maximumDepth else { throw error("nested deeper than \(Self.maximumDepth) levels") }
        depth += 1
        position += 1
        let result = try body(&self)
        depth -= 1
        return result
    }

    private mutating func object<Tree: JSONTree>() throws(JSONSyntaxError) -> Tree {
        var members = Tree.noMembers
        if take("}") { return Tree.object(members) }
        repeat {
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                throw error("expected a key in double quotes")
            }
            let start = position
            let key = try string()
            guard take(":") else { throw error("expected ':' after a key") }
            guard Tree.add(try value(), named: key, to: &members) else {
                throw JSONSyntaxError(message: "the key '\(key)' appears twice", offset: start)
            }
        } while take(",")
        guard take("}") else { throw error("expected ',' or '}'") }
        return Tree.object(members)
    }

    private mutating func array<Tree: JSONTree>() throws(JSONSyntaxError) -> Tree {
        var elements: [Tree] = []
        if take("]") { return Tree.list(elements) }
        repeat { elements.append(try value()) } while take(",")
        guard take("]") else { throw error("expected ',' or ']'") }
        return Tree.list(elements)
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        let count = text.utf8CodeUnitCount
        let matches = text.withUTF8Buffer { $0.elementsEqual(bytes[position...].prefix(count)) }
        guard matches else { throw error("expected a value") }
        position += count
        return value
    }

    private mutating func number<Tree: JSONTree>() throws(JSONSyntaxError) -> Tree {
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
        guard position - start <= Tree.longestNumber else {
            throw JSONSyntaxError(message: "the number is longer than \(Tree.longestNumber) bytes", offset: start)
        }
        if isInteger, let value = Int64(text) { return Tree.number(.integer(value), text: text) }
        if isInteger, let value = UInt64(text) { return Tree.number(.unsigned(value), text: text) }
        guard let value = Double(text), value.isFinite else {
            throw JSONSyntaxError(message: "the number \(text) is out of range", offset: start)
        }
        return Tree.number(.number(value), text: text)
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
