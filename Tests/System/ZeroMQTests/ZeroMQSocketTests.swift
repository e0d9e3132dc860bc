// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@testable import ZeroMQ

/// Each test keeps its sockets on its own thread by not suspending.
@Suite("ZeroMQ sockets", .endsInTime)
struct ZeroMQSocketTests {
    private let context = ZeroMQContext()

    private func receive(_ socket: ZeroMQSocket) throws -> [Data]? {
        while true {
            if let frames = try socket.receive() { return frames }
            guard try ZeroMQPoll.poll(sockets: [socket], timeoutMilliseconds: 5_000).sockets[0] else { return nil }
        }
    }

    /// A ROUTER on a free loopback port and its endpoint.
    private func router() throws -> (socket: ZeroMQSocket, endpoint: String) {
        let socket = try ZeroMQSocket(context, .router)
        try socket.set(.routerMandatory(true))
        try socket.bind("tcp://127.0.0.1:*")
        return (socket, try socket.lastEndpoint())
    }

    @Test func `A message keeps its parts including empty ones`() throws {
        let (router, endpoint) = try router()
        let dealer = try ZeroMQSocket(context, .dealer)
        try dealer.set(.routingID(Data("me".utf8)))
        try dealer.connect(endpoint)
        let parts = [Data("one".utf8), Data(), Data(repeating: 7, count: 100_000)]
        #expect(try dealer.send(parts, wait: true))
        let received = try #require(try receive(router))
        #expect(received == [Data("me".utf8)] + parts)
        #expect(try router.send([received[0], Data("answer".utf8)]))
        #expect(try receive(dealer) == [Data("answer".utf8)])
    }

    @Test func `Receiving from an empty socket gives nil`() throws {
        let (router, _) = try router()
        #expect(try router.receive() == nil)
        #expect(try !ZeroMQPoll.poll(sockets: [router], timeoutMilliseconds: 0).isAny)
    }

    @Test func `A router refuses a message to an unknown peer`() throws {
        let (router, _) = try router()
        #expect(try !router.send([Data("nobody".utf8), Data("lost".utf8)]))
    }

    @Test func `Messages to an absent peer are not queued`() throws {
        let dealer = try ZeroMQSocket(context, .dealer)
        try dealer.set(.immediate(true))
        try dealer.connect("ipc:///tmp/zeromqtests-nobody-\(UUID().uuidString.prefix(8))")
        #expect(try !dealer.send([Data("early".utf8)]))
    }

