public import Foundation

/// The digest of a token header (protocol.md, section 11.2).
public enum TokenDigest {
    /// 32 bytes.
    /// - Parameters:
    ///   - nonce: the 16 bytes, not their Base64.
    ///   - timestampText: milliseconds since 1970, in decimal, exactly as in the header.
    ///   - version: covered by the digest from 3.2 on.
    public static func compute(
        secret: TokenSecret, nonce: Data, timestampText: String, version: ProtocolVersion
    ) -> Data {
        let suffix = version >= .v3_2 ? "&\(timestampText)&\(version.rawValue)" : "&\(timestampText)"
        return Digest.hmacSHA256(key: secret, data: nonce + Data(suffix.utf8))
    }
}
