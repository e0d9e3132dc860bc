// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension HeaderReader where Failure == ProtocolError {
    /// - Parameter name: the header's name, for errors.
    init(version4 value: String?, name: String) throws(ProtocolError) {
        try self.init(value, orThrow: .invalidFormat(field: name, reason: "it must be PowerAuth and its attributes"))
    }

    /// - Parameter expected: what the value must be, for errors.
    func read<Value>(_ name: String, _ expected: String, _ parse: (String) -> Value?) throws(ProtocolError) -> Value {
        try read(
            name, missing: .missing(field: name),
            invalid: .invalidFormat(field: name, reason: "it must be \(expected)"),
            parse)
    }

    func requireVersion4(_ name: String) throws(ProtocolError) {
        _ = try read(name, CryptographySuite.version) { $0 == CryptographySuite.version ? true : nil }
    }
}

/// `X-PowerAuth-Authorization` of protocol 4 (protocol-4.md, section 9). Its name is ``SignatureHeader/name``.
public struct AuthenticationHeader: Sendable, Equatable {
    /// Activation id as sent.
    public let activationId: String
    /// Base64 text of the application key.
    public let applicationKey: String
    /// Base64 text of 16 bytes; the code covers this text.
    public let nonce: String
    /// The factors of the code.
    public let type: SignatureType
    /// Base64 of 32 bytes a factor.
    public let code: String

    /// Takes the values to write.
    public init(activationId: String, applicationKey: String, nonce: String, type: SignatureType, code: String) {
        self.activationId = activationId
        self.applicationKey = applicationKey
        self.nonce = nonce
        self.type = type
        self.code = code
    }

    /// Reads and validates a header value.
    /// - Parameter value: the header's value, nil when the request has none.
    /// - Throws: ``ProtocolError`` naming the attribute.
    public init(parsing value: String?) throws(ProtocolError) {
        let reader = try HeaderReader(version4: value, name: SignatureHeader.name)
        try reader.requireVersion4("pa_version")
        activationId = try reader.read("pa_activation_id", "a UUID", HeaderValue.uuid)
        applicationKey = try reader.read("pa_application_key", "Base64 of 16 bytes", HeaderValue.base64Of16)
        nonce = try reader.read("pa_nonce", "Base64 of 16 bytes", HeaderValue.base64Of16)
        let type = try reader.read("pa_auth_code_type", "a combination of factors") { SignatureType(header: $0) }
        let size = 32 * type.factors.count
        code = try reader.read("pa_auth_code", "Base64 of \(size) bytes for \(type.rawValue)") {
            StrictBase64.decode($0)?.count == size ? $0 : nil
        }
        self.type = type
    }

    /// The header's value.
    public var value: String {
        PowerAuthHeader.format([
            ("pa_activation_id", activationId), ("pa_application_key", applicationKey), ("pa_nonce", nonce),
            ("pa_auth_code_type", type.rawValue), ("pa_auth_code", code), ("pa_version", CryptographySuite.version),
        ])
    }
}

extension SignatureFactors {
    /// How many factors take part.
    fileprivate var count: Int { [Self.possession, .knowledge, .biometry].count { contains($0) } }
}

/// `X-PowerAuth-Encryption` of protocol 4 (protocol-4.md, section 7). Its name is ``EncryptionHeader/name``.
public struct AeadHeader: Sendable, Equatable {
    /// Base64 text of the application key.
    public let applicationKey: String
    /// Activation id, in activation scope only.
    public let activationId: String?

    /// Takes the values to write.
    public init(applicationKey: String, activationId: String? = nil) {
        self.applicationKey = applicationKey
        self.activationId = activationId
    }

