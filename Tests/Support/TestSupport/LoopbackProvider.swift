// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
public import LabCore
import NIOCore
import PowerAuthProtocol
public import PowerAuthServer
import Synchronization

/// An OpenID Connect provider on loopback that lets one user in.
public final class LoopbackProvider: Sendable {
    /// The error in its tokens.
    public enum Defect: CaseIterable, Sendable {
        case nonce, issuer, audience, expired, signature, accessToken, noSubject, refusal
        /// Issued to another client; for several clients without an authorized party; not valid yet; issued in the
        /// future, or without time; for a subject that no row can have.
        case otherParty, severalClients, notYet, future, timeless, controlCharacter
    }

    /// The identity attributes that an app sends to be activated by this provider.
    public static let identity = [
        "method": "oidc", "providerId": "loop", "code": "granted", "nonce": "n-1", "codeVerifier": "verifier",
    ]

    /// The server's configuration of a provider at an address.
    public static func configuration(baseURL: String) -> IdentityProvider {
        IdentityProvider(
            providerId: "loop", clientId: "lab", clientSecret: "secret", issuerUri: "https://issuer.example",
            redirectUri: "https://lab.example/callback", tokenUri: baseURL + "/token", jwkSetUri: baseURL + "/jwks",
            pkceEnabled: true)
    }

    private let defect: Defect?
    /// Awaited before a token request is answered.
    private let pause: @Sendable () async -> Void
    /// Signed elsewhere, with the private half of ``rsaModulus``; nil lets the provider sign with its own key.
    private let rsaToken: String?
    private let listening = Mutex<Int?>(nil)
    private let key: PrivateKey

    /// Where it listens while a test runs.
    public var port: Int? { listening.withLock { $0 } }
    private let received = Mutex<[String]>([])
    /// Seconds by which a wrong time misses what a server allows.
    private let miss: Int64
    /// The time of its tokens, in seconds of Unix time.
    private let now: @Sendable () -> Int64

    /// The bodies of the token requests so far.
    public var forms: [String] { received.withLock { $0 } }

    /// A provider that does not listen yet.
    ///
    /// - Parameters:
    ///   - defect: what is wrong with its tokens; nil for a good provider.
    ///   - rsaToken: the token that it hands out; nil lets it sign one.
    ///   - pause: what a token request waits for before it is answered.
    ///   - miss: seconds by which a wrong time misses what a server allows: with 0 it is allowed just so.
    ///   - now: the time of its tokens, in seconds of Unix time.
    public init(
        _ defect: Defect? = nil, rsaToken: String? = nil, miss: Int64 = 1,
        pause: @escaping @Sendable () async -> Void = {},
        now: @escaping @Sendable () -> Int64
    ) throws {
        self.defect = defect
        self.pause = pause
        self.miss = miss
        self.now = now
        self.rsaToken = rsaToken
        key = try PrivateKey.generate()
    }

    /// Listens while a test runs, which gets what a server needs to know of the provider.
    public func serve(_ body: @escaping @Sendable (IdentityProvider) async throws -> Void) async throws {
        let router = Router()
        router.post("/token") { request, _ in
            let form = try await request.body.collect(upTo: 10_000)
            self.received.withLock { $0.append(String(buffer: form)) }
            await self.pause()
            let isKnown = request.headers[.authorization] == "Basic bGFiOnNlY3JldA=="
            return self.defect == .refusal || !isKnown
                ? Self.json([:], status: .badRequest) : Self.json(try self.tokens())
        }
        router.get("/jwks") { _, _ in Self.json(["keys": [["kty": "RSA"], Self.rsaKey, try self.jwk()]]) }
        try await serving(router) { port in
            self.listening.withLock { $0 = port }
            try await body(Self.configuration(baseURL: "http://127.0.0.1:\(port)"))
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
        let end = now() + (defect == .expired ? 1 - miss : 3_600)
        let subject = defect == .controlCharacter ? "subject-1\u{0}a" : "subject-1"
        var claims: [String: JSONValue] = [
            "sub": .string(defect == .noSubject ? "" : subject),
            "iss": .string(defect == .issuer ? "https://other.example" : "https://issuer.example"),
            "aud": .array(
                [.string(defect == .audience ? "other" : "lab")] + (defect == .severalClients ? ["another"] : [])),
            "exp": .integer(end), "iat": .integer(now() + (defect == .future ? 60 + miss : 0)), "nbf": .integer(now()),
            "nonce": .string(defect == .nonce ? "n-2" : "n-1"), "at_hash": .string(hash),
        ]
        switch defect {
        case .otherParty: claims["azp"] = "other"
        case .notYet: claims["nbf"] = .integer(now() + 60 + miss)
        case .timeless: claims["iat"] = nil
        default: break
        }
        return [
            "access_token": .string(access),
            "id_token": .string(try rsaToken ?? JWT.signed(claims: JSONValue.object(claims).encoded(), key: key)),
        ]
    }

    private static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.encoded())))
    }
}

