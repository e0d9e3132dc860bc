// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import Synchronization

/// An OpenID Connect provider within the lab, for DIRECT activations: it signs in any user without authentication
/// (OpenID Connect Core 1.0, section 3.1; RFC 6749; RFC 7636).
///
/// Its codes are in memory and end with the process. Thread rule: any thread; the state is guarded by the mutex.
final class LabIdentityProvider: Sendable {
    /// How devices name it.
    static let providerId = "lab"
    /// Its only client, for configurations outside of the lab.
    static let clientId = "lab"
    /// The client's credential; not secret, because the provider accepts every user.
    static let clientSecret = "lab"
    /// Where a browser is sent back to, unless another target is registered.
    static let redirectUri = "lab://signed-in"

    /// A browser's authorization request.
    struct Authorization: Sendable {
        var userId: String
        var redirectUri: String
        var nonce: String?
        /// Of the method S256.
        var codeChallenge: String?
    }

    /// A token request of the client's server.
    struct Redemption: Sendable {
        var code: String?
        var redirectUri: String?
        var codeVerifier: String?
    }

    /// The token answer for the client's server.
    struct Tokens: Encodable, Sendable {
        let access_token: String
        let token_type = "Bearer"
        /// Seconds.
        let expires_in: Int
        let id_token: String
    }

    private struct Granted {
        let authorization: Authorization
        let expires: ServerTime
    }

    private struct State {
        /// The root of the server; nil until it listens.
        var baseURL: String?
        /// Redirect targets beside ``LabIdentityProvider/redirectUri``; a new one replaces the oldest.
        var redirectUris: [Identifier] = []
        var codes: [(code: String, granted: Granted)] = []
        /// Signs tokens; generated on first use.
        var key: PrivateKey?
    }

    /// How long a code and a token are good for, in milliseconds.
    private static let codeValidity: Int64 = 60_000
    private static let tokenValidity: Int64 = 300_000
    /// Codes not redeemed yet; a new one replaces the oldest.
    static let capacity = 1_000

    private let state = Mutex(State())
    private let keyId = Identifiers.uuid().text

    /// Stands in the address where apps have their users signed in, and nowhere else.
    let signInToken = Base64URL.encode(Random.bytes(16))
    /// Targets that are registered at a time.
    static let targets = 100

    /// From now on browsers may be sent to a target.
    func register(redirectUri: String) {
        let target = Identifier(known: redirectUri)
        state.withLock { state in
            guard !state.redirectUris.contains(target) else { return }
            state.redirectUris.append(target)
            if state.redirectUris.count > Self.targets { state.redirectUris.removeFirst() }
        }
    }

    /// Whether a browser may be sent to a target: exactly this one (RFC 6749, section 3.1.2.3).
    func isRegistered(redirectUri: String) -> Bool {
        let target = Identifier(known: redirectUri)
        return target == Identifier(known: Self.redirectUri) || state.withLock { $0.redirectUris.contains(target) }
    }

    /// The server listens at an address now.
    func listens(at baseURL: String) { state.withLock { $0.baseURL = baseURL } }

    /// How its tokens call it, also the address of its resources; nil while the server does not listen.
    var issuer: String? { state.withLock { $0.baseURL.map { $0 + LabIdentityEndpoints.path } } }

    /// Its configuration for the server, as of any other provider; nil while the server does not listen.
    var configuration: IdentityProvider? {
        issuer.map { issuer in
            IdentityProvider(
                providerId: Self.providerId, clientId: Self.clientId, clientSecret: Self.clientSecret,
                issuerUri: issuer, redirectUri: Self.redirectUri,
                authorizeUri: "\(issuer)/authorize?sign_in=\(signInToken)", scopes: "openid", pkceEnabled: true)
        }
    }

    /// Lets a user in.
    /// - Returns: the code that the browser takes to the client.
    func authorize(_ authorization: Authorization, at now: ServerTime) -> String {
        let code = Base64URL.encode(Random.bytes(16))
        let granted = Granted(authorization: authorization, expires: now.advanced(by: Self.codeValidity))
        state.withLock { state in
            state.codes.append((code, granted))
            if state.codes.count > Self.capacity { state.codes.removeFirst() }
        }
        return code
    }

    /// Redeems a code, which is spent even if this fails.
    /// - Returns: nil for an unknown, spent or expired code, or another verifier or address.
    func redeem(_ redemption: Redemption, at now: ServerTime) throws -> Tokens? {
        let (issuer, granted) = state.withLock { state -> (String?, Granted?) in
            let issuer = state.baseURL.map { $0 + LabIdentityEndpoints.path }
            let index = state.codes.firstIndex { $0.code == redemption.code }
            return (issuer, index.map { index in state.codes.remove(at: index).granted })
        }
        guard let issuer, let granted, now <= granted.expires,
            granted.authorization.redirectUri == redemption.redirectUri,
            Self.fits(granted.authorization.codeChallenge, redemption.codeVerifier)
        else { return nil }
        return try tokens(for: granted.authorization, by: issuer, at: now)
    }

    /// A verifier without a challenge is as wrong as a challenge without a verifier.
    private static func fits(_ challenge: String?, _ verifier: String?) -> Bool {
        challenge == verifier.map { Base64URL.encode(Digest.sha256(Data($0.utf8))) }
    }

    private func tokens(for authorization: Authorization, by issuer: String, at now: ServerTime) throws -> Tokens {
        let accessToken = Base64URL.encode(Random.bytes(32))
        let claims: JSONValue = [
            "iss": .string(issuer), "sub": .string(authorization.userId), "aud": .string(Self.clientId),
            "iat": .integer(now.seconds), "exp": .integer(now.advanced(by: Self.tokenValidity).seconds),
            "nonce": .optional(authorization.nonce),
            "at_hash": .string(Base64URL.encode(Digest.sha256(Data(accessToken.utf8)).prefix(16))),
        ]
        return Tokens(
            access_token: accessToken, expires_in: Int(Self.tokenValidity / 1000),
            id_token: try JWT.signed(claims: claims.encoded(), key: key()))
    }

    private func key() throws -> PrivateKey {
        try state.withLock { state in
            let key = try state.key ?? PrivateKey.generate()
            state.key = key
            return key
        }
    }

    /// The key that signs its tokens, as RFC 7517 has it.
    /// - Throws: for lack of entropy or memory.
    func keySet() throws -> JSONValue {
        let point = try key().publicKey.uncompressed
        return [
            "keys": [
                [
                    "kty": "EC", "use": "sig", "alg": "ES256", "crv": "P-256", "kid": .string(keyId),
                    "x": .string(Base64URL.encode(Data(point[1..<33]))),
                    "y": .string(Base64URL.encode(Data(point[33...]))),
                ]
            ]
        ]
    }
}
