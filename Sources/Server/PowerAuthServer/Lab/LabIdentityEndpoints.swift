// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol

/// `/lab/identity/**`: the lab's own OpenID Connect provider, see ``LabIdentityProvider``.
struct LabIdentityEndpoints: Sendable {
    static let path = "/lab/identity"

    /// Whether a resource is open even with restricted access: the one that redeems codes requires client credentials,
    /// the others contain only public keys and addresses. Signing a user in is for tools.
    static func isOpen(_ endpoint: Endpoint) -> Bool {
        endpoint.path.hasPrefix(path + "/") && endpoint.path != path + "/authorize"
    }

    /// Whether a request is a browser's to the address of the provider's configuration, which contains its own token: a
    /// browser cannot send the header of tools, and a web page does not know the address.
    static func mayBrowse(_ request: ServerRequest, to provider: LabIdentityProvider) -> Bool {
        guard request.method == "GET", request.path == path + "/authorize",
            let token = (try? QueryParameters(request.query))?["sign_in"]
        else { return false }
        return constantTimeEquals(token, provider.signInToken)
    }

    let provider: LabIdentityProvider
    let clock: any ServerClock

    /// A sign-in without a browser.
    private struct SignIn: Decodable {
        var userId: Identifier?
        var redirectUri: String?
        var nonce: String?
        var codeChallenge: String?
    }

    private struct Discovery: Encodable {
        let issuer: String
        let authorization_endpoint: String
        let token_endpoint: String
        let jwks_uri: String
        let response_types_supported = ["code"]
        let subject_types_supported = ["public"]
        let id_token_signing_alg_values_supported = ["ES256"]
        let code_challenge_methods_supported = ["S256"]
        let token_endpoint_auth_methods_supported = ["client_secret_basic", "client_secret_post"]
    }

    var endpoints: [Endpoint] {
        [
            .lab(
                Self.path + "/authorize", methods: ["GET", "POST"], takes: SignIn.self,
                limits: ["": .having(["userId"]), "userId": .notBlank], answer: authorize),
            .lab(Self.path + "/token", methods: ["POST"], bodyType: .form, answer: token),
            .lab(Self.path + "/jwks", methods: ["GET"]) { _ in try .ok(provider.keySet()) },
            .lab(
                Self.path + "/.well-known/openid-configuration", methods: ["GET"], others: [.notFound],
                answer: discover),
        ]
    }

    @Sendable private func authorize(_ request: ServerRequest) throws -> ServerResponse {
        guard request.method == "POST" else { return try authorizeBrowser(request) }
        let signIn = try JSONBody.decode(SignIn.self, from: request.body)
        guard let userId = signIn.userId.nonBlank else { throw ServiceError(.invalidRequest, "userId is missing") }
        let redirectUri = signIn.redirectUri ?? LabIdentityProvider.redirectUri
        // The owner of the token may register redirect targets.
        provider.register(redirectUri: redirectUri)
        let code = provider.authorize(
            .init(
                userId: userId.text, redirectUri: redirectUri, nonce: signIn.nonce, codeChallenge: signIn.codeChallenge),
            at: clock.now())
        return try .ok(["code": code, "redirectUri": redirectUri])
    }

    /// A browser's request: `login_hint` replaces the sign-in page.
    private func authorizeBrowser(_ request: ServerRequest) throws -> ServerResponse {
        guard let fields = try? QueryParameters(request.query) else {
            return try Self.refusal("invalid_request", "the query is not percent-encoded UTF-8")
        }
        guard fields["client_id"] == LabIdentityProvider.clientId, let redirectUri = fields["redirect_uri"],
            var target = URLComponents(string: redirectUri), target.scheme != nil,
            provider.isRegistered(redirectUri: redirectUri)
        else {
            return try Self.refusal(
                "invalid_request",
                "client_id must be \(LabIdentityProvider.clientId), redirect_uri a registered one: "
                    + "\(LabIdentityProvider.redirectUri), or one that a POST has named")
        }
        guard fields["response_type"] == "code", let userId = try fields.identifier("login_hint").nonBlank,
            fields["code_challenge"] == nil || fields["code_challenge_method"] == "S256"
        else {
            return try Self.refusal(
                "invalid_request",
                "response_type must be code, login_hint the user, code_challenge_method S256 if there is a challenge")
        }
        let code = provider.authorize(
            .init(
                userId: userId.text, redirectUri: redirectUri, nonce: fields["nonce"],
                codeChallenge: fields["code_challenge"]), at: clock.now())
        let answer = [("code", code)] + (fields["state"].map { [("state", $0)] } ?? [])
        target.queryItems = (target.queryItems ?? []) + answer.map { URLQueryItem(name: $0.0, value: $0.1) }
        return ServerResponse(status: 302, body: Data(), location: target.string)
    }

    /// Redeems a code for the client's server.
    @Sendable private func token(_ request: ServerRequest) throws -> ServerResponse {
        guard let fields = try? QueryParameters(String(decoding: request.body, as: UTF8.self)) else {
            return try Self.refusal("invalid_request", "the form is not percent-encoded UTF-8")
        }
        let basic = FormText.basicHeader(
            clientId: LabIdentityProvider.clientId, clientSecret: LabIdentityProvider.clientSecret)
        let isClient =
            request.header("Authorization").map { $0 == basic }
            ?? (fields["client_id"] == LabIdentityProvider.clientId
                && fields["client_secret"] == LabIdentityProvider.clientSecret)
        guard isClient else { return try Self.refusal("invalid_client", "no such client, or another secret", 401) }
        guard fields["grant_type"] == "authorization_code" else {
            return try Self.refusal("unsupported_grant_type", "grant_type must be authorization_code")
        }
        let tokens = try provider.redeem(
            .init(code: fields["code"], redirectUri: fields["redirect_uri"], codeVerifier: fields["code_verifier"]),
            at: clock.now())
        guard let tokens else {
            return try Self.refusal(
                "invalid_grant", "the code is unknown, spent or expired, or the redirect_uri or code_verifier another")
        }
        return try .ok(tokens)
    }

    @Sendable private func discover(_ request: ServerRequest) throws -> ServerResponse {
        guard let issuer = provider.issuer else { throw ErrorResponse.notFound }
        return try .ok(
            Discovery(
                issuer: issuer, authorization_endpoint: issuer + "/authorize", token_endpoint: issuer + "/token",
                jwks_uri: issuer + "/jwks"))
    }

    /// An error answer of OAuth 2.0 (RFC 6749, section 5.2).
    private static func refusal(_ error: String, _ description: String, _ status: Int = 400) throws -> ServerResponse {
        ServerResponse(status: status, body: try JSONBody.encode(["error": error, "error_description": description]))
    }
}