/// A token that an RSA key signed, with claims that fit the clock of the server's own tests; the tests' own code cannot
/// sign with RSA.
extension LoopbackProvider {
    /// The public half of the key, as the provider publishes it.
    public static let rsaKey: JSONValue = [
        "kty": "RSA", "kid": "rsa-1", "use": "sig", "e": "AQAB", "n": .string(rsaModulus),
    ]

    private static let rsaModulus = """
        rN1TyVTEM1vemzbcrEhuc2i6YP7-N-2ANyl4zeW9Bv5B_mq7GSDmDTGX17HmiSK2_C4x0nRBDMGb3pZTNqddGvxUD5lkQfRJwXxw\
        MQ3Y798Yu5cQg6XkmHs4y0ar3udjMgtnbMVe8m-5E6hL3AjiYQLPTpDL7CO7iEIl-Yju1cUET6lbcKXefskzY_41tuwtlcsJfMkh\
        VZ3U50M_Wrp3viMcBKnF2Nz5vWxodDoYP7nAkQFcREw1UVQ5nSim1gLmOGkXi-KCUClK58pNzv54RuJ_1WaJpu-3XoTbrQbZhPKO\
        h7xBnNA21zPP_aY6hwSHnq7DIV4h1qRckQ0XCabEYw
        """

    /// The token.
    public static let rsaToken = """
        eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYS0xIn0.eyJhdF9oYXNoIjoiUHhhLTF3aWZSbFBsN3lHXzBvSk5mdyIsImF1ZCI6WyJs\
        YWIiXSwiZXhwIjoxNzI4MzgwMDYwLCJpYXQiOjE3MjgzODAwMDAsImlzcyI6Imh0dHBzOi8vaXNzdWVyLmV4YW1wbGUiLCJub25j\
        ZSI6Im4tMSIsInN1YiI6InN1YmplY3QtMSJ9.QKtL3AuDCf_YqhJKwsIOpE-GYn7JQuifHx8BOXgj5BlmixiY_MMJdI2ScqE216I\
        T_8DECUiHX5-ZJyupgUmm8mejDlDoYAYPcDAye9BsfJYIoJeparbsuy-8dFfue39gkrcWfPSr1YSdgOAOSfHSbi8qBJ5-WMxfX6k\
        D_ig21CVdAAeio5Vpp-jq-t6KBGXWblG_Pf9qTD2UTFavJMkh6D4fUdZz8h5AdnJcE2odVAaJcxV104Eet6iRUVtNKp7cBtPwyPx\
        XYqwfKo6OObCFIzyfDHyv4Jk9Mf47ho23PQGHRx5cTL3FgFhjf8emFORfbcKM9hoFyFVRCX7gNzaYKg
        """

    /// The same with another first character of its signature.
    public static var forgedRSAToken: String {
        var parts = rsaToken.split(separator: ".").map(String.init)
        parts[2] = (parts[2].hasPrefix("A") ? "B" : "A") + parts[2].dropFirst()
        return parts.joined(separator: ".")
    }
}
