// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// An OpenID Connect provider that an application accepts users of (server.md, section 6.4, `oauth2_providers`).
public struct IdentityProvider: Codable, Sendable {
    /// How the server authenticates to the provider.
    public enum ClientAuthentication: String, Codable, Sendable {
        /// HTTP Basic.
        case clientSecretBasic = "client_secret_basic"
        /// In the form of the token request.
        case clientSecretPost = "client_secret_post"
    }

    /// What identity tokens are signed with.
    public enum SignatureAlgorithm: String, Codable, Sendable {
        /// ECDSA over P-256.
        case es256 = "ES256"
        /// RSA.
        case rs256 = "RS256"
    }

    /// How devices name the provider.
    public var providerId: String
    /// The application's client identifier at the provider.
    public var clientId: String
    /// The secret that the provider shares with the application's server; never sent to a device.
    public var clientSecret: String
    /// The expected issuer of identity tokens.
    public var issuerUri: String
    /// Where the provider sends the user's browser back to.
    public var redirectUri: String
    /// Basic unless it says otherwise.
    public var clientAuthenticationMethod: ClientAuthentication?
    /// Where the user signs in.
    public var authorizeUri: String?
    /// Where codes are exchanged; `issuerUri` with `/token` when it is missing.
    public var tokenUri: String?
    /// Where the provider's keys are; `issuerUri` with `/jwks` when it is missing.
    public var jwkSetUri: String?
    /// Separated by spaces; `openid` when it is missing.
    public var scopes: String?
    /// Whether devices must prove that they started the sign-in (RFC 7636).
    public var pkceEnabled: Bool?
    /// What identity tokens must be signed with; either when it is missing.
    public var signatureAlgorithm: SignatureAlgorithm?

    /// Creates a configuration.
    public init(
        providerId: String, clientId: String, clientSecret: String, issuerUri: String, redirectUri: String,
        clientAuthenticationMethod: ClientAuthentication? = nil, authorizeUri: String? = nil,
        tokenUri: String? = nil, jwkSetUri: String? = nil, scopes: String? = nil, pkceEnabled: Bool? = nil,
        signatureAlgorithm: SignatureAlgorithm? = nil
    ) {
        self.providerId = providerId
        self.clientId = clientId
        self.clientSecret = clientSecret
        self.issuerUri = issuerUri
        self.redirectUri = redirectUri
        self.clientAuthenticationMethod = clientAuthenticationMethod
        self.authorizeUri = authorizeUri
        self.tokenUri = tokenUri
        self.jwkSetUri = jwkSetUri
        self.scopes = scopes
        self.pkceEnabled = pkceEnabled
        self.signatureAlgorithm = signatureAlgorithm
    }

    var tokenAddress: String { tokenUri ?? issuerUri + "/token" }
    var keysAddress: String { jwkSetUri ?? issuerUri + "/jwks" }
}

/// A key of an OpenID Connect provider as its key set shows it (RFC 7517, section 4).
struct IdentityKey: Decodable {
    let kty: String
    let kid: String?
    let use: String?
    // A point of P-256.
    let crv: String?
    let x: String?
    let y: String?
    // An RSA key.
    let n: String?
    let e: String?

    /// Whether a token may be signed with this key: it names this key, or no key.
    func isNamed(by token: JWT) -> Bool {
        (use ?? "sig") == "sig" && (token.keyId == nil || kid == nil || token.keyId == kid)
    }

    /// Whether a token was signed with the private half.
    func isKeyOf(_ token: JWT) -> Bool {
        switch token.algorithm {
        case .es256:
            guard kty == "EC", crv == "P-256", let x = Self.bytes(x), let y = Self.bytes(y),
                let key = try? PublicKey(encoded: Data([4]) + x + y)
            else { return false }
            return token.isAuthentic(key: key)
        case .rs256:
            guard kty == "RSA", let n = Self.bytes(n), let e = Self.bytes(e),
                let key = try? RSAPublicKey(modulus: n, exponent: e)
            else { return false }
            return token.isAuthentic(key: key)
        case .hs256:
            // Its key would be the client's secret, which never is in a key set.
            return false
        }
    }

    private static func bytes(_ text: String?) -> Data? { text.flatMap(Base64URL.decode) }
}

extension IdentityProvider {
    /// What its tokens may be signed with.
    var algorithms: Set<JWT.Algorithm> {
        switch signatureAlgorithm {
        case .es256: [.es256]
        case .rs256: [.rs256]
        case nil: [.es256, .rs256]
        }
    }
}
