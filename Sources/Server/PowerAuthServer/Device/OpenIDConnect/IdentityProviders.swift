// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Exchanges what devices got from OpenID Connect providers for the identity of their users
/// (rest-api.md, section 6.2, type DIRECT; OpenID Connect Core 1.0, section 3.1).
///
/// Thread rule: worker threads only; it blocks, but no thread waits for a provider.
struct IdentityProviders: Sendable {
    let context: ServiceContext
    /// The providers of every application.
    let providers: [IdentityProvider]
    /// The lab's own one; nil on a server without lab powers.
    let lab: LabIdentityProvider?
    /// Limits the requests waiting for a provider. A slow provider delays the users of other providers, and no other
    /// requests.
    let waitingRoom: RequestAdmission
    /// The places of all requests: one that waits for a provider gives its place to others.
    let requests: RequestAdmission

    /// How far the clock of a provider may be ahead, in seconds.
    private static let clockTolerance: Double = 60

    private struct TokenAnswer: Decodable {
        let id_token: String
        let access_token: String?
    }

    private struct IdentityClaims: Decodable {
        let sub: String
        let iss: String
        let aud: Audience
        /// The client that the token was issued to; needed when it is for several.
        let azp: String?
        let exp: Double
        let nbf: Double?
        let iat: Double
        let nonce: String?
        let at_hash: String?
    }

