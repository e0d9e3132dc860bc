// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import HTTPConnections
@testable import PowerAuthServer

/// What clients cannot take of a server, over the network.
@Suite("Limits of connections and requests", .endsInTime)
struct ConnectionLimitTests {
    private static let health = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test(.verifies("security.md", "slow-requests"))
    func `Three hundred incomplete headers do not block other clients`() async throws {
        let fixture = try ServerFixture { $0.limits.headerTimeout = 3_600_000 }
        try await fixture.listening { port in
            let slow = try Self.halves(port)
            let other = try RawConnection(port: port)
            try other.send(Self.health)
            let answer = try other.readAnswer()
            #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
            withExtendedLifetime(slow) {}
        }
    }

    /// A server of its own: its time for headers is so short that a busy machine may need longer to send a whole one.
    @Test(.verifies("security.md", "slow-requests"))
    func `Three hundred incomplete headers are closed after the time for headers`() async throws {
        let fixture = try ServerFixture { $0.limits.headerTimeout = 300 }
        try await fixture.listening { port in
            // The server ends each; nothing here decides when. A half that comes after the end takes its answer with it.
            let endings = try Self.halves(port).map { try $0.readToEnd() }
            #expect(endings.allSatisfy { $0.isEmpty || $0.hasPrefix("HTTP/1.1 408 ") }, "\(Set(endings))")
        }
    }

    private static func halves(_ port: Int) throws -> [RawConnection] {
        let slow = try (1...300).map { _ in try RawConnection(port: port) }
        for connection in slow { try connection.send("POST /pa/v3/status HTTP/1.1\r\nHost: loc") }
        return slow
    }

    @Test(.verifies("security.md", "slow-requests"))
    func `A client that never finishes a body, a TLS handshake or a second request is disconnected`() async throws {
        let plain = try ServerFixture {
            $0.limits.bodyTimeout = 100
            $0.limits.idleTimeout = 100
        }
        try await plain.listening { port in
            let body = try RawConnection(port: port)
            try body.send("POST /pa/v3/status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf")
            let ending = try body.readToEnd()
            #expect(ending.hasPrefix("HTTP/1.1 408 "), "\(ending)")
            let idle = try RawConnection(port: port)
            try idle.send(Self.health)
            let answers = try idle.readToEnd()
            #expect(answers.hasPrefix("HTTP/1.1 200 ") && answers.hasSuffix("}"), "\(answers)")
        }
        let encrypted = try ServerFixture {
            $0.certificate = .valid
            $0.limits.headerTimeout = 100
        }
        try await encrypted.listening { port in
            let silent = try RawConnection(port: port)
            #expect(try silent.readToEnd() == "")
        }
    }

    @Test(.verifies("security.md", "unread-answers"))
    func `A client that reads nothing of a long answer is disconnected, and the server continues`() async throws {
        let fixture = try ServerFixture { $0.limits.answerTimeout = 200 }
        try await fixture.listening { port in
            let deaf = try RawConnection(port: port)
            // Until neither side's buffers hold the answers: then the server waits for the client, and this for the server.
            let request = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
            while try deaf.send(request) {}
            let other = try RawConnection(port: port)
            try other.send(Self.health)
            let answer = try other.readAnswer()
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test(.verifies("security.md", "share-of-one-address"))
    func `One address gets at most a quarter of the places, or fewer if configured`() {
        var limits = TrafficLimits()
        #expect(limits.addressShare == 400 && limits.connections == 1_600)
        (limits.connections, limits.connectionsPerAddress) = (5_000, 100)
        #expect(limits.addressShare == 100)
        (limits.connections, limits.connectionsPerAddress) = (100, 100)
        #expect(limits.addressShare == 25)
        limits.connections = 2
        #expect(limits.addressShare == 1)
        // Every server of the lab has the same.
        #expect(TrafficLimits().ofConnections == ConnectionLimits())
    }

    @Test(.verifies("security.md", "connection-limits"))
    func `Connections above the limits are refused, those of one address before all places are taken`() async throws {
        let fixture = try ServerFixture {
            $0.limits.connections = 12
            $0.limits.connectionsPerAddress = 400
        }
        try await fixture.listening { port in
            func answered(_ connection: RawConnection) throws -> String {
                try connection.send(Self.health)
                return String(try connection.readAnswer().prefix(12))
            }
            var mine = try (1...3).map { _ in try RawConnection(port: port) }
            for connection in mine { #expect(try answered(connection) == "HTTP/1.1 200") }
            let fourth = try RawConnection(port: port).readToEnd()
            #expect(fourth == ConnectionDoor.refusal)
            let others = try (2...4).flatMap { number in
                try (1...3).map { _ in try RawConnection(port: port, from: "127.0.0.\(number)") }
            }
            for connection in others { #expect(try answered(connection) == "HTTP/1.1 200") }
            #expect(try RawConnection(port: port, from: "127.0.0.5").readToEnd() == ConnectionDoor.refusal)
            // A released place is available to every client; the server needs time to notice the end of a connection.
            mine.removeLast()
            while case let next = try RawConnection(port: port), try answered(next) != "HTTP/1.1 200" {}
        }
    }

    @Test func `A client that expects TLS is closed without an answer`() throws {
        let limits = {
            var limits = ConnectionLimits()
            limits.connections = 1
            return limits
        }()
        let limiter = ConnectionLimiter(limits)
        func connect(isEncrypted: Bool) throws -> EmbeddedChannel {
            let channel = EmbeddedChannel(handler: ConnectionDoor(limiter, isEncrypted: isEncrypted))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            return channel
        }
        let first = try connect(isEncrypted: true)
        #expect(first.isActive && limiter.count == 1)
        let second = try connect(isEncrypted: true)
        #expect(try !second.isActive && second.readOutbound(as: ByteBuffer.self) == nil)
        let third = try connect(isEncrypted: false)
        #expect(try !third.isActive && third.readOutbound(as: ByteBuffer.self)?.readableBytes ?? 0 > 0)
        #expect(limiter.count == 1)
        try first.close().wait()
        #expect(limiter.count == 0)
    }

    @Test(.verifies("security.md", "waiting-requests"))
    func `Requests beyond the queue limit are asked to retry, and are served then`() async throws {
        let (begun, open) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let faults = ServerFaults(requestReceived: { _ in
            begun.signal()
            open.wait()
        })
        let fixture = try ServerFixture(faults: faults) {
            $0.workerThreads = 1
            $0.limits.waitingRequests = 2
        }
        try await fixture.listening { port in
            func request() throws -> RawConnection {
                let connection = try RawConnection(port: port)
                try connection.send("POST /pa/v3/status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
                return connection
            }
            let worked = try request()
            begun.wait()
            // The second one waits for the worker; the later of the next two finds no place.
            let (second, third) = (try request(), try request())
            let (early, late) = try RawConnection.firstToHear(second, third)
            let refusal = try early.readAnswer()
            #expect(refusal.hasPrefix("HTTP/1.1 503 "), "\(refusal)")
            #expect(refusal.lowercased().contains("\r\nretry-after: 1\r\n"), "\(refusal)")
            for _ in 1...2 { open.signal() }
            let first = try worked.readAnswer()
            #expect(first.hasPrefix("HTTP/1.1 200 "))
            let last = try late.readAnswer()
            #expect(last.hasPrefix("HTTP/1.1 200 "))
            open.signal()
            let again = try request().readAnswer()
            #expect(again.hasPrefix("HTTP/1.1 200 "))
        }
    }
}
