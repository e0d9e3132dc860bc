import Foundation
import HTTPClient
import NIOSSL

/// How the server authenticates to a callback's target, and how it authenticates the target (server.md, section 16.1):
/// both the format of requests and the stored one.
struct CallbackAuthentication: Codable, Sendable {
    /// A client certificate, and the certificates that the target's must lead to.
    ///
    /// Stores are PEM files; the original's key stores are turned into them with `openssl pkcs12 -in … -out …`.
    struct Certificate: Codable, Sendable {
        @FalseWhenAbsent var enabled = false
        @FalseWhenAbsent var useCustomKeyStore = false
        /// A path in the folder of key stores, also as `file:` URL: the certificate, its chain, and the private key.
        var keyStoreLocation: String?
        /// The password of the private key, unless ``keyPassword`` is given.
        var keyStorePassword: String?
        /// Kept for its callers: a PEM file has one key.
        var keyAlias: String?
        var keyPassword: String?
        @FalseWhenAbsent var useCustomTrustStore = false
        /// A path in the folder of key stores, also as `file:` URL: the certificates to trust in place of the machine's.
        var trustStoreLocation: String?
        /// Kept for its callers: certificates are not secret.
        var trustStorePassword: String?
    }

    /// User name and password of HTTP Basic.
    struct Basic: Codable, Sendable {
        @FalseWhenAbsent var enabled = false
        var username: String?
        var password: String?
    }

    /// The client credentials grant (RFC 6749, section 4.4).
    struct OAuth2: Codable, Sendable {
        @FalseWhenAbsent var enabled = false
        var tokenUri: String?
        var clientId: String?
        var clientSecret: String?
        /// Separated by spaces.
        var scope: String?
    }

    var certificate: Certificate?
    var httpBasic: Basic?
    var oauth2: OAuth2?

    /// Takes the secrets that are not given from what was stored.
    mutating func keepSecrets(of stored: CallbackAuthentication?) {
        func keep<Part>(_ part: inout Part?, _ old: Part?, _ secret: WritableKeyPath<Part, String?>) {
            guard part != nil, part?[keyPath: secret] == nil else { return }
            part?[keyPath: secret] = old?[keyPath: secret]
        }
        keep(&certificate, stored?.certificate, \.keyStorePassword)
        keep(&certificate, stored?.certificate, \.keyPassword)
        keep(&certificate, stored?.certificate, \.trustStorePassword)
        keep(&httpBasic, stored?.httpBasic, \.password)
        keep(&oauth2, stored?.oauth2, \.clientSecret)
    }

    /// - Throws: `invalidRequest` for a way that is on but lacks what it needs.
    func validate() throws {
        func require(_ way: String, _ values: [(String, String?)]) throws {
            guard let missing = values.first(where: { $0.1.nonBlank == nil })?.0 else { return }
            throw ServiceError.invalid("authentication.\(way).\(missing) is required while \(way) is enabled")
        }
        if let httpBasic, httpBasic.enabled { try require("httpBasic", [("username", httpBasic.username)]) }
        if let oauth2, oauth2.enabled {
            try require(
                "oauth2",
                [("tokenUri", oauth2.tokenUri), ("clientId", oauth2.clientId), ("clientSecret", oauth2.clientSecret)])
        }
        if let certificate, certificate.enabled {
            if certificate.useCustomKeyStore {
                try require("certificate", [("keyStoreLocation", certificate.keyStoreLocation)])
            }
            if certificate.useCustomTrustStore {
                try require("certificate", [("trustStoreLocation", certificate.trustStoreLocation)])
            }
        }
    }

    /// The header of HTTP Basic, when it is on.
    var basicHeader: String? {
        guard let httpBasic, httpBasic.enabled, let username = httpBasic.username else { return nil }
        return HTTPBasic.header(userName: username, password: httpBasic.password ?? "")
    }

    /// What connections to the target trust and show. Blocks: the stores are read for each.
    /// - Throws: ``OutgoingRequest/Failure`` for a store that cannot be used.
    func trust(stores: KeyStoreFolder) throws -> ServerTrust {
        var trust = ServerTrust()
        guard let certificate, certificate.enabled else { return trust }
        if certificate.useCustomKeyStore, let location = certificate.keyStoreLocation {
            let password = certificate.keyPassword ?? certificate.keyStorePassword ?? ""
            let store = try stores.read(location) { store in
                _ = try NIOSSLPrivateKey(bytes: store, format: .pem) { $0(password.utf8) }
                return try NIOSSLCertificate.fromPEMBytes(store).isEmpty ? nil : Data(store)
            }
            trust.identity = ClientIdentity(store: store, password: password)
        }
        if certificate.useCustomTrustStore, let location = certificate.trustStoreLocation {
            trust.authorities = try stores.read(location) { store in
                try NIOSSLCertificate.fromPEMBytes(store).isEmpty ? nil : Data(store)
            }
        }
        return trust
    }
}
