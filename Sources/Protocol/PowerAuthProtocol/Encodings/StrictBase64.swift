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
            EVP_EncodeBlock(
                target.baseAddress?.assumingMemoryBound(to: UInt8.self),
                source.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(source.count))
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
    /// - Throws: ``ProtocolError/invalidEncoding(field:)`` or
    ///   ``ProtocolError/invalidLength(field:expected:actual:)``.
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
