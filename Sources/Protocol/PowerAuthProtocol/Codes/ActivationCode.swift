// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An activation code: 10 random bytes and their checksum as four groups of five characters (protocol.md, section 4.1).
public struct ActivationCode: Sendable, Hashable, CustomStringConvertible {
    /// The 23 characters, for example `AAAQE-AYEAU-DAOCA-JIICA`.
    public let text: String
    /// The 10 bytes before the checksum.
    public let raw: Data

    /// Validates a code; nothing is corrected (see ``TypedCharacter`` for what a user types).
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` that states which rule is broken.
    public init(_ text: String) throws {
        func invalid(_ reason: String) -> ProtocolError { .invalidFormat(field: "activation code", reason: reason) }
        let characters = Array(text.utf8)
        guard characters.count == 23 else { throw invalid("it must have 23 characters, not \(characters.count)") }
        for (index, character) in characters.enumerated() {
            guard (character == UInt8(ascii: "-")) == (index % 6 == 5) else {
                throw invalid("it must have dashes after every fifth character and nowhere else")
            }
        }
        guard let bytes = Base32.decode(text.filter { $0 != "-" }), bytes.count == 12 else {
            throw invalid("it must consist of the characters A–Z and 2–7")
        }
        guard CRC16.validates(bytes) else { throw invalid("its checksum is wrong, so it was mistyped") }
        self.text = text
        raw = bytes.prefix(10)
    }

    /// The code of 10 given bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for any other size.
    public init(raw: Data) throws {
        guard raw.count == 10 else {
            throw ProtocolError.invalidLength(field: "activation code", expected: "10 bytes", actual: raw.count)
        }
        self.init(tenBytes: raw)
    }

    private init(tenBytes: Data) {
        let characters = Array(Base32.encode(CRC16.appending(to: tenBytes)))
        text = stride(from: 0, to: 20, by: 5).map { String(characters[$0..<($0 + 5)]) }.joined(separator: "-")
        raw = tenBytes
    }

    /// A random code.
    public static func generate() -> Self { Self(tenBytes: Random.bytes(10)) }
    /// Whether `text` is a valid code.
    public static func isValid(_ text: String) -> Bool { (try? Self(text)) != nil }

    /// The server's signature of the code, DER.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    public func signature(by masterKey: PrivateKey) throws -> Data { try masterKey.sign(Data(text.utf8)) }

    /// Whether `signature` (DER) is the server's signature of this code.
    public func isSigned(_ signature: Data, by masterKey: PublicKey) -> Bool {
        masterKey.verify(signature: signature, of: Data(text.utf8))
    }

    /// The code itself.
    public var description: String { text }
}

extension ActivationCode {
    /// The check at the start of an activation (protocol.md, section 4.2): both may be absent.
    /// - Parameters:
    ///   - code: a code, or nil for activations without one.
    ///   - signature: Base64 of a DER signature; nil or empty for none.
    ///   - masterKey: the application's master server key.
    /// - Throws: ``ProtocolError/signatureMismatch`` for a signature that does not verify, also one without a
    ///   code (an encryption error).
    public static func checkForStart(_ code: Self?, signature: String?, masterKey: PublicKey) throws {
        guard let signature, !signature.isEmpty else { return }
        guard let code, let bytes = StrictBase64.decode(signature), code.isSigned(bytes, by: masterKey)
        else { throw ProtocolError.signatureMismatch }
    }
}

/// Reads what a QR code or a link carries (protocol.md, section 4.2). Nothing is corrected or trimmed.
public enum ActivationCodeParser {
    /// An activation code with the server's signature, if it came with one.
    public struct Parsed: Sendable, Equatable {
        /// The code.
        public let code: ActivationCode
        /// Base64 text of the signature, not verified yet.
        public let signature: String?
    }

    /// Reads `CODE` or `CODE#BASE64`.
    /// - Throws: ``ProtocolError`` naming the part that is wrong.
    public static func parse(_ text: String) throws -> Parsed {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        // An empty text has one part too, which is empty.
        let activationCode = try ActivationCode(parts[0])
        guard parts.count == 2 else { return Parsed(code: activationCode, signature: nil) }
        let signature = parts[1]
        guard !signature.isEmpty, StrictBase64.decode(signature) != nil else {
            throw ProtocolError.invalidEncoding(field: "activation code signature")
        }
        return Parsed(code: activationCode, signature: signature)
    }
}

/// What a user interface does with characters typed into a code field (protocol.md, section 4.3).
public enum TypedCharacter {
    /// The character to show, or nil for one to refuse. Lower case becomes upper case, `0` becomes `O`,
    /// `1` becomes `I`.
    public static func correct(_ character: Unicode.Scalar) -> Unicode.Scalar? {
        switch character {
        case "A"..."Z", "2"..."7": character
        case "a"..."z": Unicode.Scalar(character.value - 0x20)
        case "0": "O"
        case "1": "I"
        default: nil
        }
    }

    /// The same for code points as numbers; 0 for one to refuse.
    public static func correct(_ codePoint: UInt32) -> UInt32 {
        Unicode.Scalar(codePoint).flatMap { correct($0) }?.value ?? 0
    }

    /// Whether the character belongs to the alphabet of codes as it is.
    public static func validate(_ character: Unicode.Scalar) -> Bool {
        switch character {
        case "A"..."Z", "2"..."7": true
        default: false
        }
    }

    /// The same for a code point as a number.
    public static func validate(_ codePoint: UInt32) -> Bool { Unicode.Scalar(codePoint).map { validate($0) } ?? false }
}
