// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("OpenID Connect", .endsInTime)
struct OpenIDConnectTests {
    private static func provider(
        _ defect: LoopbackProvider.Defect? = nil, rsaToken: String? = nil, miss: Int64 = 1
    ) throws -> LoopbackProvider {
        try LoopbackProvider(defect, rsaToken: rsaToken, miss: miss) { TestClock().now().seconds }
    }

    /// Runs a test against a server that knows the provider.
    private static func run(
        _ provider: LoopbackProvider, _ body: @escaping @Sendable (ServerClient) async throws -> Void
    ) async throws {
        try await provider.serve { configuration in
            try await ServerFixture { $0.identityProviders = [configuration] }.run(body)
        }
    }

    @Test(.verifies("rest-api.md", "B-24"))
    func `A sign-in at the provider activates at once, for its subject`() async throws {
        let provider = try Self.provider()
        try await Self.run(provider) { client in
            for version in ProtocolVersion.allCases {
                var device = try TestDevice(client, version)
                let answer = try await device.activate(
                    type: "DIRECT", identity: LoopbackProvider.identity, attributes: ["lang": "cs"])
                #expect(answer.status == 200)
                #expect(try await device.status()?.state == .active)
                #expect(try await client.activationStatus(device.activationId).text("userId") == "subject-1")
                #expect(try await device.validateSignature() == 200)
            }
        }
        let form = try #require(provider.forms.first)
        #expect(form.contains("grant_type=authorization_code"))
        #expect(form.contains("code=granted"))
        #expect(form.contains("code_verifier=verifier"))
        #expect(form.contains("redirect_uri=https%3A%2F%2Flab.example%2Fcallback"))
        #expect(!form.contains("secret"))
    }

