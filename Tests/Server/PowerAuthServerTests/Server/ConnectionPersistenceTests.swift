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
}
