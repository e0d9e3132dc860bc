// SPDX-License-Identifier: Apache-2.0

import COpenSSL
public import Foundation

/// Base64 as the protocol's core reads it (protocol.md, section 2.5).
public enum StrictBase64 {
    /// Padded, without line breaks.
    public static func encode(_ data: Data) -> String { data.withUnsafeBytes { encode($0) } }

    static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
        // One more byte, because OpenSSL writes a terminating NUL.
        String(unsafeUninitializedCapacity: encodedCount(bytes.count) + 1) { output in
            encode(bytes, into: UnsafeMutableRawBufferPointer(output))
        }
    }

    /// Characters of the text of `count` bytes.
    static func encodedCount(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Writes the text and a NUL behind it; answers the number of characters.
    @discardableResult
    static func encode(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int {
        let characters = encodedCount(bytes.count)
        // OpenSSL counts in 32 bits; longer inputs are cut into pieces of whole groups of three bytes.
        let piece = 3 << 20
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let source = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + piece, bytes.count)])
            let target = UnsafeMutableRawBufferPointer(rebasing: output[(start / 3 * 4)...])
            EVP_EncodeBlock(target.octets, source.octets, Int32(source.count))
        }
        return characters
    }

    /// Nil for white space, characters outside the alphabet, missing padding, or a length that is not a
    /// multiple of 4. Unused bits that are not zero are accepted (`AB==`); the empty text is empty data.
    public static func decode(_ text: String) -> Data? {
        let characters = Array(text.utf8)
        guard characters.count % 4 == 0 else { return nil }
        guard !characters.isEmpty else { return Data() }
        let padding = characters.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return SixBits.decode(characters.dropLast(padding), alphabet: SixBits.standard)
    }

    /// Decodes a field of an expected size.
    /// - Throws: ``ProtocolError/invalidEncoding(field:)`` or ``ProtocolError/invalidLength(field:expected:actual:)``.
    public static func decode(_ text: String, field: String, count: Int? = nil) throws -> Data {
        guard let data = decode(text) else { throw ProtocolError.invalidEncoding(field: field) }
        guard count == nil || data.count == count else {
            throw ProtocolError.invalidLength(field: field, expected: "\(count ?? 0) bytes", actual: data.count)
        }
        return data
    }
}

/// Base64url, which JWTs use (RFC 7515, section 2).
public enum Base64URL {
    /// Without padding.
    public static func encode(_ data: Data) -> String {
        var text = data.base64EncodedString()
        text.removeLast(text.reversed().prefix { $0 == "=" }.count)
        return String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    /// With or without padding. Nil for other characters, impossible lengths, and for unused bits that
    /// are not zero: a signed text shall have one spelling only.
    public static func decode(_ text: String) -> Data? {
        var characters = Array(text.utf8)
        let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding == 0 || (padding <= 2 && characters.count % 4 == 0) else { return nil }
        characters.removeLast(padding)
        guard characters.count % 4 != 1, let data = SixBits.decode(characters[...], alphabet: SixBits.url) else {
            return nil
        }
        return encode(data).utf8.elementsEqual(characters) ? data : nil
    }
}

/// The common part of both alphabets: four characters of six bits make three bytes.
private enum SixBits {
    static let standard = table("+", "/")
    static let url = table("-", "_")

    /// Decodes text without padding; leftover bits are dropped.
    static func decode(_ characters: ArraySlice<UInt8>, alphabet: [UInt8]) -> Data? {
        var data = Data(capacity: characters.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits = 0
        for character in characters {
            let value = alphabet[Int(character)]
            guard value < 64 else { return nil }
            buffer = (buffer << 6 | UInt32(value)) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                data.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        return data
    }

    private static func table(_ sixtyTwo: String, _ sixtyThree: String) -> [UInt8] {
        var table = [UInt8](repeating: 0xFF, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + sixtyTwo + sixtyThree
        for (value, character) in alphabet.utf8.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }
}

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

    /// Nil for other characters, for impossible lengths (1, 3 or 6 modulo 8) and for unused bits that are not zero.
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

/// CRC-16/ARC: reflected polynomial `0xA001`, initial value 0 (protocol.md, section 2.6).
public enum CRC16 {
    /// The check value of `data`.
    public static func checksum(_ data: Data) -> UInt16 {
        var crc: UInt16 = 0
        for byte in data {
            crc ^= UInt16(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xA001 : crc >> 1 }
        }
        return crc
    }

    /// `data` followed by its check value, big-endian.
    public static func appending(to data: Data) -> Data {
        let crc = checksum(data)
        return data + Data([UInt8(crc >> 8), UInt8(crc & 0xFF)])
    }

    /// Whether the last two bytes are the check value of the bytes before.
    public static func validates(_ data: Data) -> Bool { data.count >= 2 && appending(to: data.dropLast(2)) == data }
}

/// `Dec(bytes, n)`: decimal digits from the last four bytes (protocol.md, section 2.7).
public enum Decimalization {
    /// Digits a result may have.
    public static let lengths = 4...8

    /// Exactly `length` digits.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for fewer than 4 bytes or a
    ///   number of digits outside 4…8.
    public static func decimal(_ data: Data, length: Int = 8) throws -> String {
        guard data.count >= 4 else {
            throw ProtocolError.invalidLength(
                field: "value to decimalise", expected: "4 bytes or more", actual: data.count)
        }
        guard lengths.contains(length) else {
            throw ProtocolError.invalidLength(field: "decimal length", expected: "4 to 8 digits", actual: length)
        }
        let number = data.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<length).reduce(UInt32(1)) { product, _ in product * 10 }
        return padded(UInt64(number % modulus), length: length)
    }

    static func padded(_ number: UInt64, length: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, length - digits.count)) + digits
    }
}

/// UUIDs as headers carry them: 8-4-4-4-12 hexadecimal digits of either case, version 1–5, variant 8–b
/// (protocol.md, section 9.5).
public enum UUIDText {
    /// Whether `text` is such a UUID.
    public static func isValid(_ text: String) -> Bool {
        let characters = Array(text.utf8)
        guard characters.count == 36 else { return false }
        for (index, character) in characters.enumerated() {
            let lower = character | 0x20
            let isHex =
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(lower)
            switch index {
            case 8, 13, 18, 23: guard character == UInt8(ascii: "-") else { return false }
            case 14: guard (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(character) else { return false }
            case 19: guard isHex, "89ab".utf8.contains(lower) else { return false }
            default: guard isHex else { return false }
            }
        }
        return true
    }
}
