// SPDX-License-Identifier: Apache-2.0

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
    public func isSigned(by key: PublicKey) -> Bool { key.verify(signature: signature, of: Data(signedText.utf8)) }
}

/// TOTP with HMAC-SHA256, the proximity code of offline signatures and operations
/// (protocol.md, section 9.8; server.md, section 32.8).
public enum OneTimeCode {
    /// The code of one time step.
    /// - Parameters:
    ///   - seed: shared secret of any length.
    ///   - time: seconds since 1970.
    ///   - step: length of a step in seconds, at least 1.
    ///   - digits: 1 to 9, 8 by default.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for a step or number of digits out of range.
    public static func generate(seed: Data, time: UInt64, step: UInt64 = 30, digits: Int = 8) throws -> String {
        guard step >= 1 else { throw ProtocolError.invalidFormat(field: "step", reason: "must be 1 second or more") }
        guard (1...9).contains(digits) else {
            throw ProtocolError.invalidFormat(field: "digits", reason: "must be 1 to 9")
        }
        let mac = [UInt8](Digest.hmacSHA256(key: seed, data: BinaryLayout.bigEndian(time / step)))
        let offset = Int(mac[31] & 0x0F)
        let number = mac[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt32(1)) { product, _ in product * 10 }
        return Decimalization.padded(UInt64(number % modulus), length: digits)
    }

    /// Whether a code is that of the current step or of one of the `previousSteps` before; every candidate
    /// is compared in constant time.
    /// - Throws: as ``generate(seed:time:step:digits:)``.
    public static func isValid(
        _ code: String, seed: Data, time: UInt64, step: UInt64 = 30, digits: Int = 8, previousSteps: Int = 1
    ) throws -> Bool {
        var isValid = false
        for index in 0...UInt64(clamping: max(0, previousSteps)) {
            let (back, overflow) = index.multipliedReportingOverflow(by: step)
            guard !overflow, back <= time else { break }
            let expected = try generate(seed: seed, time: time - back, step: step, digits: digits)
            if constantTimeEquals(expected, code) { isValid = true }
        }
        return isValid
    }
}
