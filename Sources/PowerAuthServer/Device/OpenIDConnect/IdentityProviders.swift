import Foundation
import PowerAuthProtocol

/// Exchanges what devices got from OpenID Connect providers for the identity of their users
/// (rest-api.md, section 6.2, type DIRECT; OpenID Connect Core 1.0, section 3.1).
///
/// Thread rule: worker threads only; all methods block on the network.
struct IdentityProviders: Sendable {
    /// The providers of every application.
    let providers: [IdentityProvider]

    private struct TokenAnswer: Decodable {
        let id_token: String
        let access_token: String?
    }

    private struct IdentityClaims: Decodable {
        let sub: String
        let iss: String
        let aud: Audience
        let exp: Double
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

    /// Finds out who signed in.
    /// - Parameters:
    ///   - grant: what the device got.
    ///   - own: the providers of the device's application, which go before those of every application.
    ///   - clock: asked after the provider has answered, which may take a while; identity tokens that have expired by
    ///     then are refused.
    /// - Returns: the subject of the identity token.
    /// - Throws: `invalidRequest` with the cause; nothing of it is told to the device.
    func subject(
        of grant: OpenIDConnectGrant, own: [IdentityProvider], clock: any ServerClock
    ) throws -> String {
        guard let provider = (own + providers).first(where: { $0.providerId == grant.providerId }) else {
            throw ServiceError(.invalidRequest, "no identity provider \(grant.providerId)")
        }
        if provider.pkceEnabled == true, grant.codeVerifier.nonBlank == nil {
            throw ServiceError(.invalidRequest, "provider \(provider.providerId) wants a codeVerifier")
        }
        do {
            let answer = try exchange(grant, at: provider)
            let token = try JWT(identityToken: answer.id_token, algorithms: provider.algorithms)
            guard try isAuthentic(token, at: provider) else {
                throw ServiceError(.invalidRequest, "no key of the provider fits the identity token")
            }
            return try verifiedSubject(token.claims(), answer.access_token, grant, provider, at: clock.now())
        } catch let failure as OutgoingRequest.Failure {
            throw ServiceError(.invalidRequest, failure.description)
        } catch let error as ProtocolError {
            throw ServiceError(.invalidRequest, "identity token: \(error)")
        } catch is DecodingError {
            throw ServiceError(.invalidRequest, "provider \(provider.providerId) answered unexpected JSON")
        }
    }

    private func exchange(_ grant: OpenIDConnectGrant, at provider: IdentityProvider) throws -> TokenAnswer {
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
        case .clientSecretPost:
            form.append(("client_secret", provider.clientSecret))
        }
        request.body = FormText.encode(form)
        return try JSONBody.decode(TokenAnswer.self, from: Self.body(of: request))
    }

    /// Whether the token was signed with one of the provider's present keys; those of other kinds cannot have made it.
    private func isAuthentic(_ token: JWT, at provider: IdentityProvider) throws -> Bool {
        struct KeySet: Decodable {
            let keys: [IdentityKey]
        }
        let set = try JSONBody.decode(KeySet.self, from: Self.body(of: OutgoingRequest(url: provider.keysAddress)))
        return set.keys.contains { $0.isNamed(by: token) && $0.isKeyOf(token) }
    }

    private func verifiedSubject(
        _ claims: IdentityClaims, _ accessToken: String?, _ grant: OpenIDConnectGrant, _ provider: IdentityProvider,
        at now: ServerTime
    ) throws -> String {
        func require(_ condition: Bool, _ cause: String) throws {
            guard condition else { throw ServiceError(.invalidRequest, "identity token: \(cause)") }
        }
        try require(claims.nonce == grant.nonce, "the nonce is not the device's")
        try require(claims.iss == provider.issuerUri, "issued by \(claims.iss), not \(provider.issuerUri)")
        try require(claims.aud.clients.contains(provider.clientId), "made for another client")
        try require(claims.exp > Double(now.seconds), "it has expired")
        if let hash = claims.at_hash {
            let expected = accessToken.map { Base64URL.encode(Digest.sha256(Data($0.utf8)).prefix(16)) }
            try require(hash == expected, "at_hash does not fit the access token")
        }
        try require(!claims.sub.isEmpty, "it has no subject")
        return claims.sub
    }

    private static func body(of request: OutgoingRequest) throws -> Data {
        let answer = try request.send()
        guard answer.status == 200 else {
            throw OutgoingRequest.Failure(description: "\(request.url) answered \(answer.status)")
        }
        return answer.body
    }
}
