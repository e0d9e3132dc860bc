// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import HummingbirdTLS
import LabControl
import LabCore
import Logging
import NIOCore
import NIOSSL
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

/// How callbacks show who they come from (server.md, section 16.1).
@Suite("Authentication of callbacks", .endsInTime)
struct CallbackAuthenticationTests {
    private static func callback(
        _ url: String, _ authentication: [String: any Sendable], _ extra: [String: any Sendable] = [:]
    ) -> [String: any Sendable] {
        [
            "applicationId": "lab", "name": "hook", "type": "ACTIVATION_STATUS_CHANGE", "callbackUrl": url,
            "attributes": [String](), "authentication": authentication, "maxAttempts": 3,
        ].merging(extra) { $1 }
    }

    /// Delivers what is due over the network.
    private func deliver(_ fixture: ServerFixture, tokens: AccessTokens = AccessTokens()) async throws {
        let context = fixture.server.services.context
        let delivery = CallbackDelivery(context: context, accessTokens: tokens)
        while try await delivery.deliverNext() {}
    }

    /// An authorisation server and the target behind it.
    private final class Gate: Sendable {
        private struct State {
            var issued = 0
            var forms: [String] = []
            var credentials: [String] = []
            var shown: [String] = []
        }

        private let state = Mutex(State())

        var forms: [String] { state.withLock { $0.forms } }
        var credentials: [String] { state.withLock { $0.credentials } }
        var shown: [String] { state.withLock { $0.shown } }

        /// - Parameters:
        ///   - lifetime: what a token promises, in seconds.
        ///   - accepts: which of the issued tokens the target lets in, counted from 1.
        func router(
            lifetime: String = "3600", accepts: @escaping @Sendable (Int) -> Bool = { _ in true }
        ) -> Router<BasicRequestContext> {
            let router = Router()
            router.post("/token") { request, _ in
                let form = try await request.body.collect(upTo: 10_000)
                let number = self.state.withLock { state in
                    state.forms.append(String(buffer: form))
                    state.credentials.append(request.headers[.authorization] ?? "")
                    state.issued += 1
                    return state.issued
                }
                let body = Data(
                    #"{"access_token":"token-\#(number)","token_type":"Bearer","expires_in":\#(lifetime)}"#.utf8)
                return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
            }
            router.post("/hook") { request, _ in
                let header = request.headers[.authorization] ?? ""
                self.state.withLock { $0.shown.append(header) }
                let number = header.hasPrefix("Bearer token-") ? Int(header.dropFirst(13)) : nil
                return Response(status: number.map(accepts) == true ? .ok : .unauthorized)
            }
            return router
        }
    }

    @Test func `OAuth 2.0 fetches a token once, and another one when it is no longer accepted`() async throws {
        let gate = Gate()
        try await serving(gate.router { $0 > 1 }) { (port: Int) async throws in
            let base = "http://127.0.0.1:\(port)"
            let fixture = try ServerFixture()
            try await fixture.run { client in
                let oauth2: [String: any Sendable] = [
                    "enabled": true, "tokenUri": base + "/token", "clientId": "lab", "clientSecret": "top-secret",
                    "scope": "callbacks write",
                ]
                let created = try await client.backOffice(
                    "application/callback/create", Self.callback(base + "/hook", ["oauth2": oauth2]))
                #expect(created.flag("authentication.oauth2.clientSecretSet") == true)
                #expect(!String(decoding: created.body, as: UTF8.self).contains("top-secret"))
                let tokens = AccessTokens()
                _ = try await client.initiate()
                try await deliver(fixture, tokens: tokens)
                client.clock.advance(milliseconds: 2_000)
                try await deliver(fixture, tokens: tokens)
                _ = try await client.initiate()
                try await deliver(fixture, tokens: tokens)
                #expect(gate.shown == ["Bearer token-1", "Bearer token-2", "Bearer token-2"])
                #expect(
                    gate.forms == Array(repeating: "grant_type=client_credentials&scope=callbacks%20write", count: 2))
                #expect(gate.credentials.first == "Basic " + Data("lab:top-secret".utf8).base64EncodedString())
            }
        }
    }

    @Test func `An access token that has expired is forgotten, also when its callback is gone`() async throws {
        let gate = Gate()
        try await serving(gate.router()) { (port: Int) async throws in
            let url = "http://127.0.0.1:\(port)/token"
            let start = ContinuousClock.now
            let hours = Mutex(0)
            let tokens = AccessTokens { start + .seconds(3600 * hours.withLock { $0 }) }
            func fetch(_ clientId: String) async throws -> String {
                let oauth2 = CallbackAuthentication.OAuth2(
                    enabled: true, tokenUri: url, clientId: clientId, clientSecret: "secret")
                return try await tokens.header(for: oauth2) { OutgoingRequest(url: $0) }
            }
            #expect(try await fetch("first") == "Bearer token-1")
            #expect(try await fetch("second") == "Bearer token-2")
            #expect(try await fetch("first") == "Bearer token-1")
            #expect(tokens.count == 2)
            hours.withLock { $0 = 2 }
            #expect(try await fetch("second") == "Bearer token-3")
            #expect(tokens.count == 1)
        }
    }

