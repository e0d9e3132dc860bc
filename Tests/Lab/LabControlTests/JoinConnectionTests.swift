// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import ZeroMQ

@testable import LabControl
@testable import LabCore

/// Connections between two labs of which one side speaks by hand.
@Suite("The connection of a guest", .endsInTime)
struct JoinConnectionTests {
    /// A client with the owner's key; belongs to one thread.
    private final class Client {
        private let socket: ZeroMQSocket

        init(_ owner: JoinSocket, _ key: JoinKey) throws {
            socket = try ZeroMQSocket(.shared, .dealer)
            try socket.set(.immediate(true))
            try socket.set(.curveClient(of: key.owner, key.guest))
            try socket.connect(owner.address.description)
        }

        /// Waits for the connection, and sends.
        func send(_ data: Data) throws { #expect(try socket.send([data], wait: true)) }

        func send(_ message: JoinMessage) throws { try send(JSONValue(encoding: message).encoded()) }

        func receive() throws -> JoinMessage {
            while true {
                if let data = try socket.receive()?.first { return try JSONValue.parse(data).decode() }
                _ = try ZeroMQPoll.poll(sockets: [socket])
            }
        }
    }

    private let loopback = JoinAddress(host: "127.0.0.1", port: 0)

    private func hello(_ name: String) -> JoinMessage { .hello(JoinHello(instance: name, devices: [])) }

    @Test func `The loss of another connection leaves the guest what it is`() async throws {
        try await onThread {
            let reports = Recorder<String>()
            let (owner, key) = try JoinSocket.listen(at: loopback) { reports.add($0) }
            let guest = try Client(owner, key)
            try guest.send(hello("one"))
            try reports.wait(for: "hello one")
            // It has the key, but never says hello.
            try Client(owner, key).send(.ready)
            try guest.send(.ready)
            try reports.wait(for: "message")
            // Otherwise the owner would wait for a confirmation of its own farewell.
            try guest.send(.bye("end"))
            try reports.wait(for: "bye end")
            owner.close("")
            #expect(reports.all == ["hello one", "message", "bye end"])
        }
    }

    @Test
    func `A guest that says goodbye has left, and is not lost with its connection; what follows is not the guest's`()
        async throws
    {
        try await onThread {
            let reports = Recorder<String>()
            let (owner, key) = try JoinSocket.listen(at: loopback) { reports.add($0) }
            do {
                let guest = try Client(owner, key)
                try guest.send(hello("one"))
                try reports.wait(for: "hello one")
                try guest.send(.bye("done"))
                try reports.wait(for: "bye done")
                while true { if case .bye = try guest.receive() { break } }
                try guest.send(.ready)
            }
            let next = try Client(owner, key)
            try next.send(hello("two"))
            try reports.wait(for: "hello two")
            try next.send(.bye("end"))
            try reports.wait(for: "bye end")
            owner.close("")
            #expect(reports.all == ["hello one", "bye done", "hello two", "bye end"])
        }
    }

    @Test func `A guest that ends without a farewell is lost once, and the next one can join`() async throws {
        try await onThread {
            let reports = Recorder<String>()
            let (owner, key) = try JoinSocket.listen(at: loopback) { reports.add($0) }
            do {
                let guest = try Client(owner, key)
                try guest.send(hello("one"))
                try reports.wait(for: "hello one")
                withExtendedLifetime(guest) {}
            }
            try reports.wait(for: "lost")
            let next = try Client(owner, key)
            try next.send(hello("two"))
            try reports.wait(for: "hello two")
            try next.send(.bye("end"))
            try reports.wait(for: "bye end")
            owner.close("")
            #expect(reports.all == ["hello one", "lost", "hello two", "bye end"])
        }
    }

    @Test func `A guest notices an owner that ends without a farewell`() async throws {
        try await onThread {
            let reports = Recorder<String>()
            let (key, secret) = try JoinKey.make()
            let domain = UUID().uuidString
            try CurveGate.shared.get().admit(key.guest.publicKey, to: domain)
            var owner: ZeroMQSocket? = try ZeroMQSocket(.shared, .router)
            try owner?.set(.curveServer(secret, domain: domain))
            try owner?.bind(loopback.description)
            let endpoint = try #require(try owner?.lastEndpoint())
            let address = try #require(JoinAddress(endpoint))
            let guest = try JoinSocket.connect(to: address, with: key) { reports.add($0) }
            #expect(guest.address == address)
            try reports.wait(for: "connected")
            owner = nil
            #expect(owner == nil)
            try reports.wait(for: "lost")
            guest.close("")
            #expect(reports.all.prefix(2) == ["connected", "lost"])
        }
    }

    @Test func `What is no message is skipped, and before a hello there is no guest`() async throws {
        try await onThread {
            let reports = Recorder<String>()
            let (owner, key) = try JoinSocket.listen(at: loopback) { reports.add($0) }
            let guest = try Client(owner, key)
            try guest.send(.ready)
            for text in ["", "nonsense", "[]", "{}", #"{"hello":{"_0":{}}}"#] { try guest.send(Data(text.utf8)) }
            try guest.send(hello("one"))
            try reports.wait(for: "hello one")
            try guest.send(Data("{".utf8))
            try guest.send(.ready)
            try reports.wait(for: "message")
            // Otherwise the owner would wait for a confirmation of its own farewell.
            try guest.send(.bye("end"))
            try reports.wait(for: "bye end")
            owner.close("")
            #expect(reports.all == ["hello one", "message", "bye end"])
        }
    }
}

extension Recorder<String> {
    /// Notes what a socket has reported.
    func add(_ event: JoinSocket.Event) {
        switch event {
        case .connected: add("connected")
        case .keyRefused: add("key refused")
        case .lost: add("lost")
        case .message(.hello(let hello)): add("hello \(hello.instance ?? "")")
        case .message(.bye(let reason)): add("bye \(reason)")
        case .message(.refused(let reason)): add("refused \(reason)")
        case .message: add("message")
        }
    }
}