    @Test func `A monitor reports connection and loss`() throws {
        var server: (socket: ZeroMQSocket, endpoint: String)? = try router()
        let dealer = try ZeroMQSocket(context, .dealer)
        let monitor = try dealer.monitor([.handshakeSucceeded, .disconnected])
        try dealer.connect(try #require(server?.endpoint))
        #expect(try ZeroMQPoll.poll(sockets: [monitor.socket], timeoutMilliseconds: 5_000).isAny)
        #expect(try monitor.next()?.kind == .handshakeSucceeded)
        server = nil
        #expect(server == nil)
        #expect(try ZeroMQPoll.poll(sockets: [monitor.socket], timeoutMilliseconds: 5_000).isAny)
        #expect(try monitor.next()?.kind == .disconnected)
    }

    @Test func `An oversized message does not arrive`() throws {
        let (router, endpoint) = try router()
        let limited = try ZeroMQSocket(context, .router)
        try limited.set(.maxMessageSize(1_000))
        try limited.bind("tcp://127.0.0.1:*")
        let dealer = try ZeroMQSocket(context, .dealer)
        let monitor = try dealer.monitor([.disconnected])
        try dealer.connect(try limited.lastEndpoint())
        #expect(try dealer.send([Data(count: 2_000)], wait: true))
        #expect(try ZeroMQPoll.poll(sockets: [monitor.socket], timeoutMilliseconds: 5_000).isAny)
        #expect(try limited.receive() == nil)
        withExtendedLifetime((router, endpoint)) {}
    }

    @Test func `A bad endpoint is named in the error`() throws {
        let socket = try ZeroMQSocket(context, .router)
        let error = #expect(throws: ZeroMQError.self) { try socket.bind("nonsense") }
        #expect(error?.subject == "nonsense")
        #expect(error?.description.contains("zmq_bind 'nonsense'") == true)
    }

    @Test func `A refused option is named without its value`() throws {
        let socket = try ZeroMQSocket(context, .router)
        let name = Data(repeating: UInt8(ascii: "x"), count: 256)
        let error = #expect(throws: ZeroMQError.self) { try socket.set(.routingID(name)) }
        #expect(error?.description.contains("routingID") == true)
        #expect(error?.description.contains("xxx") == false)
    }

    @Test func `A call out of turn is an error, and not an empty answer`() throws {
        let reply = try ZeroMQSocket(context, .reply)
        try reply.bind("inproc://turns")
        let dealer = try ZeroMQSocket(context, .dealer)
        try dealer.connect("inproc://turns")
        let early = #expect(throws: ZeroMQError.self) { try reply.send([Data("early".utf8)]) }
        #expect(early?.call == "zmq_send")
        #expect(try reply.receive() == nil)
        #expect(try dealer.send([Data(), Data("question".utf8)]))
        #expect(try receive(reply) == [Data("question".utf8)])
        let twice = #expect(throws: ZeroMQError.self) { try reply.receive() }
        #expect(twice?.call == "zmq_msg_recv")
        #expect(try reply.send([Data("answer".utf8)]))
        #expect(try receive(dealer) == [Data(), Data("answer".utf8)])
    }

    @Test func `A queue holds what sender and receiver allow together, and then refuses`() throws {
        let receiver = try ZeroMQSocket(context, .pair)
        try receiver.set(.receiveHighWaterMark(4))
        try receiver.bind("inproc://queue")
        let sender = try ZeroMQSocket(context, .pair)
        try sender.set(.sendHighWaterMark(3))
        try sender.connect("inproc://queue")
        var accepted = 0
        while accepted < 100, try sender.send([Data("x".utf8)]) { accepted += 1 }
        #expect((1...7).contains(accepted))
        for _ in 0..<accepted { #expect(try receiver.receive() == [Data("x".utf8)]) }
        #expect(try receiver.receive() == nil)
    }

    @Test func `After a disconnection nothing is sent, and a second one is an error with the endpoint`() throws {
        let router = try ZeroMQSocket(context, .router)
        try router.bind("inproc://left")
        let dealer = try ZeroMQSocket(context, .dealer)
        try dealer.connect("inproc://left")
        #expect(try dealer.lastEndpoint() == "inproc://left")
        #expect(try dealer.send([Data("x".utf8)]))
        try dealer.disconnect("inproc://left")
        #expect(try !dealer.send([Data("y".utf8)]))
        let error = #expect(throws: ZeroMQError.self) { try dealer.disconnect("inproc://left") }
        #expect(error?.call == "zmq_disconnect" && error?.subject == "inproc://left")
        let nowhere = #expect(throws: ZeroMQError.self) { try dealer.connect("nonsense") }
        #expect(nowhere?.call == "zmq_connect" && nowhere?.subject == "nonsense")
    }

    @Test func `A message from another connection has its descriptor, one from this process has none`() throws {
        let (router, endpoint) = try router()
        let dealer = try ZeroMQSocket(context, .dealer)
        try dealer.connect(endpoint)
        #expect(try dealer.send([Data("x".utf8)], wait: true))
        while try !ZeroMQPoll.poll(sockets: [router]).sockets[0] {}
        let received = try #require(try router.receiveFromConnection())
        #expect(received.parts.last == Data("x".utf8))
        #expect(try #require(received.descriptor) >= 0)
        let (here, there) = (try ZeroMQSocket(context, .pair), try ZeroMQSocket(context, .pair))
        try here.bind("inproc://inside")
        try there.connect("inproc://inside")
        #expect(try there.send([Data("y".utf8)]))
        let inside = try #require(try here.receiveFromConnection())
        #expect(inside.parts == [Data("y".utf8)] && inside.descriptor == nil)
    }

    @Test
    func `Each side of a connection reports it, from its beginning to its end, and only what was asked for`() throws {
        let (router, endpoint) = try router()
        let accepting = try router.monitor([.accepted, .handshakeSucceeded, .disconnected])
        func next(_ monitor: ZeroMQMonitor) throws -> ZeroMQMonitor.Event {
            while true {
                if let event = try monitor.next() { return event }
                _ = try ZeroMQPoll.poll(sockets: [monitor.socket])
            }
        }
        do {
            let dealer = try ZeroMQSocket(context, .dealer)
            let connecting = try dealer.monitor([.connected])
            try dealer.connect(endpoint)
            let event = try next(connecting)
            #expect(event.kind == .connected && event.endpoint == endpoint)
            #expect(try next(accepting).kind == .accepted)
            #expect(try next(accepting).kind == .handshakeSucceeded)
            #expect(try connecting.next() == nil)
        }
        #expect(try next(accepting).kind == .disconnected)
    }

    @Test func `The version of the library has three numbers`() {
        #expect(ZeroMQLibrary.version.wholeMatch(of: /4\.\d+\.\d+/) != nil, "\(ZeroMQLibrary.version)")
    }
}

@Suite("Errors of ZeroMQ", .endsInTime)
struct ZeroMQErrorTests {
    @Test func `An error names the call, the subject if there is one, and the library's reason`() {
        let reason = String(cString: strerror(EADDRINUSE))
        #expect(ZeroMQError(call: "zmq_poll", errno: EADDRINUSE, subject: nil).description == "zmq_poll: \(reason)")
        #expect(
            ZeroMQError(call: "zmq_bind", errno: EADDRINUSE, subject: "tcp://x").description
                == "zmq_bind 'tcp://x': \(reason)")
    }
}