    @Test(
        .verifies("size", "AccessTokens.longestLifetime"),
        arguments: [("1e21", "Bearer token-1"), ("1e300", "Bearer token-1"), ("-1e21", "Bearer token-2")])
    func `An access token with any lifetime is kept for a day at most`(lifetime: String, shownAfterADay: String)
        async throws
    {
        try await serving(Gate().router(lifetime: lifetime)) { (port: Int) async throws in
            let url = "http://127.0.0.1:\(port)/token"
            let start = ContinuousClock.now
            let seconds = Mutex(0)
            let tokens = AccessTokens { start + .seconds(seconds.withLock { $0 }) }
            func fetch() async throws -> String {
                let oauth2 = CallbackAuthentication.OAuth2(
                    enabled: true, tokenUri: url, clientId: "lab", clientSecret: "secret")
                return try await tokens.header(for: oauth2) { OutgoingRequest(url: $0) }
            }
            #expect(try await fetch() == "Bearer token-1")
            seconds.withLock { $0 = 86_399 }
            #expect(try await fetch() == shownAfterADay)
            seconds.withLock { $0 = 86_400 }
            #expect(try await fetch() != "Bearer token-1")
        }
    }

    @Test(.verifies("security.md", "key-store-folder"))
    func `A client certificate opens a target that demands one, if it is in the folder of key stores`() async throws {
        let files = try TemporaryDirectory()
        let directory = files.path + "/stores"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let fixture = try ServerFixture { $0.policy.callbacks.keyStores = directory }
        let certificates = try LabCertificates(directory: directory + "/tls", now: Self.realNow)
        let (chain, key) = try certificates.serverCertificate(.valid, now: Self.realNow)
        let store = directory + "/client.pem"
        try (chain.joined() + PEM.text(key)).write(toFile: store, atomically: true, encoding: .utf8)
        var tls = try certificates.configuration(.valid, now: Self.realNow)
        tls.certificateVerification = .noHostnameVerification
        tls.trustRoots = .file(certificates.authorityPath)
        let router = Router()
        router.post("/hook") { _, _ in HTTPResponse.Status.ok }
        try await serving(router, over: .tls(tlsConfiguration: tls)) { (port: Int) async throws in
            let client = try fixture.client()
            func outcome(_ certificate: [String: any Sendable]) async throws -> Answer {
                let created = try await client.backOffice(
                    "application/callback/create",
                    Self.callback("https://127.0.0.1:\(port)/hook", ["certificate": certificate], ["maxAttempts": 1]))
                let id = try created.required("id")
                _ = try await client.initiate()
                try await deliver(fixture)
                let log = try await client.backOffice("application/callback/deliveries", ["id": id])
                _ = try await client.backOffice("application/callback/remove", ["id": id])
                return log
            }
            let trust: [String: any Sendable] = [
                "enabled": true, "useCustomTrustStore": true, "trustStoreLocation": certificates.authorityPath,
            ]
            let known = trust.merging(["useCustomKeyStore": true, "keyStoreLocation": "file://" + store]) { $1 }
            #expect(try await outcome(known).number("attempts.0.httpStatus") == 200)
            #expect(try await outcome(trust).isNull("attempts.0.httpStatus"))
            let relative = known.merging(["keyStoreLocation": "client.pem"]) { $1 }
            #expect(try await outcome(relative).number("attempts.0.httpStatus") == 200)
            // A valid store outside of the folder, links to it, a file that is not a store and a missing file give the
            // same error.
            let outside = files.path + "/client.pem"
            try FileManager.default.copyItem(atPath: store, toPath: outside)
            try FileManager.default.createSymbolicLink(atPath: directory + "/link.pem", withDestinationPath: outside)
            try FileManager.default.createSymbolicLink(atPath: directory + "/up", withDestinationPath: files.path)
            try Data("text".utf8).write(to: URL(filePath: directory + "/text.pem"))
            for location in [
                outside, "../client.pem", "file://" + outside, "link.pem", "up/client.pem", "text.pem", "nowhere.pem",
                "/etc/passwd", "/nowhere", directory, directory + "x/client.pem",
            ] {
                let log = try await outcome(known.merging(["keyStoreLocation": location]) { $1 })
                #expect(
                    log.text("attempts.0.failure") == """
                        \(location) cannot be used: it must be a PEM file in the server's folder of key stores, and a \
                        private key in it must open with the password
                        """)
            }
        }
    }

    @Test func `An incomplete authentication is refused`() async throws {
        try await ServerFixture.run { (client: ServerClient) async throws in
            for (way, values, missing) in [
                ("httpBasic", ["enabled": true], "username"), ("oauth2", ["enabled": true], "tokenUri"),
                ("oauth2", ["enabled": true, "tokenUri": "https://a.example", "clientId": "x"], "clientSecret"),
                ("certificate", ["enabled": true, "useCustomKeyStore": true], "keyStoreLocation"),
                ("certificate", ["enabled": true, "useCustomTrustStore": true], "trustStoreLocation"),
            ] as [(String, [String: any Sendable], String)] {
                let refused = try await client.backOffice(
                    "application/callback/create", Self.callback("http://127.0.0.1:1/", [way: values]))
                #expect(refused.code == "ERR0024")
                #expect(refused.text("message")?.contains("\(way).\(missing)") == true)
            }
        }
    }

    /// TLS looks at the machine's clock.
    private static var realNow: ServerTime { ServerTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}
