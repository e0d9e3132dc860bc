// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import HTTPConnections
@testable import PowerAuthServer

/// How long the connection of a slow client stays open, on a clock that the test moves.
@Suite("Deadlines of connections", .endsInTime)
struct RequestDeadlineTests {
    /// A connection with the handlers of the server; its answers are written by the test.
    final class Connection {
        let channel = EmbeddedChannel()
        static let limits: ConnectionLimits = {
            var limits = ConnectionLimits()
            limits.headerTimeout = 10_000
            limits.bodyTimeout = 20_000
            limits.idleTimeout = 5_000
            limits.answerTimeout = 3_000
            return limits
        }()

        /// - Parameter delay: How many milliseconds the server needs until it can read.
        init(readableAfter delay: Int64 = 0) throws {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false)
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let deadlines = RequestDeadlines(Self.limits)
            try pipeline.addHandler(deadlines, position: .after(decoder))
            try pipeline.addHandler(ArrivingBytes(deadlines), position: .before(decoder))
            pass(milliseconds: delay)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        var isOpen: Bool { channel.isActive }

        func pass(milliseconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .milliseconds(milliseconds)) }

        func receive(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

        /// Writes an answer; the network takes it as soon as it is flushed.
        func answer(status: HTTPResponseStatus = .ok, isFlushed: Bool = true) throws {
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: ["Content-Length": "0"])
            channel.write(HTTPServerResponsePart.head(head), promise: nil)
            channel.write(HTTPServerResponsePart.end(nil), promise: nil)
            if isFlushed { channel.flush() }
        }

        /// What has been sent so far.
        func sent() throws -> String {
            var text = ""
            while let part = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: part) }
            return text
        }
    }

    static let request = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody"

    @Test func `A connection that says nothing, or half a header, ends with the time for headers`() throws {
        for beginning in ["", "P", "POST / HTTP/1.1\r\nHost: loc"] {
            let connection = try Connection()
            try connection.receive(beginning)
            connection.pass(milliseconds: 9_999)
            #expect(connection.isOpen)
            connection.pass(milliseconds: 1)
            #expect(!connection.isOpen, "\(beginning)")
            #expect(try connection.sent().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test func `The time for headers begins when the server can read them`() throws {
        let connection = try Connection(readableAfter: 15_000)
        connection.pass(milliseconds: 9_999)
        try #require(connection.isOpen)
        try connection.receive(Self.request)
        try connection.answer()
        #expect(try connection.sent().hasPrefix("HTTP/1.1 200 "))
        let silent = try Connection(readableAfter: 15_000)
        silent.pass(milliseconds: 10_000)
        #expect(!silent.isOpen)
    }

    @Test(.verifies("security.md", "slow-requests"))
    func `A byte now and then gains no time, neither for headers nor for a body`() throws {
        let connection = try Connection()
        for byte in "POST / HTT" {
            try connection.receive(String(byte))
            connection.pass(milliseconds: 999)
        }
        #expect(connection.isOpen)
        connection.pass(milliseconds: 10)
        #expect(!connection.isOpen)
        let other = try Connection()
        connection.pass(milliseconds: 5_000)
        try other.receive("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n")
        for _ in 1...19 {
            try other.receive("x")
            other.pass(milliseconds: 1_000)
        }
        #expect(other.isOpen)
        other.pass(milliseconds: 1_000)
        #expect(!other.isOpen)
        #expect(try other.sent().hasPrefix("HTTP/1.1 408 "))
    }

    @Test func `No time runs while the server works; the time for the next request runs after its answer`() throws {
        let connection = try Connection()
        try connection.receive(Self.request)
        connection.pass(milliseconds: 1_000_000)
        #expect(connection.isOpen)
        try connection.answer()
        connection.pass(milliseconds: 4_999)
        #expect(connection.isOpen)
        _ = try connection.sent()
        connection.pass(milliseconds: 1)
        #expect(!connection.isOpen)
        // Without a request no answer is sent.
        #expect(try connection.sent() == "")
    }

    @Test func `Half a header after an answer has the time for headers, and not that between requests`() throws {
        let connection = try Connection()
        for _ in 1...3 {
            try connection.receive(Self.request)
            try connection.answer()
            connection.pass(milliseconds: 4_000)
        }
        try connection.receive("POST / ")
        connection.pass(milliseconds: 9_000)
        #expect(connection.isOpen)
        try connection.receive("HTTP/1.1\r\n")
        connection.pass(milliseconds: 1_000)
        #expect(!connection.isOpen)
    }

    @Test func `An answer before the end of its request leaves the time for the body as it was`() throws {
        let connection = try Connection()
        try connection.receive("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n")
        try connection.answer(status: .payloadTooLarge)
        connection.pass(milliseconds: 19_999)
        #expect(connection.isOpen)
        try connection.receive("body")
        connection.pass(milliseconds: 4_999)
        #expect(connection.isOpen)
        connection.pass(milliseconds: 1)
        #expect(!connection.isOpen)
    }

    @Test func `A client that reads nothing of its answer is disconnected`() throws {
        let connection = try Connection()
        try connection.receive(Self.request)
        try connection.answer(isFlushed: false)
        connection.pass(milliseconds: 2_999)
        #expect(connection.isOpen)
        connection.pass(milliseconds: 1)
        #expect(!connection.isOpen)
    }

    @Test func `A client that stops reading a long answer is disconnected, one that continues is not`() throws {
        let connection = try Connection()
        try connection.receive(Self.request)
        func becomesWritable(_ isWritable: Bool) {
            connection.channel.isWritable = isWritable
            connection.channel.pipeline.fireChannelWritabilityChanged()
        }
        for _ in 1...5 {
            becomesWritable(false)
            connection.pass(milliseconds: 2_999)
            becomesWritable(true)
            connection.pass(milliseconds: 10_000)
        }
        #expect(connection.isOpen)
        becomesWritable(false)
        connection.pass(milliseconds: 3_000)
        #expect(!connection.isOpen)
    }

    @Test func `An alarm ends with its connection`() throws {
        let connection = try Connection()
        try connection.receive("POST")
        try connection.channel.close().wait()
        connection.pass(milliseconds: 100_000)
        #expect(try connection.sent() == "")
    }
}
