// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabHTTP
import NIOSSL
import Synchronization

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

/// The only folder for key and trust stores of callbacks: a callback's configuration names a file of the server's
/// machine, and must neither read other files nor reveal which exist.
struct KeyStoreFolder: Sendable {
    /// An absolute path, or one that begins in the working directory.
    let path: String

    /// Reads a store. Blocks.
    /// - Parameters:
    ///   - location: a path in the folder, absolute or relative to it, also as `file:` URL.
    ///   - body: parses the bytes; nil if they do not fit.
    /// - Throws: ``OutgoingRequest/Failure``, the same for a file that is missing, outside of the folder, or of another
    ///   kind.
    func read<Value>(_ location: String, _ body: ([UInt8]) throws -> Value?) throws -> Value {
        guard let file = file(at: location), let bytes = FileManager.default.contents(atPath: file),
            let value = try? body(Array(bytes))
        else {
            throw OutgoingRequest.Failure(
                description: """
                    \(location) cannot be used: it must be a PEM file in the server's folder of key stores, and a private \
                    key in it must open with the password
                    """)
        }
        return value
    }

    /// The file itself, behind all links; nil for one outside of the folder.
    private func file(at location: String) -> String? {
        let named = location.hasPrefix("file:") ? URL(string: location)?.path ?? "" : location
        let base = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath()
        let url = named.hasPrefix("/") ? URL(filePath: named) : base.appending(path: named)
        let file = url.standardizedFileURL.resolvingSymlinksInPath().path
        return file.hasPrefix(base.path + "/") ? file : nil
    }
}

/// The access tokens that callbacks are called with, fetched when they are needed and kept until shortly before their
/// end (RFC 6749, section 4.4).
///
/// Thread rule: any thread; the state is guarded by the mutex.
final class AccessTokens: Sendable {
    private struct Key: Hashable {
        let tokenUri: String
        let clientId: String
        let clientSecret: String
        let scope: String?
    }

    private struct Token {
        let text: String
        let ends: ContinuousClock.Instant
    }

    private struct Answer: Decodable {
        let access_token: String
        let expires_in: Double?
    }

    /// Seconds: a token is fetched again after a day, even if it is valid for longer.
    private static let longestLifetime = 86_400.0

    private let tokens = Mutex<[Key: Token]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter now: real time, not the lab's clock, because the target measures token lifetimes in it.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// How many tokens are kept.
    var count: Int { tokens.withLock { $0.count } }

    /// The value of the `Authorization` header for a target.
    /// - Parameter makeRequest: gives a request to the token's URL the time limits and certificates of the callback.
    /// - Throws: ``OutgoingRequest/Failure`` when the authorisation server gives no token.
    func header(
        for oauth2: CallbackAuthentication.OAuth2, _ makeRequest: (_ url: String) async throws -> OutgoingRequest
    ) async throws -> String {
        let key = Key(
            tokenUri: oauth2.tokenUri ?? "", clientId: oauth2.clientId ?? "",
            clientSecret: oauth2.clientSecret ?? "", scope: oauth2.scope.nonBlank)
        if let known = living(key) { return "Bearer \(known.text)" }
        var request = try await makeRequest(key.tokenUri)
        request.method = "POST"
        request.headers = [
            ("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json"),
            ("Authorization", FormText.basicHeader(clientId: key.clientId, clientSecret: key.clientSecret)),
        ]
        request.body = FormText.encode(
            [("grant_type", "client_credentials")] + (key.scope.map { [("scope", $0)] } ?? []))
        let answer = try await request.send()
        guard answer.status == 200, let token = try? JSONBody.decode(Answer.self, from: answer.body) else {
            throw OutgoingRequest.Failure(description: "\(key.tokenUri) answered \(answer.status) and no access token")
        }
        // The number is from an external service and may be too large for a duration.
        let lifetime = min(max(0, (token.expires_in ?? 0) - 10), Self.longestLifetime)
        tokens.withLock { $0[key] = Token(text: token.access_token, ends: now() + .seconds(lifetime)) }
        return "Bearer \(token.access_token)"
    }

    /// The token of a target, if it has not expired. Expired tokens of all targets are dropped: a removed callback
    /// never requests its own again.
    private func living(_ key: Key) -> Token? {
        let moment = now()
        return tokens.withLock { tokens in
            tokens = tokens.filter { $0.value.ends > moment }
            return tokens[key]
        }
    }

    /// Forgets the token of a target that did not accept it.
    func forget(_ oauth2: CallbackAuthentication.OAuth2) {
        tokens.withLock { tokens in
            tokens = tokens.filter { $0.key.tokenUri != oauth2.tokenUri || $0.key.clientId != oauth2.clientId }
        }
    }
}
