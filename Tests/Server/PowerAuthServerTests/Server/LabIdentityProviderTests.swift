// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import NIOCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// The identity provider of the lab, as a client of OpenID Connect sees it.
@Suite("The lab's identity provider", .endsInTime)
struct LabIdentityProviderTests {
    private static let issuer = "http://127.0.0.1:8080/lab/identity"
    // The example of RFC 7636, appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    private func run(_ body: @escaping @Sendable (ServerClient) async throws -> Void) async throws {
        try await run { client, _ in try await body(client) }
    }

    private func run(
        _ body: @escaping @Sendable (ServerClient, LabIdentityProvider) async throws -> Void
    ) async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        let provider = try #require(fixture.server.powers).identityProvider
        provider.listens(at: "http://127.0.0.1:8080")
        try await fixture.run { try await body($0, provider) }
    }

    private func signIn(_ client: ServerClient, _ fields: [String: String] = [:]) async throws -> String {
        let body = ["userId": "alice", "nonce": "n-1", "codeChallenge": Self.challenge].merging(fields) { $1 }
        let answer = try await client.send("/lab/identity/authorize", body: JSONEncoder().encode(body))
        #expect(answer.status == 200)
        return try #require(JSONValue.parse(answer.body)["code"]?.stringValue)
    }

    private func redeem(
        _ client: ServerClient, _ code: String, _ changes: [String: String?] = [:], secret: String = "lab"
    ) async throws -> (status: Int, json: JSONValue) {
        var form: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": "lab://signed-in",
            "code_verifier": Self.verifier, "client_id": "lab",
        ]
        form.merge(changes) { $1 }
        let fields = form.compactMap { name, value in value.map { (name: name, value: $0) } }
        let answer = try await client.send(
            "/lab/identity/token",
            headers: [
                "Content-Type": "application/x-www-form-urlencoded",
                "Authorization": FormText.basicHeader(clientId: "lab", clientSecret: secret),
            ], body: FormText.encode(fields))
        return (answer.status, try JSONValue.parse(answer.body))
    }

    @Test(.verifies("size", "LabIdentityProvider.tokenValidity"))
    func `A code is redeemed for a token that its published key has signed`() async throws {
        try await run { client in
            let answer = try await redeem(client, try await signIn(client))
            #expect(answer.status == 200 && answer.json["token_type"] == "Bearer")
            let text = try #require(answer.json["id_token"]?.stringValue)
            let token = try JWT(identityToken: text, algorithms: [.es256])
            let keys = try await client.send("/lab/identity/jwks", method: .get).body
            let key = try #require(JSONValue.parse(keys)["keys"]?[0])
            let identityKey: IdentityKey = try key.decode()
            #expect(identityKey.isKeyOf(token))
            let claims: JSONValue = try token.claims()
            let now = client.clock.now().seconds
            #expect(claims["iss"]?.stringValue == Self.issuer && claims["aud"] == "lab" && claims["sub"] == "alice")
            #expect(claims["nonce"] == "n-1" && claims["iat"]?.integerValue == now)
            #expect(claims["exp"]?.integerValue == now + 300)
            let access = try #require(answer.json["access_token"]?.stringValue)
            #expect(claims["at_hash"]?.stringValue == Base64URL.encode(Digest.sha256(Data(access.utf8)).prefix(16)))
        }
    }

    @Test(.verifies("size", "LabIdentityProvider.codeValidity"))
    func `A code is good once, for a minute, at its address, and with its verifier`() async throws {
        try await run { client in
            let spent = try await signIn(client)
            #expect(try await redeem(client, spent).status == 200)
            let expired = try await signIn(client)
            client.clock.advance(milliseconds: 60_001)
            let refusals = [
                try await redeem(client, spent), try await redeem(client, "made-up"),
                try await redeem(client, expired),
                try await redeem(client, signIn(client), ["redirect_uri": "lab://elsewhere"]),
                try await redeem(client, signIn(client), ["code_verifier": "another"]),
                try await redeem(client, signIn(client), ["code_verifier": nil]),
            ]
            for refusal in refusals {
                #expect(refusal.status == 400 && refusal.json["error"] == "invalid_grant")
            }
            // A wrong verifier has spent the code.
            let tried = try await signIn(client)
            _ = try await redeem(client, tried, ["code_verifier": "another"])
            #expect(try await redeem(client, tried).status == 400)
            let last = try await signIn(client)
            client.clock.advance(milliseconds: 60_000)
            #expect(try await redeem(client, last).status == 200)
        }
    }

    @Test func `Only its client redeems codes`() async throws {
        try await run { client in
            let code = try await signIn(client)
            let stranger = try await redeem(client, code, secret: "guess")
            #expect(stranger.status == 401 && stranger.json["error"] == "invalid_client")
            let other = try await redeem(client, code, ["grant_type": "password"])
            #expect(other.status == 400 && other.json["error"] == "unsupported_grant_type")
            #expect(try await redeem(client, code).status == 200)
        }
    }

    @Test
    func `With restricted access, clients still redeem codes and read keys, but only tools sign users in`() async throws
    {
        let fixture = try ServerFixture {
            $0.hasLabPowers = true
            $0.policy.isBackOfficeRestricted = true
        }
        let provider = try #require(fixture.server.powers).identityProvider
        provider.listens(at: "http://127.0.0.1:8080")
        try await fixture.runUnconfigured { client in
            let code = provider.authorize(
                .init(userId: "alice", redirectUri: "lab://signed-in", nonce: nil, codeChallenge: Self.challenge),
                at: client.clock.now())
            #expect(try await redeem(client, code).status == 200)
            #expect(try await client.send("/lab/identity/jwks", method: .get).status == 200)
            let signIn = try await client.send(
                "/lab/identity/authorize", body: JSONEncoder().encode(["userId": "alice"]))
            #expect(signIn.status == 401)
        }
    }

    @Test(.verifies("security.md", "identity-provider-redirect"))
    func `A browser is sent back with a code and the state it came with`() async throws {
        try await run { client, provider in
            func browse(_ query: String, token: String?) async throws -> (status: Int, location: String?) {
                let response = try await client.transport.send(
                    "/lab/identity/authorize?\(token.map { "sign_in=\($0)&" } ?? "")\(query)", .get, [:], Data())
                return (response.status, response.headers[.location])
            }
            func browse(_ query: String) async throws -> (status: Int, location: String?) {
                try await browse(query, token: provider.signInToken)
            }
            let query =
                "response_type=code&client_id=lab&redirect_uri=app%3A%2F%2Fback%3Fx%3D1&login_hint=bob&state=s%201"
                + "&nonce=n-2&code_challenge=\(Self.challenge)&code_challenge_method=S256"
            // A foreign page that redirects a browser here receives nothing: neither for its own target, nor for one of
            // the provider's.
            for token in [nil, "", "guess", provider.signInToken + "x"] {
                #expect(try await browse(query, token: token).status == 401)
                let own = query.replacing("app%3A%2F%2Fback%3Fx%3D1", with: "lab%3A%2F%2Fsigned-in")
                #expect(try await browse(own, token: token).location == nil)
            }
            #expect(try await browse(query).status == 400, "its target is not registered")
            _ = try await signIn(client, ["redirectUri": "app://back?x=1"])
            #expect(
                try await browse(query.replacing("%3Dx", with: "%3Dy").replacing("x%3D1", with: "x%3D2")).status == 400)
            let sent = try await browse(query)
            let target = try #require(sent.location.flatMap { URLComponents(string: $0) })
            #expect(sent.status == 302 && target.scheme == "app" && target.host == "back")
            let items = Dictionary((target.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { $1 }
            #expect(items["x"] == "1" && items["state"] == "s 1")
            let tokens = try await redeem(client, #require(items["code"]), ["redirect_uri": "app://back?x=1"])
            #expect(tokens.status == 200)
            for wrong in [
                query.replacing("client_id=lab", with: "client_id=other"), query.replacing("bob", with: ""),
                query.replacing("S256", with: "plain"), query.replacing("=code&", with: "=token&"),
                query.replacing("bob", with: "%FF"),
            ] {
                let refused = try await browse(wrong)
                // A query that cannot be read shows no token.
                #expect([400, 401].contains(refused.status) && refused.location == nil, "\(wrong)")
            }
        }
    }

    @Test func `Its discovery document names its resources`() async throws {
        try await run { client in
            let answer = try await client.send("/lab/identity/.well-known/openid-configuration", method: .get)
            let found = try JSONValue.parse(answer.body)
            #expect(found["issuer"]?.stringValue == Self.issuer)
            #expect(found["token_endpoint"]?.stringValue == Self.issuer + "/token")
            #expect(found["jwks_uri"]?.stringValue == Self.issuer + "/jwks")
            #expect(try await client.send("/lab/identity/authorize", body: Data("{}".utf8)).status == 400)
        }
        try await ServerFixture { $0.hasLabPowers = true }.run { client in
            let answer = try await client.send("/lab/identity/.well-known/openid-configuration", method: .get)
            #expect(answer.status == 404, "a server that does not listen has no address")
        }
        try await ServerFixture.run { (client: ServerClient) async throws in
            #expect(try await client.send("/lab/identity/jwks", method: .get).status == 404)
        }
    }

    @Test func `An app receives a provider's configuration, without the client's secret`() async throws {
        try await run { client, provider in
            let device = try TestDevice(client, .v3_3)
            let scope = try await device.applicationScope()
            let (request, decryptor) = try device.seal(["providerId": "lab"], scope, .applicationGeneric)
            let answer = try await client.send(
                "/api/config/oidc", headers: [EncryptionHeader.name: device.encryptionHeader(scope).value],
                body: JSONEncoder().encode(request))
            let plaintext = try decryptor.decrypt(JSONDecoder().decode(EciesResponse.self, from: answer.body))
            #expect(
                try JSONValue.parse(plaintext) == [
                    "status": "OK",
                    "responseObject": [
                        "providerId": "lab", "clientId": "lab", "scopes": "openid",
                        "authorizeUri": .string("\(Self.issuer)/authorize?sign_in=\(provider.signInToken)"),
                        "redirectUri": "lab://signed-in",
                        "pkceEnabled": true,
                    ],
                ])
        }
    }

    @Test(.verifies("size", "EnrollmentEndpoints.shortestOtp"))
    func `A code for another app is one for the same user, and its password activates that app`() async throws {
        try await run { client in
            try await client.backOffice("application/create", ["applicationId": "other"]).expectOK()
            var device = try await client.activeDevice()
            func ask(_ device: inout TestDevice, otp: String) async throws -> (Answer, EciesResponseDecryptor) {
                let content = Data(#"{"requestObject":{"applicationId":"other","otp":"\#(otp)"}}"#.utf8)
                let keys = try await device.activationScope()
                let (request, decryptor) = try device.seal(content, keys, .activationGeneric)
                let header = try device.signature(
                    method: "POST", uriId: "/api/activation/code", body: content, type: .possessionKnowledge)
                let answer = try await client.send(
                    "/api/activation/code", headers: [SignatureHeader.name: header.value],
                    body: JSONEncoder().encode(request))
                return (answer, decryptor)
            }
            for count in Sizes.around(EnrollmentEndpoints.shortestOtp) {
                let (answer, _) = try await ask(&device, otp: String(repeating: "7", count: count))
                let isLongEnough = count >= EnrollmentEndpoints.shortestOtp
                #expect(answer.status == (isLongEnough ? 200 : 400), "\(count)")
                if !isLongEnough { #expect(answer.code == "ACTIVATION_CODE_FAILED") }
            }
            let otp = "correct horse battery"
            let (answer, decryptor) = try await ask(&device, otp: otp)
            let plaintext = try decryptor.decrypt(JSONDecoder().decode(EciesResponse.self, from: answer.body))
            let made = try #require(JSONValue.parse(plaintext)["responseObject"])
            let detail = try await client.backOffice("application/detail", ["applicationId": "other"])
            let configuration = try MobileSdkConfiguration(detail.required("versions.0.mobileSdkConfig"))
            var other = try TestDevice(client.with(configuration: configuration), .v3_3)
            let code = try #require(made["activationCode"]?.stringValue)
            for wrong in [nil, "correct horse bat", ""] {
                #expect(try await other.activate(code: code, otp: wrong).code == "ERR_ACTIVATION")
            }
            #expect(try await other.activate(code: code, otp: otp).status == 200)
            #expect(other.activationId == made["activationId"]?.stringValue)
            let status = try await client.activationStatus(other.activationId)
            #expect(status.text("userId") == "alice" && status.text("activationStatus") == "ACTIVE")
            #expect(status.text("applicationId") == "other")
        }
    }
}
