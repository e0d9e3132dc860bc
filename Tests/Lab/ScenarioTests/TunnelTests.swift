// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabSystem
import Synchronization
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine

@Suite("The tunnel between the apps of a guest and the owner's server", .endsInTime)
struct TunnelTests {
    /// Two ends of a tunnel, and the server that it leads to.
    private final class Connection: Sendable {
        let guest: Tunnel
        let owner: Tunnel
        let port: Int
        private let server: FileDescriptor

        /// What hands a message to the other end.
        private final class Wire: Sendable {
            private let far = Mutex<Tunnel?>(nil)

            func lead(to tunnel: Tunnel) { far.withLock { $0 = tunnel } }

            func carry(_ message: JoinMessage) {
                guard let tunnel = far.withLock({ $0 }) else { return }
                switch message {
                case .stream(let id, let data): tunnel.receive(id, data)
                case .streamEnd(let id): tunnel.end(id)
                default: Issue.record("\(message)")
                }
            }
        }

        init(isServerRunning: Bool = true) throws {
            // As the programs do: the other side of a connection may end first.
            Signals.ignore(SIGPIPE)
            let (server, serverPort) = try TCPSocket.listenOnLoopback()
            self.server = server
            let (toOwner, toGuest) = (Wire(), Wire())
            owner = Tunnel(connect: {
                guard isServerRunning else { throw LabFailure("the server does not run") }
                return try TCPSocket.connectToLoopback(port: serverPort)
            }) { toGuest.carry($0) }
            guest = Tunnel { toOwner.carry($0) }
            toOwner.lead(to: owner)
            toGuest.lead(to: guest)
            port = try guest.listen()
        }

        /// A new connection of an app.
        func open() throws -> FileDescriptor { try TCPSocket.connectToLoopback(port: port) }

        /// The next connection at the server.
        func accept() throws -> FileDescriptor { try #require(TCPSocket.accept(server)) }

        func end() {
            guest.close()
            owner.close()
            TCPSocket.end(server)
        }
    }

    /// Reads as much as was sent; less if the connection ends, or nothing comes.
    private static func read(_ count: Int, from file: FileDescriptor) throws -> Data {
        var data = Data()
        while data.count < count {
            let limit = LabDuration.seconds(20).stretched.nanoseconds
            guard try Polling.waitReadable([file.rawValue], timeoutNanoseconds: limit)[0] else { return data }
            let piece = try file.read(count: count - data.count)
            if piece.isEmpty { return data }
            data.append(piece)
        }
        return data
    }

    /// Whether a connection ends with nothing more to read.
    private static func ends(_ file: FileDescriptor) throws -> Bool {
        let limit = LabDuration.seconds(20).stretched.nanoseconds
        return try Polling.waitReadable([file.rawValue], timeoutNanoseconds: limit)[0] && file.read(count: 1).isEmpty
    }

    private func play(
        isServerRunning: Bool = true, _ body: @escaping @Sendable (Connection) throws -> Void
    ) async throws {
        try await onThread {
            let tunnel = try Connection(isServerRunning: isServerRunning)
            defer { tunnel.end() }
            try body(tunnel)
        }
    }

    @Test func `Bytes go both ways, whole and in order, and connections are not mixed up`() async throws {
        try await play { tunnel in
            // More than fits into one message.
            let long = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
            let first = try tunnel.open()
            try first.writeAll(Data("first".utf8))
            let firstAtServer = try tunnel.accept()
            #expect(try Self.read(5, from: firstAtServer) == Data("first".utf8))
            let second = try tunnel.open()
            try second.writeAll(long)
            let secondAtServer = try tunnel.accept()
            #expect(try Self.read(long.count, from: secondAtServer) == long)

            try firstAtServer.writeAll(Data("answer".utf8))
            try secondAtServer.writeAll(long)
            #expect(try Self.read(6, from: first) == Data("answer".utf8))
            #expect(try Self.read(long.count, from: second) == long)
        }
    }

    @Test(arguments: [true, false])
    func `When one side ends a connection, the other side gets its last bytes and then the end`(atServer isServer: Bool)
        async throws
    {
        try await play { tunnel in
            let app = try tunnel.open()
            try app.writeAll(Data("x".utf8))
            let server = try tunnel.accept()
            #expect(try Self.read(1, from: server) == Data("x".utf8))
            let (ending, other) = isServer ? (server, app) : (app, server)
            let last = Data(repeating: 9, count: 100_000)
            try ending.writeAll(last)
            TCPSocket.end(ending)
            #expect(try Self.read(last.count, from: other) == last)
            #expect(try Self.ends(other))
        }
    }

    @Test func `A connection ends at once while the server does not run`() async throws {
        try await play(isServerRunning: false) { tunnel in
            let app = try tunnel.open()
            try app.writeAll(Data("x".utf8))
            #expect(try Self.ends(app))
        }
    }

    @Test
    func `When the other lab is gone all connections end; new ones are taken until the tunnel is closed`() async throws
    {
        try await play { tunnel in
            func connect() throws -> (FileDescriptor, FileDescriptor) {
                let app = try tunnel.open()
                try app.writeAll(Data("x".utf8))
                return (app, try tunnel.accept())
            }
            let ends = [try connect(), try connect()]
            tunnel.guest.endAll()
            for (app, _) in ends { #expect(try Self.ends(app)) }
            let last = try connect()
            tunnel.guest.close()
            #expect(try Self.ends(last.0))
            #expect(throws: SystemError.self) { try tunnel.open() }
            // Its other end must not be the one that ended.
            withExtendedLifetime(last) {}
        }
    }

    @Test func `Bytes and ends of unknown connections are ignored by a guest`() {
        let guest = Tunnel { Issue.record("it sent \($0)") }
        guest.receive(99, Data("x".utf8))
        guest.end(99)
    }
}
