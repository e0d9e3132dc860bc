// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import PowerAuthServer

/// Requests refused to a web page in a browser on the server's machine.
@Suite("Requests of browsers", .endsInTime)
struct BrowserGuardTests {
    private static func refusal(
        host: String?, origin: String? = nil, face: APISurface = .backOffice, names: [String] = [],
        arrivedAt address: String? = "127.0.0.1"
    ) -> ErrorResponse? {
        var request = HTTPRequest(method: .post, scheme: "http", authority: host, path: "/rest/v3/status")
        request.headerFields[.origin] = origin
        return BrowserGuard(hostNames: names).refusal(of: request, on: face, at: address)
    }

    @Test(
        arguments: [
            "localhost", "LOCALHOST:8080", "localhost.:8080", "bank.localhost:1", "127.0.0.1:8080", "127.8.8.8",
            "[::1]:8080", "[::1]", "[0:0:0:0:0:0:0:1]", "10.0.2.2:8080",
        ])
    func `All names of loopback are accepted`(host: String) {
        #expect(Self.refusal(host: host) == nil)
    }

    @Test(
        .verifies("security.md", "dns-rebinding"),
        arguments: [
            "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "0.0.0.0:8080",
            "[::]:8080", "192.168.1.5", "localhost@evil.example", "127.1", "2130706433", "[localhost]", "[::1]x", "",
            ":8080", "a:b:c", nil,
        ])
    func `A foreign name that resolves to this machine is refused (DNS rebinding)`(host: String?) {
        #expect(Self.refusal(host: host) == .misdirected)
        #expect(Self.refusal(host: host, face: .lab) == .misdirected)
        // Devices authenticate with every request, and may use any name of the server in their network.
        #expect(Self.refusal(host: host, origin: "http://evil.example", face: .device) == nil)
        #expect(Self.refusal(host: host, face: .mobileToken) == nil)
    }

    @Test func `The configured names and the local address of the connection are accepted`() {
        #expect(Self.refusal(host: "lab.bank.example:8080", names: ["Lab.Bank.example"]) == nil)
        #expect(Self.refusal(host: "other.bank.example", names: ["lab.bank.example"]) == .misdirected)
        #expect(Self.refusal(host: "0.0.0.0:8080", names: ["0.0.0.0"]) == .misdirected)
        #expect(Self.refusal(host: "192.168.1.5:8080", arrivedAt: "192.168.1.5") == nil)
        #expect(Self.refusal(host: "192.168.1.5:8080", arrivedAt: "::ffff:192.168.1.5") == nil)
        #expect(Self.refusal(host: "192.168.1.6:8080", arrivedAt: "192.168.1.5") == .misdirected)
        #expect(Self.refusal(host: "[fd00::5]:8080", arrivedAt: "fd00:0::5") == nil)
    }

    @Test(
        .verifies("security.md", "other-origins"),
        arguments: [
            "http://evil.example", "null", "", "http://localhost", "http://localhost:8081", "http://127.0.0.1:8080",
            "http://localhost:8080.evil.example", "localhost:8080", "http://localhost:8080/",
        ])
    func `A page of another origin is refused, in every form of the header`(origin: String) {
        #expect(Self.refusal(host: "localhost:8080", origin: origin) == .foreignOrigin)
        #expect(Self.refusal(host: "localhost:8080", origin: origin, face: .lab) == .foreignOrigin)
    }

    @Test func `A page of the server's own may call, also through a proxy that adds TLS`() {
        #expect(Self.refusal(host: "localhost:8080", origin: "http://localhost:8080") == nil)
        #expect(Self.refusal(host: "LocalHost:8080", origin: "https://LOCALHOST:8080") == nil)
    }

    @Test(.verifies("security.md", "forms"))
    func `Neither a form nor a request of a page creates an integration, and both receive the reason`() async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        try await fixture.run { client in
            let body = Data(#"{"requestObject":{"name":"evil"}}"#.utf8)
            func post(_ path: String, _ headers: [String: String], _ body: Data) async throws -> Answer {
                try await client.send(path, headers: headers, body: body)
            }
            for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
                let refused = try await post("/rest/v3/integration/create", ["Content-Type": type], body)
                #expect(refused.status == 415 && refused.text("message")?.contains("application/json") == true)
                #expect(try await post("/lab/payments", ["Content-Type": type], Data("{}".utf8)).status == 415)
            }
            let foreign = try await post("/rest/v3/integration/create", ["Origin": "http://evil.example"], body)
            #expect(foreign.status == 403 && foreign.envelopeStatus == "ERROR")
            // Without a body a page needs no media type.
            let restored = try await post("/lab/snapshots/x/restore", ["Origin": "null"], Data())
            #expect(restored.status == 403)
            let list = try await client.backOffice("integration/list")
            #expect((list.value("items") as? [Any])?.isEmpty == true, "\(String(decoding: list.body, as: UTF8.self))")
            #expect(fixture.journal.events.contains { $0.event.isRefusal(of: "/rest/v3/integration/create") })
        }
    }

    @Test func `Over the network a body needs a media type, and a request a host`() async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        try await fixture.listening { port in
            func status(_ path: String, _ headers: String, _ body: String = "") throws -> String {
                let connection = try RawConnection(port: port)
                try connection.send(
                    "POST \(path) HTTP/1.1\r\n\(headers)Content-Length: \(body.utf8.count)\r\n"
                        + "Connection: close\r\n\r\n\(body)")
                return String(try connection.readToEnd().dropFirst("HTTP/1.1 ".count).prefix(3))
            }
            let (own, json) = ("Host: localhost:\(port)\r\n", "Content-Type: application/json\r\n")
            let name = #"{"requestObject":{"name":"tools"}}"#
            let create = "/rest/v3/integration/create"
            let statuses = try [
                status(create, own, name), status("/lab/payments", own, "{}"),
                status(create, "Host: evil.example\r\n" + json, name),
                status(create, own + json + "Origin: http://localhost\r\n", name),
            ]
            #expect(statuses == ["415", "415", "421", "403"])
            let admitted = try [
                status(create, own + json, name), status("/rest/v3/status", own),
                status("/pa/v3/status", "Host: evil.example\r\n", "{}"),
            ]
            #expect(admitted == ["200", "200", "200"])
        }
    }
}

extension ServerEvent {
    fileprivate func isRefusal(of path: String) -> Bool {
        // Not a code in place of the path, or the other way round.
        if case .requestRefused(path, let code, _) = self { code.wholeMatch(of: /[A-Z_0-9]+/) != nil } else { false }
    }
}
