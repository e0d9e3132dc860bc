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
        applicationKey: String, activationId: String? = nil,
        challenge: String = StrictBase64.encode(Random.bytes(18))
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
    public func jwt(key: TemporaryKeyRequestKey) throws -> String {
        JWT.signed(claims: try JWT.encode(self), key: key)
    }

    /// Reads a JWT without verifying it: the server learns from the claims which key to verify with.
    /// - Returns: the claims and the token to call ``JWT/isAuthentic(key:)`` on before the claims are trusted.
    /// - Throws: ``ProtocolError`` naming the part that is wrong.
    public static func parse(jwt text: String) throws -> (request: Self, token: JWT) {
        let token = try JWT(text, algorithm: .hs256)
        let request = try token.claims(Self.self)
        guard !request.applicationKey.isEmpty else { throw ProtocolError.missing(field: "applicationKey") }
        guard !request.challenge.isEmpty else { throw ProtocolError.missing(field: "challenge") }
        return (request, token)
    }
}
