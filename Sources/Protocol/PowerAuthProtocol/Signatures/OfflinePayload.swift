public import Foundation

/// What a server puts into a QR code for an offline signature (protocol.md, section 9.8).
public struct OfflinePayload: Sendable, Equatable {
    /// Which key signed the payload.
    public enum SigningKey: Character, Sendable {
        /// The application's master key; the code is for any device.
        case master = "0"
        /// The activation's server key; the code is for one device.
        case personalized = "1"
    }

    /// The lines before the nonce, a one-time code included.
    public let data: String
    /// Base64 text of 16 bytes.
    public let nonce: String
    /// Which key signed.
    public let signingKey: SigningKey
    /// DER signature.
    public let signature: Data

    /// Makes and signs a payload.
    /// - Parameters:
    ///   - data: text to show, may hold several lines.
    ///   - oneTimeCode: proximity code, which becomes one more line.
    ///   - nonce: Base64 text of 16 bytes.
    /// - Throws: ``ProtocolError`` for a wrong nonce.
    public init(
        data: String, oneTimeCode: String? = nil, nonce: String = StrictBase64.encode(Random.nonZeroBytes(16)),
        signingKey: SigningKey, key: PrivateKey
    ) throws {
        try SymmetricSignature.validateNonce(nonce)
        self.data = oneTimeCode.map { "\(data)\n\($0)" } ?? data
        self.nonce = nonce
        self.signingKey = signingKey
        signature = try key.sign(Data("\(self.data)\n\(nonce)\n\(signingKey.rawValue)".utf8))
    }

    /// Reads a payload; nothing is verified yet.
    /// - Throws: ``ProtocolError`` naming the part that is wrong.
    public init(_ text: String) throws {
        // Lines are cut at the byte 0A; Swift would treat CR LF as one other character.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count >= 3, let last = lines.last.map({ String($0) }) ?? nil,
            let key = last.first.flatMap({ SigningKey(rawValue: $0) })
        else {
            throw ProtocolError.invalidFormat(field: "offline payload", reason: "it must end with nonce and signature")
        }
        let nonce = String(decoding: Array(lines[lines.count - 2]), as: UTF8.self)
        try SymmetricSignature.validateNonce(nonce)
        guard let signature = StrictBase64.decode(String(last.dropFirst())), !signature.isEmpty else {
            throw ProtocolError.invalidEncoding(field: "offline payload signature")
        }
        data = lines.dropLast(2).map { String(decoding: Array($0), as: UTF8.self) }.joined(separator: "\n")
        self.nonce = nonce
        signingKey = key
        self.signature = signature
    }

    /// The signed text.
    public var signedText: String { "\(data)\n\(nonce)\n\(signingKey.rawValue)" }
    /// The whole payload.
    public var text: String { signedText + StrictBase64.encode(signature) }

    /// Whether `key` signed the payload.
    public func isSigned(by key: PublicKey) -> Bool {
        key.verify(signature: signature, of: Data(signedText.utf8))
    }
}
