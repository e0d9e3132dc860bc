// SPDX-License-Identifier: Apache-2.0

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
    public static func generate() throws -> Self { try Self(secret: Random.secret(16), nonce: Random.bytes(32)) }

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

/// Recovery code and PUK that belong to an activation: issued with it, kept under its vault key, and shown
/// when the user asks for them (protocol.md, sections 6.1 and 13).
public struct RecoveryData: Sendable, Equatable {
    /// The recovery code.
    public let code: RecoveryCode
    /// The PUK.
    public let puk: RecoveryPuk

    /// Takes validated values.
    public init(code: RecoveryCode, puk: RecoveryPuk) {
        self.code = code
        self.puk = puk
    }

    /// Validates both texts.
    /// - Parameter recoveryCode: without the prefix `R:`.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)``.
    public init(recoveryCode: String, puk: String) throws {
        self.init(code: try RecoveryCode(recoveryCode, allowsPrefix: false), puk: try RecoveryPuk(puk))
    }

    /// The form that is encrypted to `C_RECOVERY`: two counted texts.
    package func encoded() -> SecretBytes {
        let texts = [Array(code.text.utf8), Array(puk.text.utf8)]
        return SecretBytes(count: texts.reduce(0) { $0 + 1 + $1.count }) { output in
            var offset = 0
            for text in texts {
                // Both have fewer than 128 bytes, which a count writes as one byte.
                output[offset] = UInt8(text.count)
                UnsafeMutableRawBufferPointer(rebasing: output[(offset + 1)...]).copyBytes(from: text)
                offset += 1 + text.count
            }
        }
    }

    /// Reads what ``encoded()`` wrote.
    /// - Throws: ``ProtocolError/decryptionFailed`` for anything else.
    package init(encoded: SecretBytes) throws {
        var plain = encoded.rawData
        defer { wipe(&plain) }
        var reader = CountedReader(plain)
        guard let code = reader.counted(), let puk = reader.counted(), reader.remaining == 0,
            let data = try? RecoveryData(
                recoveryCode: String(decoding: code, as: UTF8.self), puk: String(decoding: puk, as: UTF8.self))
        else { throw ProtocolError.decryptionFailed }
        self = data
    }
}

extension RecoveryData: Codable {
    private enum CodingKeys: String, CodingKey { case recoveryCode, puk }

    /// Reads the JSON form `{"recoveryCode": …, "puk": …}`.
    /// - Throws: ``ProtocolError`` naming the member, or `DecodingError` for JSON of another shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            recoveryCode: container.decode(String.self, forKey: .recoveryCode),
            puk: container.decode(String.self, forKey: .puk))
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code.text, forKey: .recoveryCode)
        try container.encode(puk.text, forKey: .puk)
    }
}
