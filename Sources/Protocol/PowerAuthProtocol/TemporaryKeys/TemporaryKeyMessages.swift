// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The claims of a request for a temporary key (protocol.md, section 8.1).
public struct TemporaryKeyRequest: Sendable, Equatable, Codable {
    /// Base64 text of the application key.
    public let applicationKey: String
    /// Activation id, in activation scope only.
    public let activationId: String?
    /// Base64 text of 18 random bytes.
    public let challenge: String

    /// Takes the claims.
    public init(
        applicationKey: String, activationId: String? = nil, challenge: String = StrictBase64.encode(Random.bytes(18))
    ) {
        self.applicationKey = applicationKey
        self.activationId = activationId
        self.challenge = challenge
    }

    /// The signing key in application scope: the decoded application secret itself.
    public static func signingKey(_ applicationSecret: ApplicationSecretKey) -> TemporaryKeyRequestKey {
        applicationSecret.converted(to: KeyPurpose.TemporaryKeyRequest.self)
    }

    /// The signing key in activation scope.
    /// - Throws: never in practice; the derivation requires 16 bytes and a secret has 16.
    public static func signingKey(
        _ applicationSecret: ApplicationSecretKey, transportKey: TransportKey
    ) throws -> TemporaryKeyRequestKey {
        try KDF.internalDerive(transportKey, data: applicationSecret.rawData)
    }

    /// The request's JWT.
    /// - Throws: never in practice; three strings can always be encoded.
    public func jwt(key: TemporaryKeyRequestKey) throws -> String { JWT.signed(claims: try JWT.encode(self), key: key) }

    /// Reads a JWT without verifying it: the server learns from the claims which key to verify with. Its header need not
    /// say its type: the SDKs write it, the vendor's tools in Java do not (server.md, section 12.1).
    /// - Returns: the claims and the token to call ``JWT/isAuthentic(key:)`` on before the claims are trusted.
    /// - Throws: ``ProtocolError`` naming the part that is wrong.
    public static func parse(jwt text: String) throws -> (request: Self, token: JWT) {
        let token = try JWT(text, algorithm: .hs256, mustSayType: false)
        let request = try token.claims(Self.self)
        guard !request.applicationKey.isEmpty else { throw ProtocolError.missing(field: "applicationKey") }
        guard !request.challenge.isEmpty else { throw ProtocolError.missing(field: "challenge") }
        return (request, token)
    }
}

/// A temporary public key and the server's data about it (protocol.md, section 8.2).
public struct TemporaryKeyResponse: Sendable, Equatable {
    /// Id of the key, `sub`.
    public let keyId: String
    /// Echo of the request.
    public let applicationKey: String
    /// Echo of the request, in activation scope only.
    public let activationId: String?
    /// Echo of the request.
    public let challenge: String
    /// The temporary public key.
    public let publicKey: PublicKey
    /// Server time at creation, in milliseconds since 1970; serves time synchronisation.
    public let issuedAt: UInt64
    /// End of validity, in milliseconds since 1970.
    public let expiresAt: UInt64

    /// Answers a request, as the server does.
    public init(
        to request: TemporaryKeyRequest, keyId: String, publicKey: PublicKey, issuedAt: UInt64, expiresAt: UInt64
    ) {
        self.keyId = keyId
        applicationKey = request.applicationKey
        activationId = request.activationId
        challenge = request.challenge
        self.publicKey = publicKey
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// The JWT of the response.
    /// - Parameter key: the master key in application scope, the activation's server key in activation scope.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    public func jwt(key: PrivateKey) throws -> String {
        let claims = Claims(
            sub: keyId, applicationKey: applicationKey, activationId: activationId, challenge: challenge,
            publicKey: StrictBase64.encode(publicKey.uncompressed), issuedAtSeconds: issuedAt / 1000,
            expiresAtSeconds: expiresAt / 1000, issuedAt: issuedAt, expiresAt: expiresAt)
        return try JWT.signed(claims: JWT.encode(claims), key: key)
    }

    /// Verifies a JWT in the order of protocol.md, section 8.3.
    /// - Parameters:
    ///   - key: public part of the key named at ``jwt(key:)``.
    ///   - request: what was asked.
    ///   - currentTime: synchronised time in milliseconds; nil skips the check that the key has not expired
    ///     (protocol.md, section 22, item 4), for a client that learns the time from this very response.
    /// - Throws: ``TemporaryKeyResponseError``.
    public init(
        verifying jwt: String, key: PublicKey, request: TemporaryKeyRequest, currentTime: UInt64? = nil
    ) throws(TemporaryKeyResponseError) {
        let token: JWT
        do { token = try JWT(jwt, algorithm: .es256) } catch { throw .malformed("\(error)") }
        guard token.isAuthentic(key: key) else { throw .untrusted("the signature does not verify") }
        let claims: Claims
        do { claims = try token.claims() } catch { throw .malformed("\(error)") }
        guard constantTimeEquals(claims.challenge, request.challenge) else {
            throw .untrusted("the challenge is not the one that was sent")
        }
        guard claims.applicationKey == request.applicationKey else {
            throw .untrusted("the key belongs to another application")
        }
        guard claims.activationId == request.activationId else {
            throw .untrusted("the key belongs to another activation")
        }
        guard !claims.sub.isEmpty else { throw .malformed("the key has no id") }
        guard let bytes = StrictBase64.decode(claims.publicKey), let publicKey = try? PublicKey(encoded: bytes) else {
            throw .untrusted("the public key is not a P-256 point")
        }
        guard claims.expiresAt > claims.issuedAt, currentTime.map({ $0 < claims.expiresAt }) ?? true else {
            throw .untrusted("the key has expired")
        }
        keyId = claims.sub
        applicationKey = claims.applicationKey
        activationId = claims.activationId
        challenge = claims.challenge
        self.publicKey = publicKey
        issuedAt = claims.issuedAt
        expiresAt = claims.expiresAt
    }

    /// How long before its expiry a key is no longer used, in milliseconds (protocol.md, section 8.4).
    public static let safetyMargin: UInt64 = 10_000

    /// Whether the key may still encrypt.
    /// - Parameter time: synchronised time in milliseconds.
    public func isUsable(at time: UInt64) -> Bool {
        expiresAt > Self.safetyMargin && time < expiresAt - Self.safetyMargin
    }

    private struct Claims: Codable {
        let sub: String
        let applicationKey: String
        let activationId: String?
        let challenge: String
        let publicKey: String
        let issuedAtSeconds: UInt64
        let expiresAtSeconds: UInt64
        let issuedAt: UInt64
        let expiresAt: UInt64

        enum CodingKeys: String, CodingKey {
            case sub, applicationKey, activationId, challenge, publicKey
            case issuedAtSeconds = "iat"
            case expiresAtSeconds = "exp"
            case issuedAt = "iat_ms"
            case expiresAt = "exp_ms"
        }
    }
}

/// Why a temporary key is refused. The two cases are two error codes of the SDK.
public enum TemporaryKeyResponseError: Error, Sendable, Equatable {
    /// Not a JWT of the expected form (`NetworkError`).
    case malformed(String)
    /// A JWT that does not answer this request or was not made by this server (`Encryption`).
    case untrusted(String)
}