    /// One or several clients.
    private struct Audience: Decodable {
        let clients: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            clients = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
        }
    }

    /// The provider of a grant.
    /// - Parameter applicationKey: of the device's application.
    /// - Throws: `invalidRequest` with the cause, which the device does not see.
    func provider(of grant: OpenIDConnectGrant, applicationKey: Identifier) throws -> IdentityProvider {
        let own = try own(applicationKey: applicationKey)
        let provider = try provider(grant.providerId, own: own)
        // Administrators of the back office do not choose which hosts are called from within the bank's network.
        let mayCall = context.policy.callbacks.allows
        if own.contains(where: { $0.providerId == provider.providerId }),
            !(mayCall(provider.tokenAddress) && mayCall(provider.keysAddress))
        {
            throw ServiceError(.invalidRequest, "provider \(provider.providerId) is on no host that may be called")
        }
        if provider.pkceEnabled == true, grant.codeVerifier.nonBlank == nil {
            throw ServiceError(.invalidRequest, "provider \(provider.providerId) requires a codeVerifier")
        }
        return provider
    }

    /// Asks a provider who signed in.
    /// - Returns: the subject of the identity token.
    /// - Throws: `invalidRequest` with the cause; ``ErrorResponse/overloaded`` if too many requests wait already.
    func subject(of grant: OpenIDConnectGrant, at provider: IdentityProvider) async throws -> Identifier {
        let (tokens, keys) = try await requests.vacating { try await evidence(of: grant, at: provider) }
        do {
            let answer = try JSONBody.decode(TokenAnswer.self, from: tokens)
            let token = try JWT(identityToken: answer.id_token, algorithms: provider.algorithms)
            guard try isAuthentic(token, keys: keys) else {
                throw ServiceError(.invalidRequest, "no key of the provider fits the identity token")
            }
            // Reads the time only now: the provider may have been slow, and its token may have expired meanwhile.
            return try verifiedSubject(token.claims(), answer.access_token, grant, provider, at: context.clock.now())
        } catch let error as ProtocolError {
            throw ServiceError(.invalidRequest, "identity token: \(error)")
        } catch is DecodingError {
            throw ServiceError(.invalidRequest, "provider \(provider.providerId) answered unexpected JSON")
        }
    }

    /// A provider's answers about a grant, not verified yet.
    private func evidence(
        of grant: OpenIDConnectGrant, at provider: IdentityProvider
    ) async throws -> (tokens: Data, keys: Data) {
        guard waitingRoom.enter() else { throw ErrorResponse.overloaded }
        defer { waitingRoom.leave() }
        do {
            return (
                tokens: try await Self.body(of: exchange(grant, at: provider)),
                keys: try await Self.body(of: OutgoingRequest(url: provider.keysAddress))
            )
        } catch let failure as OutgoingRequest.Failure {
            throw ServiceError(.invalidRequest, failure.description)
        }
    }

    /// The provider that a device names: its application's own (server.md, section 6.4, `oauth2_providers`) go before
    /// those of every application.
    /// - Throws: `invalidRequest` for an unknown one.
    func provider(_ id: String, applicationKey: Identifier) throws -> IdentityProvider {
        try provider(id, own: own(applicationKey: applicationKey))
    }

    private func provider(_ id: String, own: [IdentityProvider]) throws -> IdentityProvider {
        let all = own + providers + [lab?.configuration].compactMap(\.self)
        guard let provider = all.first(where: { $0.providerId == id }) else {
            throw ServiceError(.invalidRequest, "no identity provider \(id)")
        }
        return provider
    }

    /// Those that the back office has configured for an application.
    private func own(applicationKey: Identifier) throws -> [IdentityProvider] {
        guard let version = try context.read({ try ApplicationStore.version($0, applicationKey: applicationKey) })
        else { return [] }
        return try ApplicationSettingsService(context: context).identityProviders(applicationId: version.application.id)
    }

    private func exchange(_ grant: OpenIDConnectGrant, at provider: IdentityProvider) -> OutgoingRequest {
        var form = [
            ("grant_type", "authorization_code"), ("code", grant.code), ("redirect_uri", provider.redirectUri),
            ("client_id", provider.clientId),
        ]
        if let verifier = grant.codeVerifier { form.append(("code_verifier", verifier)) }
        var request = OutgoingRequest(
            method: "POST", url: provider.tokenAddress,
            headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")])
        switch provider.clientAuthenticationMethod ?? .clientSecretBasic {
        case .clientSecretBasic:
            let credentials = FormText.basicHeader(clientId: provider.clientId, clientSecret: provider.clientSecret)
            request.headers.append(("Authorization", credentials))
        case .clientSecretPost: form.append(("client_secret", provider.clientSecret))
        }
        request.body = FormText.encode(form)
        return request
    }

    /// Whether the token was signed with one of the provider's present keys; those of other kinds cannot have made it.
    private func isAuthentic(_ token: JWT, keys: Data) throws -> Bool {
        struct KeySet: Decodable { let keys: [IdentityKey] }
        return try JSONBody.decode(KeySet.self, from: keys).keys.contains { $0.isNamed(by: token) && $0.isKeyOf(token) }
    }

    private func verifiedSubject(
        _ claims: IdentityClaims, _ accessToken: String?, _ grant: OpenIDConnectGrant, _ provider: IdentityProvider,
        at now: ServerTime
    ) throws -> Identifier {
        func require(_ condition: Bool, _ cause: String) throws {
            guard condition else { throw ServiceError(.invalidRequest, "identity token: \(cause)") }
        }
        try require(claims.nonce == grant.nonce, "the nonce is not the device's")
        try require(claims.iss == provider.issuerUri, "issued by \(claims.iss), not \(provider.issuerUri)")
        try require(claims.aud.clients.contains(provider.clientId), "made for another client")
        try require(claims.azp != nil || claims.aud.clients.count == 1, "several audiences, but no azp")
        try require(claims.azp == nil || claims.azp == provider.clientId, "issued to another client")
        try require(claims.exp > Double(now.seconds), "it has expired")
        // Clocks differ; a token issued in the future is refused.
        let soon = Double(now.seconds) + Self.clockTolerance
        try require(claims.nbf ?? 0 <= soon, "it is not valid yet")
        try require(claims.iat <= soon, "it was issued in the future")
        if let hash = claims.at_hash {
            let expected = accessToken.map { Base64URL.encode(Digest.sha256(Data($0.utf8)).prefix(16)) }
            try require(hash == expected, "at_hash does not fit the access token")
        }
        try require(!claims.sub.isEmpty, "it has no subject")
        return try Identifier(claims.sub, field: "sub")
    }

    private static func body(of request: OutgoingRequest) async throws -> Data {
        let answer = try await request.send()
        guard answer.status == 200 else {
            throw OutgoingRequest.Failure(description: "\(request.url) answered \(answer.status)")
        }
        return answer.body
    }
}