    @Test func `An RSA key of the provider signs as well`() async throws {
        let provider = try Self.provider(rsaToken: LoopbackProvider.rsaToken)
        try await Self.run(provider) { client in
            var device = try TestDevice(client, .v3_3)
            let answer = try await device.activate(type: "DIRECT", identity: LoopbackProvider.identity)
            #expect(answer.status == 200)
            #expect(try await client.activationStatus(device.activationId).text("userId") == "subject-1")
        }
        let forged = try Self.provider(rsaToken: LoopbackProvider.forgedRSAToken)
        try await Self.run(forged) { client in
            var device = try TestDevice(client, .v3_3)
            #expect(
                try await device.activate(type: "DIRECT", identity: LoopbackProvider.identity).code
                    == "ERR_ACTIVATION")
        }
    }

    @Test func `An application has providers of its own, which decide about the algorithm`() async throws {
        let provider = try Self.provider()
        try await Self.run(provider) { client in
            let port = try #require(provider.port)
            func configure(_ extra: [String: String]) async throws -> Answer {
                let own: [String: any Sendable] = [
                    "providerId": "own", "clientId": "lab", "clientSecret": "secret",
                    "issuerUri": "https://issuer.example", "redirectUri": "https://lab.example/callback",
                    "tokenUri": "http://127.0.0.1:\(port)/token", "jwkSetUri": "http://127.0.0.1:\(port)/jwks",
                ].merging(extra) { $1 }
                return try await client.backOffice(
                    "application/config/create",
                    ["applicationId": "lab", "key": "oauth2_providers", "values": [own] as [any Sendable]])
            }
            var identity = LoopbackProvider.identity
            identity["providerId"] = "own"
            for (algorithm, status) in [("ES256", 200), ("RS256", 400)] {
                try await configure(["signatureAlgorithm": algorithm]).expectOK()
                var device = try TestDevice(client, .v3_3)
                #expect(try await device.activate(type: "DIRECT", identity: identity).status == status)
            }
            #expect(try await configure(["signatureAlgorithm": "none"]).code == "ERR0024")
        }
    }

    @Test(
        .verifies("security.md", "identity-tokens"),
        .verifies("size", "IdentityProviders.clockTolerance"), arguments: LoopbackProvider.Defect.allCases)
    func `A token that does not fit is refused`(defect: LoopbackProvider.Defect) async throws {
        let provider = try Self.provider(defect)
        try await Self.run(provider) { client in
            var device = try TestDevice(client, .v3_3)
            let answer = try await device.activate(type: "DIRECT", identity: LoopbackProvider.identity)
            #expect(answer.status == 400 && answer.code == "ERR_ACTIVATION")
        }
    }

    @Test(arguments: [LoopbackProvider.Defect.expired, .notYet, .future])
    func `A token is taken up to the last second that it allows`(time: LoopbackProvider.Defect) async throws {
        let provider = try Self.provider(time, miss: 0)
        try await Self.run(provider) { client in
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(type: "DIRECT", identity: LoopbackProvider.identity).status == 200)
        }
    }

    @Test(arguments: ["providerId", "codeVerifier", "nonce"])
    func `A device must send everything the provider requires`(attribute: String) async throws {
        let provider = try Self.provider()
        try await Self.run(provider) { client in
            var identity = LoopbackProvider.identity
            identity[attribute] = attribute == "providerId" ? "unknown" : nil
            var device = try TestDevice(client, .v3_3)
            let answer = try await device.activate(type: "DIRECT", identity: identity)
            #expect(answer.status == 400 && answer.code == "ERR_ACTIVATION")
        }
        #expect(provider.forms.isEmpty)
    }

    /// Holds the token requests of a provider until the test lets them go.
    private final class Gate: Sendable {
        private let arrivals = AsyncStream<Void>.makeStream()
        private let exits = AsyncStream<Void>.makeStream()

        @Sendable func pass() async {
            arrivals.continuation.yield()
            _ = await exits.stream.first { _ in true }
        }

        func arrival() async { _ = await arrivals.stream.first { _ in true } }

        func open() { exits.continuation.yield() }
    }

    private static func activationStatus(_ client: ServerClient) async throws -> Int {
        var device = try TestDevice(client, .v3_3)
        return try await device.activate(type: "DIRECT", identity: LoopbackProvider.identity).status
    }

    @Test(.verifies("security.md", "slow-targets"))
    func `During a provider call the only worker serves other requests, and waiting provider calls are limited`()
        async throws
    {
        let gate = Gate()
        let provider = try LoopbackProvider(pause: gate.pass) { TestClock().now().seconds }
        try await provider.serve { configuration in
            let fixture = try ServerFixture {
                $0.identityProviders = [configuration]
                $0.workerThreads = 1
                $0.limits.identityCalls = 1
            }
            try await fixture.run { client in
                // Made before: the server waits for a provider for 20 seconds only.
                var other = try await client.activeDevice()
                async let waiting = Self.activationStatus(client)
                await gate.arrival()
                #expect(try await other.validateSignature() == 200)
                #expect(try await Self.activationStatus(client) == 503)
                gate.open()
                #expect(try await waiting == 200)
                gate.open()
                #expect(try await Self.activationStatus(client) == 200)
            }
        }
    }

    @Test(.verifies("security.md", "identity-provider-hosts"))
    func `Providers that the back office has configured are asked at allowed hosts only`() async throws {
        let provider = try Self.provider()
        try await provider.serve { configuration in
            for (hosts, status) in [(["*.example.com"], 400), (["127.0.0.1"], 200)] {
                let fixture = try ServerFixture { $0.policy.callbacks.allowedHosts = hosts }
                try await fixture.run { client in
                    let own = try JSONSerialization.jsonObject(with: JSONEncoder().encode(configuration))
                    let body = try JSONSerialization.data(
                        withJSONObject: [
                            "requestObject": ["applicationId": "lab", "key": "oauth2_providers", "values": [own]]
                        ])
                    try await client.send("/rest/v3/application/config/create", body: body).expectOK()
                    #expect(try await Self.activationStatus(client) == status)
                }
            }
        }
        #expect(provider.forms.count == 1)
    }

    @Test func `An unreachable provider refuses the activation`() async throws {
        let fixture = try ServerFixture {
            $0.identityProviders = [LoopbackProvider.configuration(baseURL: "http://127.0.0.1:1")]
        }
        try await fixture.run { client in
            var device = try TestDevice(client, .v3_3)
            let answer = try await device.activate(type: "DIRECT", identity: LoopbackProvider.identity)
            #expect(answer.status == 400 && answer.code == "ERR_ACTIVATION")
        }
    }
}
