// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HTTPConnections
@testable import PowerAuthServer

/// When a connection ends, and whether this is announced to its client (RFC 9112, sections 9.3 and 9.6).
@Suite("Persistent and closed connections", .endsInTime)
struct ConnectionPersistenceTests {
    /// Runs a test against a server that listens; given the port.
    private func withServer(_ body: @escaping @Sendable (Int) throws -> Void) async throws {
        try await ServerFixture().listening(body)
    }

    private static func request(_ headers: String, version: String = "1.1") -> String {
        "GET /health HTTP/\(version)\r\nHost: localhost\r\n\(headers)\r\n"
    }

    /// The connection option of an answer; nil if it has none.
    private static func option(_ answer: String) -> String? {
        answer.firstMatch(of: /(?i)\r\nconnection: ([^\r]*)/).map { String($0.1) }
    }

    @Test(
        arguments: [
            "Connection: close\r\n", "Connection: Close\r\n", "connection: keep-alive, CLOSE\r\n",
            "Connection: close ,upgrade\r\n", "Connection: Upgrade\r\nConnection: close\r\n",
        ])
    func `A requested close is announced and happens`(headers: String) async throws {
        try await withServer { port in
            let connection = try RawConnection(port: port)
            // What comes after the last request of a connection is not looked at.
            try connection.send(Self.request(headers) + Self.request(""))
            let answers = try connection.readToEnd()
            #expect(answers.hasPrefix("HTTP/1.1 200 ") && Self.option(answers) == "close", "\(answers)")
            #expect(answers.matches(of: /HTTP\/1\.1/).count == 1, "\(answers)")
        }
    }

    @Test(arguments: ["", "Connection: keep-alive\r\n", "Connection: closed\r\n", "X-Connection: close\r\n"])
    func `Any other connection stays open`(headers: String) async throws {
        try await withServer { port in
            let connection = try RawConnection(port: port)
            for _ in 1...3 {
                try connection.send(Self.request(headers))
                let answer = try connection.readAnswer()
                #expect(answer.hasPrefix("HTTP/1.1 200 ") && Self.option(answer) == nil, "\(answer)")
            }
            try connection.send(Self.request("Connection: close\r\n"))
            #expect(Self.option(try connection.readToEnd()) == "close")
        }
    }

    @Test func `Requests that are sent together are answered in their order, the last one with the end`() async throws {
        try await withServer { port in
            let connection = try RawConnection(port: port)
            try connection.send(
                Self.request("") + Self.request("Connection: keep-alive\r\n") + Self.request("Connection: close\r\n"))
            let answers = try (1...3).map { _ in Self.option(try connection.readAnswer()) }
            #expect(answers == [nil, nil, "close"])
            #expect(try connection.readToEnd() == "")
        }
    }

    @Test func `A connection of HTTP/1.0 ends, unless its client asks for another request`() async throws {
        try await withServer { port in
            let connection = try RawConnection(port: port)
            try connection.send(Self.request("Connection: Keep-Alive\r\n", version: "1.0"))
            let first = try connection.readAnswer()
            #expect(first.contains(" 200 ") && Self.option(first) == "keep-alive", "\(first)")
            try connection.send(Self.request("", version: "1.0"))
            let last = try connection.readToEnd()
            #expect(last.contains(" 200 ") && Self.option(last) == "close", "\(last)")
        }
    }

    @Test func `A refusal also announces it`() async throws {
        try await withServer { port in
            for path in ["/nowhere", "/pa/v3/status"] {
                let connection = try RawConnection(port: port)
                try connection.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                let answer = try connection.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 40") && Self.option(answer) == "close", "\(answer)")
            }
        }
    }

    // MARK: Another protocol

    private static func post(_ headers: String, body: String) -> String {
        "POST /pa/v3/status HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(headers)\r\n\(body)"
    }

