// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// `X-PowerAuth-Token` (protocol.md, section 11.2).
public struct TokenHeader: Sendable, Equatable {
    /// Name of the HTTP header.
    public static let name = "X-PowerAuth-Token"

    /// Protocol version; from 3.2 on the digest covers it.
    public let version: ProtocolVersion
    /// Id of the token as sent.
    public let tokenId: String
    /// Digest, 32 bytes.
    public let tokenDigest: Data
    /// Nonce, 16 bytes.
    public let nonce: Data
    /// Milliseconds since 1970 as decimal text; the digest covers this text.
    public let timestampText: String

    /// Takes the values to write.
    public init(version: ProtocolVersion, tokenId: String, tokenDigest: Data, nonce: Data, timestamp: UInt64) {
        self.version = version
        self.tokenId = tokenId
        self.tokenDigest = tokenDigest
        self.nonce = nonce
        timestampText = String(timestamp)
    }

    /// Computes the header of one request.
    /// - Parameters:
    ///   - timestamp: synchronised server time in milliseconds.
    ///   - nonce: 16 bytes, fresh for every header.
    public init(
        version: ProtocolVersion, tokenId: String, secret: TokenSecret, timestamp: UInt64,
        nonce: Data = Random.nonZeroBytes(16)
    ) {
        let digest = TokenDigest.compute(
            secret: secret, nonce: nonce, timestampText: String(timestamp), version: version)
        self.init(version: version, tokenId: tokenId, tokenDigest: digest, nonce: nonce, timestamp: timestamp)
    }

    /// Reads and validates a header value.
    /// - Parameter value: the header's value, nil when the request has none.
    public init(parsing value: String?) throws(TokenHeaderError) {
        let reader = try HeaderReader(value, orThrow: TokenHeaderError.empty)
        tokenId = try reader.read("token_id", missing: .tokenIdEmpty, invalid: .tokenIdInvalid, HeaderValue.uuid)
        tokenDigest = try reader.read(
            "token_digest", missing: .digestEmpty, invalid: .digestInvalid, HeaderValue.bytes(32))
        nonce = try reader.read("nonce", missing: .nonceEmpty, invalid: .nonceInvalid, HeaderValue.bytes(16))
        timestampText = try reader.read(
            "timestamp", missing: .timestampEmpty, invalid: .timestampInvalid, HeaderValue.milliseconds)
        version = try reader.read("version", missing: .versionEmpty, invalid: .versionInvalid, HeaderValue.version)
    }

    /// Milliseconds since 1970. A parsed header has at most 15 digits, a computed one came from a number.
    public var timestamp: UInt64 { UInt64(timestampText) ?? 0 }

    /// Whether the digest was made with `secret`; compared in constant time.
    public func isAuthentic(secret: TokenSecret) -> Bool {
        constantTimeEquals(
            tokenDigest,
            TokenDigest.compute(secret: secret, nonce: nonce, timestampText: timestampText, version: version))
    }

    /// The value a server remembers to refuse a second arrival of the same header (protocol.md, section 11.3).
    public var replayValue: String { StrictBase64.encode(nonce + Data(tokenId.utf8)) }

    /// The header's value.
    public var value: String {
        PowerAuthHeader.format([
            ("version", version.rawValue), ("token_id", tokenId),
            ("token_digest", StrictBase64.encode(tokenDigest)), ("nonce", StrictBase64.encode(nonce)),
            ("timestamp", timestampText),
        ])
    }
}

/// Why a token header is refused. The raw value is a diagnostic code for logs.
public enum TokenHeaderError: String, Error, Sendable, CaseIterable {
    /// Missing or not parseable.
    case empty = "POWER_AUTH_TOKEN_INVALID_EMPTY"
    /// No token id.
    case tokenIdEmpty = "POWER_AUTH_TOKEN_ID_EMPTY"
    /// The token id is not a UUID.
    case tokenIdInvalid = "POWER_AUTH_TOKEN_ID_INVALID"
    /// No digest.
    case digestEmpty = "POWER_AUTH_TOKEN_DIGEST_EMPTY"
    /// The digest is not Base64 of 32 bytes.
    case digestInvalid = "POWER_AUTH_TOKEN_DIGEST_INVALID"
    /// No nonce.
    case nonceEmpty = "POWER_AUTH_TOKEN_NONCE_EMPTY"
    /// The nonce is not Base64 of 16 bytes.
    case nonceInvalid = "POWER_AUTH_TOKEN_NONCE_INVALID"
    /// No timestamp.
    case timestampEmpty = "POWER_AUTH_TOKEN_TIMESTAMP_EMPTY"
    /// The timestamp does not have 9 to 15 digits.
    case timestampInvalid = "POWER_AUTH_TOKEN_TIMESTAMP_INVALID"
    /// No version.
    case versionEmpty = "POWER_AUTH_TOKEN_VERSION_EMPTY"
    /// A version that is not supported.
    case versionInvalid = "POWER_AUTH_TOKEN_VERSION_INVALID"
}

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
