public import Foundation

/// Base32 of RFC 4648 without padding, upper case only (protocol.md, section 2.5).
public enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Encodes whole bytes; the last character may carry unused zero bits.
    public static func encode(_ data: Data) -> String {
        var text = ""
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in data {
            buffer = (buffer << 8 | UInt32(byte)) & 0xFFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.unicodeScalars.append(Unicode.Scalar(alphabet[Int(buffer >> bits & 31)]))
            }
        }
        if bits > 0 { text.unicodeScalars.append(Unicode.Scalar(alphabet[Int(buffer << (5 - bits) & 31)])) }
        return text
    }

    /// Nil for other characters, for impossible lengths (1, 3 or 6 modulo 8) and for unused bits that
    /// are not zero.
    public static func decode(_ text: String) -> Data? {
        let characters = text.utf8
        guard ![1, 3, 6].contains(characters.count % 8) else { return nil }
        var data = Data(capacity: characters.count * 5 / 8)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for character in characters {
            let value: UInt32
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(character - UInt8(ascii: "A"))
            case UInt8(ascii: "2")...UInt8(ascii: "7"): value = UInt32(character - UInt8(ascii: "2")) + 26
            default: return nil
            }
            buffer = (buffer << 5 | value) & 0xFFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                data.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        return buffer & ((1 << bits) - 1) == 0 ? data : nil
    }
}
