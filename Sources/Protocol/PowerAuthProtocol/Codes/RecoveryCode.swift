import COpenSSL
public import Foundation

/// A recovery code; it has the form of an activation code and may be written with the prefix `R:`
/// (protocol.md, sections 4.2 and 4.4).
public struct RecoveryCode: Sendable, Hashable, CustomStringConvertible {
    /// The code without prefix, as every request carries it.
    public let code: ActivationCode

    /// Validates a recovery code.
    /// - Parameter allowsPrefix: whether `R:` at the start is accepted.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)``.
    public init(_ text: String, allowsPrefix: Bool = true) throws {
        let hasPrefix = text.hasPrefix("R:")
        guard allowsPrefix || !hasPrefix else {
            throw ProtocolError.invalidFormat(field: "recovery code", reason: "the prefix R: is not allowed here")
        }
        do {
            code = try ActivationCode(hasPrefix ? String(text.dropFirst(2)) : text)
        } catch ProtocolError.invalidFormat(_, let reason) {
            throw ProtocolError.invalidFormat(field: "recovery code", reason: reason)
        }
    }

    init(code: ActivationCode) { self.code = code }

    /// The 23 characters without prefix.
    public var text: String { code.text }
    /// The 23 characters without prefix.
    public var description: String { text }

    /// Whether `text` is a valid recovery code.
    public static func isValid(_ text: String, allowsPrefix: Bool = true) -> Bool {
        (try? Self(text, allowsPrefix: allowsPrefix)) != nil
    }
}

/// The PUK of a recovery code: exactly 10 ASCII digits. Its text is a secret of the user.
public struct RecoveryPuk: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The 10 digits.
    public let text: String

    /// Validates a PUK.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)``.
    public init(_ text: String) throws {
        guard text.utf8.count == 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw ProtocolError.invalidFormat(field: "puk", reason: "it must be exactly 10 digits")
        }
        self.text = text
    }

    init(number: UInt64) { text = Decimalization.padded(number % 10_000_000_000, length: 10) }

    /// Whether `text` is a valid PUK.
    public static func isValid(_ text: String) -> Bool { (try? Self(text)) != nil }

    /// Never the digits.
    public var description: String { "RecoveryPuk(10 digits)" }
    /// No children: a dump shows no digit either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The server's derivation of a recovery code and its PUKs (protocol.md, section 4.4).
public struct RecoverySeed: Sendable {
    /// The code.
    public let code: RecoveryCode
    private let base: SymmetricKey<KeyPurpose.RecoveryBase>

    /// Derives the code and the base of its PUKs.
    /// - Parameters:
    ///   - secret: 16 random bytes for a code issued with an activation, the 32 bytes of an ECDH for a postcard.
    ///   - nonce: 32 random bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for other sizes.
    public init(secret: SecretBytes, nonce: Data) throws {
        guard secret.count == 16 || secret.count == 32 else {
            throw ProtocolError.invalidLength(
                field: "recovery secret", expected: "16 or 32 bytes", actual: secret.count)
        }
        guard nonce.count == 32 else {
            throw ProtocolError.invalidLength(field: "recovery nonce", expected: "32 bytes", actual: nonce.count)
        }
        let derived = KDF.x963(secret: secret, info: nonce, length: 26)
        code = RecoveryCode(code: try ActivationCode(raw: derived.withUnsafeBytes { Data($0[..<10]) }))
        base = SymmetricKey { output in
            derived.withUnsafeBytes { output.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[10...])) }
        }
    }

    /// A random seed for a code issued with an activation.
    public static func generate() throws -> Self {
        try Self(secret: Random.secret(16), nonce: Random.bytes(32))
    }

    /// The PUK of an index.
    /// - Parameter index: 8 random bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for another size.
    public func puk(index: Data) throws -> RecoveryPuk {
        guard index.count == 8 else {
            throw ProtocolError.invalidLength(field: "puk index", expected: "8 bytes", actual: index.count)
        }
        let block = try AESCBC.encrypt(index, key: base, padding: .pkcs7)
        return RecoveryPuk(number: block[8..<16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & 0xFF_FFFF_FFFF)
    }
}

extension KeyPurpose {
    /// The base key of the PUKs of one recovery code.
    public enum RecoveryBase {}
}
