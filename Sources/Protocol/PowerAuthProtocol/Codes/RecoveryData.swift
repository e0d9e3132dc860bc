import Foundation

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
    private enum CodingKeys: String, CodingKey {
        case recoveryCode, puk
    }

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
