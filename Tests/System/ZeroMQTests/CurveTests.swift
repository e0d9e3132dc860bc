// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

@testable import ZeroMQ

/// Each test keeps its sockets on its own thread by not suspending.
@Suite("Encrypted sockets", .endsInTime)
struct CurveTests {
    /// A listening socket of a domain that no other test has, and where it is.
    private struct Listener {
        let socket: ZeroMQSocket
        let endpoint: String
        let key: CurvePublicKey
        let domain = UUID().uuidString

        init() throws {
            let keys = try CurveKeyPair()
            // Asked for first: without it the library would let everybody in.
            _ = try CurveGate.shared.get()
            socket = try ZeroMQSocket(.shared, .router)
            try socket.set(.curveServer(keys.secretKey, domain: domain))
            try socket.bind("tcp://127.0.0.1:*")
            endpoint = try socket.lastEndpoint()
            key = keys.publicKey
        }

        func admit(_ keys: CurveKeyPair) throws { try CurveGate.shared.get().admit(keys.publicKey, to: domain) }
    }

    private func client(of listener: Listener, _ option: ZeroMQOption?) throws -> (ZeroMQSocket, ZeroMQMonitor) {
        let socket = try ZeroMQSocket(.shared, .dealer)
        if let option { try socket.set(option) }
        let monitor = try socket.monitor([.handshakeSucceeded, .handshakeFailed, .disconnected])
        try socket.connect(listener.endpoint)
        return (socket, monitor)
    }

    /// How the first attempt to connect has ended.
    private func outcome(_ monitor: ZeroMQMonitor) throws -> ZeroMQMonitor.Event.Kind {
        while true {
            if let event = try monitor.next() { return event.kind }
            _ = try ZeroMQPoll.poll(sockets: [monitor.socket], timeoutMilliseconds: -1)
        }
    }

    @Test func `A client with an admitted key connects, and its messages arrive`() throws {
        let listener = try Listener()
        let keys = try CurveKeyPair()
        try listener.admit(keys)
        let (socket, monitor) = try client(of: listener, .curveClient(of: listener.key, keys))
        #expect(try outcome(monitor) == .handshakeSucceeded)
        #expect(try socket.send([Data("hello".utf8)], wait: true))
        while true {
            if let parts = try listener.socket.receive() {
                #expect(parts.last == Data("hello".utf8))
                break
            }
            _ = try ZeroMQPoll.poll(sockets: [listener.socket], timeoutMilliseconds: -1)
        }
    }

    @Test func `A key that was not admitted, or no longer is, does not connect`() throws {
        let listener = try Listener()
        let keys = try CurveKeyPair()
        for isReplaced in [false, true] {
            if isReplaced {
                try listener.admit(keys)
                try listener.admit(CurveKeyPair())
            }
            let (_, monitor) = try client(of: listener, .curveClient(of: listener.key, keys))
            #expect(try outcome(monitor) != .handshakeSucceeded)
        }
    }

    @Test func `A key that was admitted to another domain does not connect`() throws {
        let (listener, other) = (try Listener(), try Listener())
        let keys = try CurveKeyPair()
        try other.admit(keys)
        let (_, monitor) = try client(of: listener, .curveClient(of: listener.key, keys))
        #expect(try outcome(monitor) != .handshakeSucceeded)
    }

    @Test func `A client without the listener's key, or without encryption, does not connect`() throws {
        let listener = try Listener()
        let keys = try CurveKeyPair()
        try listener.admit(keys)
        let impostor = try CurveKeyPair()
        for option in [.curveClient(of: impostor.publicKey, keys), nil] as [ZeroMQOption?] {
            let (_, monitor) = try client(of: listener, option)
            #expect(try outcome(monitor) != .handshakeSucceeded)
        }
    }

    @Test func `Keys are read as they were written, and a description does not show a secret one`() throws {
        let keys = try CurveKeyPair()
        #expect(try JSONDecoder().decode(CurveKeyPair.self, from: JSONEncoder().encode(keys)) == keys)
        #expect(keys.publicKey.bytes?.count == 32)
        #expect(try CurveKeyPair() != keys)
        var dumped = ""
        dump(keys, to: &dumped)
        #expect(!"\(keys)\(String(reflecting: keys))\(dumped)".contains(keys.secretKey.text))
        #expect(CurvePublicKey(text: "short").bytes == nil)
    }

    @Test func `A public key has the bytes that Z85 says, and none when it is not Z85`() {
        // The example of the specification, RFC 32.
        let bytes: [UInt8] = [0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B]
        let text = String(repeating: "HelloWorld", count: 4)
        #expect(CurvePublicKey(text: text).bytes == bytes + bytes + bytes + bytes)
        for wrong in [text + "Hello", String(text.dropLast(5)), String(text.dropLast()) + "\"", ""] {
            #expect(CurvePublicKey(text: wrong).bytes == nil, "\(wrong)")
        }
    }

    @Test func `A gate that can no longer answer refuses to admit keys, with the error that has ended it`() throws {
        let context = ZeroMQContext()
        let gate = try CurveGate(context)
        let keys = try CurveKeyPair()
        try gate.admit(keys.publicKey, to: "domain")
        context.shutDown()
        let error = try #require(gate.end.wait() as? ZeroMQError)
        #expect(throws: error) { try gate.admit(keys.publicKey, to: "domain") }
    }

    @Test
    func `The gate answers each request with its number, and admits only one that is right in every part`() throws {
        let gate = try CurveGate.shared.get()
        let keys = try CurveKeyPair()
        let domain = UUID().uuidString
        try gate.admit(keys.publicKey, to: domain)
        let socket = try ZeroMQSocket(.shared, .dealer)
        try socket.connect("inproc://zeromq.zap.01")
        func status(_ parts: [Data]) throws -> [String] {
            // The gate's socket expects an empty part before a request, and sends one before its answer.
            #expect(try socket.send([Data()] + parts, wait: true))
            while true {
                if let answer = try socket.receive() { return answer.map { String(decoding: $0, as: UTF8.self) } }
                _ = try ZeroMQPoll.poll(sockets: [socket])
            }
        }
        let key = Data(try #require(keys.publicKey.bytes))
        let right = ["1.0", "7", domain, "127.0.0.1", "", "CURVE"].map { Data($0.utf8) } + [key]
        let admitted = ["", "1.0", "7", "200", "OK", "", ""]
        #expect(try status(right) == admitted)
        for (place, isAdmitted) in [(0, false), (2, false), (3, true), (4, true), (5, false), (6, false)] {
            var changed = right
            changed[place] += Data("x".utf8)
            #expect(try (status(changed) == admitted) == isAdmitted, "part \(place)")
        }
        for parts in [Array(right.dropLast()), right + [Data()], Array(right.prefix(2))] {
            #expect(try status(parts).prefix(4) == ["", "1.0", "7", "400"], "\(parts.count) parts")
        }
        #expect(try status([right[0]]).prefix(4) == ["", "1.0", "", "400"])
    }
}