    /// Reads and validates a header value.
    /// - Parameters:
    ///   - value: the header's value, nil when the request has none.
    ///   - scope: the scope of the endpoint.
    /// - Throws: ``ProtocolError`` naming the attribute.
    public init(parsing value: String?, scope: EciesScope) throws(ProtocolError) {
        let reader = try HeaderReader(version4: value, name: EncryptionHeader.name)
        try reader.requireVersion4("version")
        applicationKey = try reader.read("application_key", "Base64 of 16 bytes", HeaderValue.base64Of16)
        switch scope {
        case .application:
            guard reader.header["activation_id"] == nil else { throw .unexpected(field: "activation_id") }
            activationId = nil
        case .activation: activationId = try reader.read("activation_id", "a UUID", HeaderValue.uuid)
        }
    }

    /// The header's value.
    public var value: String {
        let pairs = [("version", CryptographySuite.version), ("application_key", applicationKey)]
        return PowerAuthHeader.format(pairs + (activationId.map { [("activation_id", $0)] } ?? []))
    }
}

/// `X-PowerAuth-Token` of protocol 4 (protocol-4.md, section 11). Its name is ``TokenHeader/name``.
public struct TokenHeaderV4: Sendable, Equatable {
    /// Id of the token as sent.
    public let tokenId: String
    /// 32 bytes.
    public let tokenDigest: Data
    /// 16 bytes.
    public let nonce: Data
    /// Milliseconds since 1970 as decimal text; the digest covers this text.
    public let timestampText: String

    /// Computes the header of one request.
    /// - Parameters:
    ///   - timestamp: synchronised server time in milliseconds.
    ///   - nonce: 16 bytes, fresh for every header.
    public init(
        tokenId: String, secret: TokenSecret256, timestamp: UInt64, nonce: Data = Random.nonZeroBytes(16)
    ) {
        self.tokenId = tokenId
        self.nonce = nonce
        timestampText = String(timestamp)
        tokenDigest = Self.digest(secret: secret, nonce: nonce, timestampText: timestampText)
    }

    /// Reads and validates a header value.
    /// - Parameter value: the header's value, nil when the request has none.
    /// - Throws: ``ProtocolError`` naming the attribute.
    public init(parsing value: String?) throws(ProtocolError) {
        let reader = try HeaderReader(version4: value, name: TokenHeader.name)
        try reader.requireVersion4("version")
        tokenId = try reader.read("token_id", "a UUID", HeaderValue.uuid)
        tokenDigest = try reader.read("token_digest", "Base64 of 32 bytes", HeaderValue.bytes(32))
        nonce = try reader.read("nonce", "Base64 of 16 bytes", HeaderValue.bytes(16))
        timestampText = try reader.read("timestamp", "9 to 15 digits", HeaderValue.milliseconds)
    }

    /// The digest, 32 bytes.
    /// - Parameters:
    ///   - nonce: 16 bytes.
    ///   - timestampText: milliseconds since 1970, in decimal, exactly as in the header.
    public static func digest(secret: TokenSecret256, nonce: Data, timestampText: String) -> Data {
        KMAC256.code(
            secret, .tokenDigest, nonce + Data("&\(timestampText)&\(CryptographySuite.version)".utf8))
    }

    /// Milliseconds since 1970. A parsed header has at most 15 digits, a computed one came from a number.
    public var timestamp: UInt64 { UInt64(timestampText) ?? 0 }

    /// Whether the digest was made with `secret`; compared in constant time.
    public func isAuthentic(secret: TokenSecret256) -> Bool {
        constantTimeEquals(tokenDigest, Self.digest(secret: secret, nonce: nonce, timestampText: timestampText))
    }

    /// The value a server remembers to refuse a second arrival of the same header.
    public var replayValue: String { StrictBase64.encode(nonce + Data(tokenId.utf8)) }

    /// The header's value.
    public var value: String {
        PowerAuthHeader.format([
            ("version", CryptographySuite.version), ("token_id", tokenId),
            ("token_digest", StrictBase64.encode(tokenDigest)), ("nonce", StrictBase64.encode(nonce)),
            ("timestamp", timestampText),
        ])
    }
}
