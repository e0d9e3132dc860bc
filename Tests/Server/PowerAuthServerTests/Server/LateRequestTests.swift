// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import HTTPConnections

/// What a client reads when its time is over, on a clock that the test moves.
@Suite("Late requests on a used connection", .endsInTime)
struct LateRequestTests {
    private typealias Connection = RequestDeadlineTests.Connection

    private static let request = RequestDeadlineTests.request

    private static let beginning = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"

    @Test
    func `A client that is late with a request receives the reason, also after an answer to an earlier one`() throws {
        for (half, milliseconds) in [("POST / HTT", 10_000), (Self.beginning + "bo", 20_000)] as [(String, Int64)] {
            let connection = try Connection()
            for _ in 1...2 {
                try connection.receive(Self.request)
                try connection.answer()
                #expect(try connection.sent().hasPrefix("HTTP/1.1 200 "))
            }
            try connection.receive(half)
            connection.pass(milliseconds: milliseconds - 1)
            #expect(connection.isOpen, "\(half)")
            connection.pass(milliseconds: 1)
            #expect(!connection.isOpen, "\(half)")
            let sent = try connection.sent()
            #expect(sent.hasPrefix("HTTP/1.1 408 ") && sent.lowercased().contains("connection: close"), "\(sent)")
            #expect(sent.matches(of: /HTTP/).count == 1)
        }
    }

    @Test func `A late client receives nothing while it has another answer to expect, or a part of one`() throws {
        // The answer to the first request is not there yet: the client would take the refusal for it.
        let waiting = try Connection()
        try waiting.receive(Self.request + Self.beginning)
        waiting.pass(milliseconds: 20_000)
        #expect(try !waiting.isOpen && waiting.sent() == "")
        // The answer to this request has begun.
        let begun = try Connection()
        try begun.receive(Self.beginning)
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "4"])
        begun.channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
        #expect(try begun.sent().hasPrefix("HTTP/1.1 200 "))
        begun.pass(milliseconds: 20_000)
        #expect(try !begun.isOpen && begun.sent() == "")
        // The answer to an earlier request has not left.
        let leaving = try Connection()
        try leaving.receive(Self.request + Self.beginning)
        leaving.pass(milliseconds: 18_000)
        try leaving.answer(isFlushed: false)
        leaving.pass(milliseconds: 2_000)
        #expect(try !leaving.isOpen && !leaving.sent().contains(" 408 "))
    }

    @Test
    func `An announcement is no answer: a client that is late with its body afterwards receives the reason`() throws {
        let connection = try Connection()
        try connection.receive(Self.beginning)
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        connection.channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
        #expect(try connection.sent().hasPrefix("HTTP/1.1 100 "))
        connection.pass(milliseconds: 20_000)
        #expect(try !connection.isOpen && connection.sent().contains("HTTP/1.1 408 "))
    }

    @Test func `The time for the next request begins when all answers have left`() throws {
        let connection = try Connection()
        try connection.receive(Self.request + Self.request)
        try connection.answer()
        connection.pass(milliseconds: 100_000)
        #expect(connection.isOpen, "the server works on the second request")
        try connection.answer(isFlushed: false)
        connection.pass(milliseconds: 2_000)
        connection.channel.flush()
        connection.pass(milliseconds: 4_999)
        #expect(connection.isOpen)
        connection.pass(milliseconds: 1)
        #expect(!connection.isOpen)
    }

    /// Answers each request while its last bytes are still being read.
    private final class AnswersAtOnce: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "0"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    @Test func `The bytes of a request that was answered at once do not begin the next one`() throws {
        let connection = try Connection()
        try connection.channel.pipeline.syncOperations.addHandler(AnswersAtOnce())
        for _ in 1...2 {
            try connection.receive(Self.request)
            #expect(try connection.sent().hasPrefix("HTTP/1.1 200 "))
        }
        connection.pass(milliseconds: 4_999)
        #expect(connection.isOpen)
        connection.pass(milliseconds: 1)
        #expect(!connection.isOpen, "the time between requests runs, and not that for headers")
    }
}
