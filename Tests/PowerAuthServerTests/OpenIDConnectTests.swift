import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LabKit
import Logging
import NIOCore
import PowerAuthProtocol
import Synchronization
import Testing

@testable import PowerAuthServer

@Suite struct OpenIDConnectTests {
    @Test func `a sign-in at the provider activates at once, for its subject`() async throws {
        let provider = try LoopbackProvider()
        try await provider.run { client in
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

    @Test func `an RSA key of the provider signs as well`() async throws {
        let provider = try LoopbackProvider(rsaToken: LoopbackProvider.rsaToken)
        try await provider.run { client in
            var device = try TestDevice(client, .v3_3)
            let answer = try await device.activate(type: "DIRECT", identity: LoopbackProvider.identity)
            #expect(answer.status == 200)
            #expect(try await client.activationStatus(device.activationId).text("userId") == "subject-1")
        }
        let forged = try LoopbackProvider(rsaToken: LoopbackProvider.rsaToken.replacing(/\.d/, with: ".e"))
        try await forged.run { client in
            var device = try TestDevice(client, .v3_3)
            #expect(
                try await device.activate(type: "DIRECT", identity: LoopbackProvider.identity).code
                    == "ERR_ACTIVATION")
        }
    }

    @Test func `an application has providers of its own, which decide about the algorithm`() async throws {
        let provider = try LoopbackProvider()
        try await provider.run { client in
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

    @Test(arguments: LoopbackProvider.Defect.allCases)
    func `a token that does not fit is refused`(defect: LoopbackProvider.Defect) async throws {
        let provider = try LoopbackProvider(defect)
        try await provider.run { client in
            var device = try TestDevice(client, .v3_3)
            let answer = try await device.activate(type: "DIRECT", identity: LoopbackProvider.identity)
            #expect(answer.status == 400 && answer.code == "ERR_ACTIVATION")
        }
    }

    @Test(arguments: ["providerId", "codeVerifier", "nonce"])
    func `a device must say everything the provider wants`(attribute: String) async throws {
        let provider = try LoopbackProvider()
        try await provider.run { client in
            var identity = LoopbackProvider.identity
            identity[attribute] = attribute == "providerId" ? "nobody" : nil
            var device = try TestDevice(client, .v3_3)
            let answer = try await device.activate(type: "DIRECT", identity: identity)
            #expect(answer.status == 400 && answer.code == "ERR_ACTIVATION")
        }
        #expect(provider.forms.isEmpty)
    }

    @Test func `a provider that is not there refuses the activation`() async throws {
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

/// An OpenID Connect provider on loopback that lets one user in.
final class LoopbackProvider: Sendable {
    /// What is wrong with its tokens.
    enum Defect: CaseIterable, Sendable {
        case nonce, issuer, audience, expired, signature, accessToken, noSubject, refusal
    }

    static let identity = [
        "method": "oidc", "providerId": "loop", "code": "granted", "nonce": "n-1", "codeVerifier": "verifier",
    ]

    static func configuration(baseURL: String) -> IdentityProvider {
        IdentityProvider(
            providerId: "loop", clientId: "lab", clientSecret: "secret", issuerUri: "https://issuer.example",
            redirectUri: "https://lab.example/callback", tokenUri: baseURL + "/token", jwkSetUri: baseURL + "/jwks",
            pkceEnabled: true)
    }

    private let defect: Defect?
    /// Signed elsewhere, with the private half of ``rsaModulus``; nil lets the provider sign with its own key.
    private let rsaToken: String?
    private let listening = Mutex<Int?>(nil)
    private let key: PrivateKey

    /// Where it listens while a test runs.
    var port: Int? { listening.withLock { $0 } }
    private let received = Mutex<[String]>([])
    private let clock = TestClock()

    /// The bodies of the token requests so far.
    var forms: [String] { received.withLock { $0 } }

    init(_ defect: Defect? = nil, rsaToken: String? = nil) throws {
        self.defect = defect
        self.rsaToken = rsaToken
        key = try PrivateKey.generate()
    }

    /// Runs a test against a server that knows the provider.
    func run(_ body: @escaping @Sendable (ServerClient) async throws -> Void) async throws {
        let router = Router()
        router.post("/token") { request, _ in
            let form = try await request.body.collect(upTo: 10_000)
            self.received.withLock { $0.append(String(buffer: form)) }
            let isKnown = request.headers[.authorization] == "Basic bGFiOnNlY3JldA=="
            return self.defect == .refusal || !isKnown
                ? Self.json([:], status: .badRequest) : Self.json(try self.tokens())
        }
        router.get("/jwks") { _, _ in Self.json(["keys": [["kty": "RSA"], Self.rsaKey, try self.jwk()]]) }
        let application = Application(router: router, logger: Logger(label: "tests"))
        try await application.test(.live) { provider in
            let port = try #require(provider.port)
            self.listening.withLock { $0 = port }
            let fixture = try ServerFixture(clock: self.clock) {
                $0.identityProviders = [Self.configuration(baseURL: "http://127.0.0.1:\(port)")]
            }
            try await fixture.run(body)
        }
    }

    private func jwk() throws -> JSONValue {
        let point = (defect == .signature ? try PrivateKey.generate() : key).publicKey.uncompressed
        return [
            "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(Data(point[1..<33]))),
            "y": .string(Base64URL.encode(Data(point[33...]))),
        ]
    }

    private func tokens() throws -> JSONValue {
        let access = "access-token"
        let hash = Base64URL.encode(Digest.sha256(Data((defect == .accessToken ? "other" : access).utf8)).prefix(16))
        let end = clock.now().seconds + (defect == .expired ? -1 : 60)
        let claims: JSONValue = [
            "sub": .string(defect == .noSubject ? "" : "subject-1"),
            "iss": .string(defect == .issuer ? "https://other.example" : "https://issuer.example"),
            "aud": [.string(defect == .audience ? "other" : "lab")], "exp": .integer(end),
            "nonce": .string(defect == .nonce ? "n-2" : "n-1"), "at_hash": .string(hash),
        ]
        return [
            "access_token": .string(access),
            "id_token": .string(try rsaToken ?? JWT.signed(claims: claims.encoded(), key: key)),
        ]
    }

    private static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.encoded())))
    }
}
