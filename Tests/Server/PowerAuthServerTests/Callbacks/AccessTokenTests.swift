// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

/// The access tokens that callbacks are called with (RFC 6749, section 4.4).
@Suite("Access tokens of callbacks", .endsInTime)
struct AccessTokenTests {
    /// An authorisation server that numbers its tokens.
    private final class Issuer: Sendable {
        private let issued = Mutex(0)

        func router() -> Router<BasicRequestContext> {
            let router = Router()
            router.post("/token") { _, _ in
                let number = self.issued.withLock { issued in
                    issued += 1
                    return issued
                }
                let body = #"{"access_token":"token-\#(number)","expires_in":3600}"#
                return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
            }
            router.post("/refusal") { _, _ in
                let body = #"{"access_token":"token","expires_in":3600}"#
                return Response(status: .accepted, body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
            }
            router.post("/nothing") { _, _ in
                Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"expires_in":3600}"#)))
            }
            return router
        }
    }

    private static func oauth2(
        _ url: String, client: String = "client", secret: String = "secret", scope: String? = nil
    ) -> CallbackAuthentication.OAuth2 {
        .init(enabled: true, tokenUri: url, clientId: client, clientSecret: secret, scope: scope)
    }

    /// Runs a test with the address of an issuer.
    private func withIssuer(_ body: @escaping @Sendable (_ base: String) async throws -> Void) async throws {
        try await serving(Issuer().router()) { (port: Int) async throws in
            try await body("http://127.0.0.1:\(port)")
        }
    }

    @Test func `A token is fetched anew ten seconds before its end`() async throws {
        try await withIssuer { (base: String) async throws in
            let start = ContinuousClock.now
            let seconds = Mutex(0)
            let tokens = AccessTokens { start + .seconds(seconds.withLock { $0 }) }
            func fetch() async throws -> String {
                try await tokens.header(for: Self.oauth2(base + "/token")) { OutgoingRequest(url: $0) }
            }
            #expect(try await fetch() == "Bearer token-1")
            seconds.withLock { $0 = 3_589 }
            #expect(try await fetch() == "Bearer token-1")
            seconds.withLock { $0 = 3_590 }
            #expect(try await fetch() == "Bearer token-2")
        }
    }

    @Test
    func `Another client, secret or scope has another token, and those of one client at one address are forgotten`()
        async throws
    {
        try await withIssuer { (base: String) async throws in
            let tokens = AccessTokens()
            let url = base + "/token"
            let all = [
                Self.oauth2(url), Self.oauth2(url, secret: "other"), Self.oauth2(url, scope: "read"),
                Self.oauth2(url, client: "other"), Self.oauth2(url + "?other"),
            ]
            func fetch() async throws -> [String] {
                var headers: [String] = []
                for oauth2 in all {
                    headers.append(try await tokens.header(for: oauth2) { OutgoingRequest(url: $0) })
                }
                return headers
            }
            let first = ["Bearer token-1", "Bearer token-2", "Bearer token-3", "Bearer token-4", "Bearer token-5"]
            #expect(try await fetch() == first)
            #expect(try await fetch() == first && tokens.count == 5)
            // A blank scope is none.
            let blank = Self.oauth2(url, scope: " ")
            #expect(try await tokens.header(for: blank) { OutgoingRequest(url: $0) } == first[0])
            tokens.forget(all[0])
            #expect(tokens.count == 2)
            let second = ["Bearer token-6", "Bearer token-7", "Bearer token-8", "Bearer token-4", "Bearer token-5"]
            #expect(try await fetch() == second)
        }
    }

    @Test func `An answer that is no success, or has no token, is a failure that names the address`() async throws {
        try await withIssuer { (base: String) async throws in
            let tokens = AccessTokens()
            for (path, status) in [("/refusal", 202), ("/nothing", 200)] {
                let failure = await #expect(throws: OutgoingRequest.Failure.self) {
                    try await tokens.header(for: Self.oauth2(base + path)) { OutgoingRequest(url: $0) }
                }
                #expect(failure?.description == "\(base + path) answered \(status) and no access token")
            }
            #expect(tokens.count == 0)
        }
    }
}
