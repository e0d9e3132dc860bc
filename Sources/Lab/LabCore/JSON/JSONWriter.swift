// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension JSONValue {
    /// The JSON text: compact, keys sorted, slashes as they are; equal values give equal bytes.
    public func encoded() -> Data {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return Data(bytes)
    }

    /// The JSON text over several lines, indented by two spaces, for people.
    public func prettyPrinted() -> String {
        var bytes: [UInt8] = []
        append(to: &bytes, indentation: 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text to a buffer.
    ///
    /// - Parameter indentation: The level of the value in a text over several lines; nil means the compact text.
    func append(to bytes: inout [UInt8], indentation: Int? = nil) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .unsigned(let value): bytes.append(contentsOf: String(value).utf8)
        case .number(let value): Self.append(value, to: &bytes)
        case .string(let value): Self.append(value, to: &bytes)
        case .array(let elements):
            Self.append(elements, in: ("[", "]"), to: &bytes, indentation) { element, bytes, level in
                element.append(to: &bytes, indentation: level)
            }
        case .object(let members):
            let sorted = members.sorted { $0.key < $1.key }
            Self.append(sorted, in: ("{", "}"), to: &bytes, indentation) { member, bytes, level in
                Self.append(member.key, to: &bytes)
                bytes.append(contentsOf: (level == nil ? ":" : ": ").utf8)
                member.value.append(to: &bytes, indentation: level)
            }
        }
    }

    /// Appends the parts of a list or an object with commas between them, in brackets.
    private static func append<Part>(
        _ parts: [Part], in brackets: (Unicode.Scalar, Unicode.Scalar), to bytes: inout [UInt8],
        _ indentation: Int?, _ appendPart: (Part, inout [UInt8], Int?) -> Void
    ) {
        func newLine(_ level: Int?) {
            guard let level else { return }
            bytes.append(UInt8(ascii: "\n"))
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
        }
        let level = indentation.map { $0 + 1 }
        bytes.append(UInt8(ascii: brackets.0))
        for (index, part) in parts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            newLine(level)
            appendPart(part, &bytes, level)
        }
        if !parts.isEmpty { newLine(indentation) }
        bytes.append(UInt8(ascii: brackets.1))
    }

    /// Appends a number that is not whole by its type.
    static func append(_ value: Double, to bytes: inout [UInt8]) {
        // JSON has no word for infinities and not-a-number.
        bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
    }

    /// Appends a text in quotes.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        // Most texts need no escapes and go in as a whole.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            bytes.append(contentsOf: text.utf8)
        } else {
            appendEscaped(text, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendEscaped(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
            case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
            case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
            case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
            case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: #"\u00"#.utf8)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
    }
}
