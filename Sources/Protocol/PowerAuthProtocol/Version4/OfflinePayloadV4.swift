// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a server puts into a QR code for an approval without a connection, in protocol 4 (protocol-4.md, section 15). The
/// lines are those of version 3; what authenticates them differs.
public struct OfflinePayloadV4: Sendable, Equatable {
    /// What authenticates the payload.
    public enum Key: Character, Sendable {
        /// A signature of the application's master key on P-384; the code is for any device.
        case master = "0"
        /// A code of the activation's `KEY_MAC_PERSONALIZED_DATA`; the code is for one device.
        case personalized = "2"
    }

    /// The lines before the nonce, a one-time code included.
    public let data: String
    /// Base64 text of 16 bytes.
    public let nonce: String
    /// What authenticates the payload.
    public let key: Key
    /// A signature in DER, or a code of 32 bytes.
    public let proof: Data

    /// Makes and signs a payload for any device.
    /// - Parameters:
    ///   - data: text to show, may hold several lines.
    ///   - oneTimeCode: proximity code, which becomes one more line.
    ///   - nonce: Base64 text of 16 bytes.
    /// - Throws: ``ProtocolError`` for a wrong nonce.
    public init(
        data: String, oneTimeCode: String? = nil, nonce: String = Random.nonZeroText(16), master: P384PrivateKey
    ) throws {
        try self.init(data, oneTimeCode, nonce, .master) { try master.sign($0) }
    }

    /// Makes a payload for one device.
    /// - Parameters:
    ///   - data: text to show, may hold several lines.
    ///   - oneTimeCode: proximity code, which becomes one more line.
    ///   - nonce: Base64 text of 16 bytes.
    /// - Throws: ``ProtocolError`` for a wrong nonce.
    public init(
        data: String, oneTimeCode: String? = nil, nonce: String = Random.nonZeroText(16),
        personalized: Key256<KeyPurpose.OfflineCode>
    ) throws {
        try self.init(data, oneTimeCode, nonce, .personalized) { KMAC256.code(personalized, .offline, $0) }
    }

    private init(
        _ data: String, _ oneTimeCode: String?, _ nonce: String, _ key: Key, prove: (Data) throws -> Data
    ) throws {
        try SymmetricSignature.validateNonce(nonce)
        let lines = oneTimeCode.map { "\(data)\n\($0)" } ?? data
        self.data = lines
        self.nonce = nonce
        self.key = key
        proof = try prove(Self.text(lines, nonce, key))
    }

    /// Reads a payload; nothing is verified yet.
    /// - Throws: ``ProtocolError`` naming the part that is wrong.
    public init(_ text: String) throws {
        // Lines are cut at the byte 0A; Swift would treat CR LF as one other character.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: Array($0), as: UTF8.self) }
        guard lines.count >= 3, let last = lines.last, let key = last.first.flatMap({ Key(rawValue: $0) }) else {
            throw ProtocolError.invalidFormat(field: "offline payload", reason: "it must end with nonce and signature")
        }
        let nonce = lines[lines.count - 2]
        try SymmetricSignature.validateNonce(nonce)
        guard let proof = StrictBase64.decode(String(last.dropFirst())), !proof.isEmpty else {
            throw ProtocolError.invalidEncoding(field: "offline payload signature")
        }
        data = lines.dropLast(2).joined(separator: "\n")
        self.nonce = nonce
        self.key = key
        self.proof = proof
    }

    /// The whole payload.
    public var text: String { String(decoding: authenticated, as: UTF8.self) + StrictBase64.encode(proof) }

    /// Whether the master key signed the payload.
    public func isSigned(by master: P384PublicKey) -> Bool {
        key == .master && master.verify(signature: proof, of: authenticated)
    }

    /// Whether the activation's key made the code; compared in constant time.
    public func isAuthentic(key personalized: Key256<KeyPurpose.OfflineCode>) -> Bool {
        key == .personalized && constantTimeEquals(KMAC256.code(personalized, .offline, authenticated), proof)
    }

    /// Everything before the proof.
    private var authenticated: Data { Self.text(data, nonce, key) }

    private static func text(_ data: String, _ nonce: String, _ key: Key) -> Data {
        Data("\(data)\n\(nonce)\n\(key.rawValue)".utf8)
    }
}
