// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import TestSupport
import Testing

@testable import PowerAuthServer

/// What two readers could understand differently is refused, before anything is done.
@Suite("Ambiguous requests", .endsInTime)
struct AmbiguousRequestTests {
    @Test(.verifies("security.md", "two-hosts"))
    func `A request for two hosts, for none, or for another than its target's is answered with 400`() async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        try await fixture.listening { port in
            func status(_ target: String, _ headers: String...) throws -> String {
                let connection = try RawConnection(port: port)
                try connection.send(
                    "POST \(target) HTTP/1.1\r\n\(headers.map { $0 + "\r\n" }.joined())Content-Length: 2\r\n"
                        + "Content-Type: application/json\r\nConnection: close\r\n\r\n{}")
                return String(try connection.readToEnd().dropFirst("HTTP/1.1 ".count).prefix(3))
            }
            let own = "Host: localhost:\(port)"
            for path in ["/pa/v3/status", "/rest/v3/status"] {
                let refused = try [
                    status(path, own, "Host: evil.example"), status(path, "Host: evil.example", own),
                    status(path, own, own), status(path), status("http://evil.example\(path)", own),
                    status("http://localhost:1\(path)", own), status("http://user@localhost:\(port)\(path)", own),
                ]
                #expect(refused == Array(repeating: "400", count: 7), "\(path)")
                let admitted = try [status(path, own), status("http://LOCALHOST:\(port)\(path)", own)]
                #expect(admitted == ["200", "200"], "\(path)")
            }
        }
    }

    @Test(.verifies("security.md", "strict-json"))
    func `JSON with a comma behind its last element, or with a NUL in a text, is no JSON`() async throws {
        for text in [
            #"{"a":1,}"#, #"{"a":[1,2, ]}"#, "[1,\n]", #"{"a":"x\u0000"}"#, #"{"a\u0000":1}"#, "{\"a\":\"\0\"}",
        ] {
            #expect(throws: DecodingError.self, "\(text)") { try JSONText.check(Data(text.utf8)) }
        }
        for text in [
            #"{"a":",}"}"#, #"["\\u0000", "\",]"]"#, #"{"a":[],"b":{}}"#, "", #"""#, #""\"#,
            #"{"a":"\u00001"#.replacing("u0000", with: "u0001"),
        ] {
            #expect(throws: Never.self, "\(text)") { try JSONText.check(Data(text.utf8)) }
        }
        try await ServerFixture.run { client in
            for body in [
                #"{"requestObject":{"applicationId":"lab",}}"#, #"{"requestObject":{"applicationId":"lab"},}"#,
            ] {
                let answer = try await client.send("/rest/v3/application/detail", body: Data(body.utf8))
                #expect(answer.status == 400 && answer.code == "ERROR_HTTP_REQUEST", "\(body)")
            }
            let device = try await client.send(
                "/pa/v3/activation/status", body: Data(#"{"requestObject":{"activationId":"x",}}"#.utf8))
            #expect(device.status == 400)
        }
    }

    @Test(
        .verifies("security.md", "two-readings-of-a-url"),
        arguments: [
            "http://localhost%00.evil.example/", "http://localhost%2eevil.example/", "http://localhost%00/",
            "http://localhost@evil.example/", "http://evil.example\\@localhost/", "http://localhost\u{1}/", "localhost",
            "",
        ])
    func `A URL whose host two readers would read differently is not called`(url: String) {
        var policy = CallbackPolicy()
        policy.allowedHosts = ["localhost", "localhost*"]
        #expect(!policy.allows(url))
        #expect(policy.allows("http://localhost/x%00?y=%00"))
        #expect(policy.allows("https://LOCALHOST:8443"))
    }

    @Test(.verifies("security.md", "old-tls"))
    func `A client of TLS 1.1 or older gets no connection, one of TLS 1.2 does`() async throws {
        let fixture = try ServerFixture { $0.certificate = .valid }
        try await fixture.listening { (port: Int) throws in
            func connects(_ version: TLSVersion) throws -> Bool {
                var configuration = TLSConfiguration.makeClientConfiguration()
                configuration.certificateVerification = .none
                configuration.minimumTLSVersion = version
                configuration.maximumTLSVersion = version
                let context = try NIOSSLContext(configuration: configuration)
                let group = MultiThreadedEventLoopGroup.singleton
                let isConnected = group.next().makePromise(of: Bool.self)
                _ = try ClientBootstrap(group: group).channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers(
                            NIOSSLClientHandler(context: context, serverHostname: nil), Handshake(isConnected))
                    }
                }.connect(host: "127.0.0.1", port: port).wait()
                return try isConnected.futureResult.wait()
            }
            for old in [TLSVersion.tlsv1, .tlsv11] { #expect(try !connects(old)) }
            for present in [TLSVersion.tlsv12, .tlsv13] { #expect(try connects(present)) }
        }
    }
}

/// Reports whether a TLS handshake succeeds, and closes the connection.
private final class Handshake: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let isConnected: EventLoopPromise<Bool>

    init(_ isConnected: EventLoopPromise<Bool>) { self.isConnected = isConnected }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { isConnected.succeed(true) }
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    // A second answer to a promise has no effect.
    func channelInactive(context: ChannelHandlerContext) { isConnected.succeed(false) }
}