    @Test(
        arguments: ["h2c", "websocket", "TLS/1.2"],
        [
            "Connection: Upgrade\r\n", "connection: keep-alive ,\tupgrade \r\n", "Proxy-Connection: upgrade\r\n",
            "Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n",
        ])
    func `A request for another protocol is answered as any other, and so are those behind it`(
        name: String, option: String
    ) async throws {
        try await withServer { port in
            let wish = "Upgrade: \(name)\r\n\(option)"
            let requests = [
                Self.request(wish), Self.request(""), Self.post(wish + "Content-Length: 2\r\n", body: "{}"),
                Self.post(wish + "Transfer-Encoding: chunked\r\n", body: "2\r\n{}\r\n0\r\n\r\n"),
                Self.request(wish), Self.request(wish), Self.request(""),
            ]
            let connection = try RawConnection(port: port)
            func expectAnswer(_ situation: String) throws {
                let answer = try connection.readAnswer()
                #expect(answer.hasPrefix("HTTP/1.1 200 ") && Self.option(answer) == nil, "\(situation): \(answer)")
            }
            for request in requests {
                try connection.send(request)
                try expectAnswer("one after the other")
            }
            try connection.send(requests.joined())
            for _ in requests { try expectAnswer("all together") }
            for request in requests {
                // The decoder has read a part of the next request when the answer to this one leaves.
                try connection.send(Self.request(wish) + "GET /heal")
                try expectAnswer("before half a request")
                try connection.send("th HTTP/1.1\r\nHost: localhost\r\n\r\n" + request)
                for _ in 1...2 { try expectAnswer("after half a request") }
            }
            try connection.send(Self.request("Connection: close\r\n"))
            #expect(Self.option(try connection.readToEnd()) == "close")
        }
    }

    @Test(arguments: ["Upgrade: h2c\r\n", "Connection: upgrade\r\n", "Upgrade: h2c\r\nConnection: upgraded\r\n"])
    func `An incomplete request for another protocol is answered as any other`(headers: String) async throws {
        try await withServer { port in
            let connection = try RawConnection(port: port)
            try connection.send(Self.request(headers) + Self.request("Connection: close\r\n"))
            #expect(try connection.readToEnd().matches(of: /HTTP\/1\.1 200/).count == 2)
        }
    }

    @Test func `A request for a tunnel ends its connection at once`() async throws {
        try await withServer { port in
            let connection = try RawConnection(port: port)
            try connection.send("CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n" + Self.request(""))
            let answers = try connection.readToEnd()
            #expect(!answers.contains("HTTP/1.1 408 ") && !answers.contains("HTTP/1.1 200 "), "\(answers)")
        }
    }

    // MARK: Bodies that wait

    private static func waiting(
        for path: String = "/pa/v3/status", at host: String = "localhost", length: Int, version: String = "1.1"
    ) -> String {
        "POST \(path) HTTP/\(version)\r\nHost: \(host)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(length)\r\nExpect: 100-Continue\r\n\r\n"
    }

    @Test func `A client that waits to send its body is asked for it, and any other is not`() async throws {
        try await withServer { port in
            let connection = try RawConnection(port: port)
            func expectFinal() throws {
                let answer = try connection.readAnswer()
                #expect(answer.hasPrefix("HTTP/1.1 200 ") && Self.option(answer) == nil, "\(answer)")
            }
            func expectInterim() throws { #expect(try connection.readAnswer() == "HTTP/1.1 100 Continue\r\n\r\n") }
            for _ in 1...2 {
                try connection.send(Self.waiting(length: 2))
                try expectInterim()
                try connection.send("{}")
                try expectFinal()
            }
            try connection.send(Self.request("") + Self.waiting(length: 2))
            try expectFinal()
            try expectInterim()
            try connection.send("{}" + Self.request(""))
            for _ in 1...2 { try expectFinal() }
            // The first body has arrived already, and the second request has none.
            try connection.send(Self.waiting(length: 2) + "{}" + Self.request("Expect: 100-continue\r\n"))
            for _ in 1...2 { try expectFinal() }
            // A client of HTTP/1.0 does not know such an answer.
            try connection.send(Self.waiting(length: 2, version: "1.0"))
            try connection.send("{}")
            let last = try connection.readToEnd()
            #expect(last.contains(" 200 ") && !last.contains(" 100 "), "\(last)")
        }
    }

    @Test(
        arguments: [
            ("/rest/v3/status", "evil.example", 2, 421), ("/pa/v3/status", "localhost", 1_048_577, 413),
            ("/nowhere", "localhost", 2, 404),
        ])
    func `A client that is refused before its body is not asked for it, and the connection ends`(
        path: String, host: String, length: Int, status: Int
    ) async throws {
        try await withServer { port in
            let connection = try RawConnection(port: port)
            try connection.send(Self.waiting(for: path, at: host, length: length))
            let answers = try connection.readToEnd()
            #expect(answers.hasPrefix("HTTP/1.1 \(status) ") && Self.option(answers) == "close", "\(answers)")
            #expect(answers.matches(of: /HTTP\/1\.1/).count == 1, "\(answers)")
        }
    }
}
