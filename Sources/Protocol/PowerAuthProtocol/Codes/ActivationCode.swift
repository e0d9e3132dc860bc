public import Foundation

/// An activation code: 10 random bytes and their checksum as four groups of five characters
/// (protocol.md, section 4.1).
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
