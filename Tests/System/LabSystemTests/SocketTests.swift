// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("Sockets", .endsInTime)
struct SocketTests {
    @Test func `The process at the other end of a Unix socket is known, and none for anything else`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let sockets = ends.map { FileDescriptor(owning: $0) }
        #expect(sockets.map { SocketPeer.process(of: $0.rawValue) } == [getpid(), getpid()])
        let network = try TCPSocket.listenOnLoopback().file
        #expect(SocketPeer.process(of: network.rawValue) == nil)
        let pipe = try FileDescriptor.pipe()
        #expect(SocketPeer.process(of: pipe.reading.rawValue) == nil)
    }

    @Test func `A connection carries bytes both ways until one side ends it`() throws {
        let (listener, port) = try TCPSocket.listenOnLoopback()
        #expect((1...65_535).contains(port))
        let client = try TCPSocket.connectToLoopback(port: port)
        let server = try #require(TCPSocket.accept(listener))
        try client.writeAll(Data("x".utf8))
        #expect(try server.read(count: 10) == Data("x".utf8))
        try server.writeAll(Data("y".utf8))
        #expect(try client.read(count: 10) == Data("y".utf8))
        TCPSocket.end(client)
        #expect(try server.read(count: 10).isEmpty)
    }

    @Test func `No connection is accepted after the end of a listener, or by a file that is not a listener`() throws {
        let (listener, _) = try TCPSocket.listenOnLoopback()
        TCPSocket.end(listener)
        #expect(TCPSocket.accept(listener) == nil)
        #expect(TCPSocket.accept(try FileDescriptor.pipe().reading) == nil)
    }

    @Test func `A port without a listener refuses, one with a listener does not`() throws {
        let (listener, port) = try TCPSocket.listenOnLoopback()
        let silent = try portWithoutListener()
        for host in ["127.0.0.1", "localhost"] {
            #expect(!TCPSocket.isRefused(host: host, port: port))
            #expect(TCPSocket.isRefused(host: host, port: silent.port))
        }
        #expect(throws: SystemError(call: "connect", errno: ECONNREFUSED)) {
            try TCPSocket.connectToLoopback(port: silent.port)
        }
        withExtendedLifetime((listener, silent)) {}
    }

    /// A port of loopback that is taken, so that no other process gets it, and where nothing listens.
    private func portWithoutListener() throws -> (file: FileDescriptor, port: Int) {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let file = FileDescriptor(owning: socket(AF_INET, type, 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                guard bind(file.rawValue, name, length) == 0 else { return false }
                return getsockname(file.rawValue, name, &length) == 0
            }
        }
        try #require(isBound)
        return (file, Int(UInt16(bigEndian: address.sin_port)))
    }
}
