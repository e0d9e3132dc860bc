/// The authentication of a callback as it is shown: of every secret only whether there is one (server.md, section 16.1).
struct CallbackAuthenticationView: Codable {
    struct Certificate: Codable {
        let enabled: Bool
        let useCustomKeyStore: Bool
        @ExplicitNull var keyStoreLocation: String?
        let keyStorePasswordSet: Bool
        @ExplicitNull var keyAlias: String?
        let keyPasswordSet: Bool
        let useCustomTrustStore: Bool
        @ExplicitNull var trustStoreLocation: String?
        let trustStorePasswordSet: Bool
    }

    struct Basic: Codable {
        let enabled: Bool
        @ExplicitNull var username: String?
        let passwordSet: Bool
    }

    struct OAuth2: Codable {
        let enabled: Bool
        @ExplicitNull var tokenUri: String?
        @ExplicitNull var clientId: String?
        let clientSecretSet: Bool
        @ExplicitNull var scope: String?
    }

    @ExplicitNull var certificate: Certificate?
    @ExplicitNull var httpBasic: Basic?
    @ExplicitNull var oauth2: OAuth2?

    init(_ authentication: CallbackAuthentication) {
        certificate = authentication.certificate.map {
            Certificate(
                enabled: $0.enabled, useCustomKeyStore: $0.useCustomKeyStore, keyStoreLocation: $0.keyStoreLocation,
                keyStorePasswordSet: $0.keyStorePassword != nil, keyAlias: $0.keyAlias,
                keyPasswordSet: $0.keyPassword != nil, useCustomTrustStore: $0.useCustomTrustStore,
                trustStoreLocation: $0.trustStoreLocation, trustStorePasswordSet: $0.trustStorePassword != nil)
        }
        httpBasic = authentication.httpBasic.map {
            Basic(enabled: $0.enabled, username: $0.username, passwordSet: $0.password != nil)
        }
        oauth2 = authentication.oauth2.map {
            OAuth2(
                enabled: $0.enabled, tokenUri: $0.tokenUri, clientId: $0.clientId,
                clientSecretSet: $0.clientSecret != nil, scope: $0.scope)
        }
    }
}
