public import Foundation

extension SymmetricSignature {
    /// The parameters of a GET request as the body of its signature (protocol.md, section 9.2): pairs
    /// sorted by the UTF-8 bytes of name, then value, and encoded as a form.
    public static func canonicalQuery(_ parameters: [(String, String)]) -> Data {
        FormEncoding.sorted(parameters.map { (Array($0.0.utf8), Array($0.1.utf8)) })
    }

    /// The server's way from a raw query: pieces without `=` are dropped, each side is decoded once
    /// (protocol.md, section 22, item 21).
    /// - Throws: ``ProtocolError/invalidEncoding(field:)`` for a `%` without two hexadecimal digits.
    public static func canonicalQuery(rawQuery: String) throws -> Data {
        let pieces = rawQuery.utf8.split(separator: UInt8(ascii: "&"))
        return try FormEncoding.sorted(
            pieces.compactMap { piece in
                guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else { return nil }
                return (
                    try FormEncoding.decode(piece[..<equals]),
                    try FormEncoding.decode(piece[piece.index(after: equals)...])
                )
            })
    }
}

/// `application/x-www-form-urlencoded` on bytes.
private enum FormEncoding {
    static func sorted(_ parameters: [([UInt8], [UInt8])]) -> Data {
        let sorted = parameters.sorted { left, right in
            left.0 == right.0 ? left.1.lexicographicallyPrecedes(right.1) : left.0.lexicographicallyPrecedes(right.0)
        }
        var output = Data()
        for (name, value) in sorted {
            if !output.isEmpty { output.append(UInt8(ascii: "&")) }
            encode(name, into: &output)
            output.append(UInt8(ascii: "="))
            encode(value, into: &output)
        }
        return output
    }

    private static func encode(_ bytes: [UInt8], into output: inout Data) {
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "*"):
                output.append(byte)
            case UInt8(ascii: " "): output.append(UInt8(ascii: "+"))
            default: output.append(contentsOf: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]])
            }
        }
    }

    static func decode(_ text: Substring.UTF8View) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(hexValue), let low = iterator.next().flatMap(hexValue) else {
                    throw ProtocolError.invalidEncoding(field: "query")
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func hexValue(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
