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
