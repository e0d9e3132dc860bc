// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem

import enum NIOCore.SocketAddress

/// A connection to a port of loopback that sends bytes as they are. Blocks; belongs to one thread.
final class RawConnection {
    private let descriptor: FileDescriptor

    /// Connects.
    /// - Parameter source: the address of loopback that the server sees; nil for 127.0.0.1.
    init(port: Int, from source: String? = nil) throws {
        // Writing into a connection that the server has closed is reported, and ends no process.
        Signals.ignore(SIGPIPE)
        descriptor = FileDescriptor(
            owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0), path: "connection to port \(port)")
        if let source { try call("bind", SocketAddress(ipAddress: source, port: 0), Glibc.bind) }
        try call("connect", SocketAddress(ipAddress: "127.0.0.1", port: port), Glibc.connect)
    }

    private func call(
        _ name: String, _ address: SocketAddress, _ body: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32
    ) throws {
        let result = address.withSockAddr { body(descriptor.rawValue, $0, socklen_t($1)) }
        guard result == 0 else { throw SystemError(call: name, errno: errno, path: descriptor.path) }
    }

    /// Waits until the server has sent something on one of two connections.
    /// - Returns: that one, and the other.
    static func firstToHear(_ one: RawConnection, _ other: RawConnection) throws -> (RawConnection, RawConnection) {
        let isFirst = try Polling.waitReadable([one.descriptor.rawValue, other.descriptor.rawValue])[0]
        return isFirst ? (one, other) : (other, one)
    }

    /// Sends everything that the server takes.
    ///
    /// - Returns: false when it closed the connection before the end.
    @discardableResult
    func send(_ text: String) throws -> Bool {
        do {
            try descriptor.writeAll(Data(text.utf8))
            return true
        } catch let error as SystemError where [EPIPE, ECONNRESET].contains(error.errno) {
            return false
        }
    }

    /// One answer that says how long it is; what comes after it is not read.
    func readAnswer() throws -> String {
        var received = Data()
        while let byte = try descriptor.read(count: 1).first {
            received.append(byte)
            guard received.suffix(4) == Data("\r\n\r\n".utf8) else { continue }
            let head = String(decoding: received, as: UTF8.self)
            guard var missing = head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap({ Int($0.1) }) else {
                return head
            }
            while missing > 0, case let piece = try descriptor.read(count: missing), !piece.isEmpty {
                received += piece
                missing -= piece.count
            }
            break
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// The server's output until it ends the connection in any way.
    func readToEnd() throws -> String {
        var received = Data()
        do {
            while case let piece = try descriptor.read(count: 65_536), !piece.isEmpty { received += piece }
        } catch let error as SystemError where error.errno == ECONNRESET {
            // Bytes that the server did not read are answered so.
        }
        return String(decoding: received, as: UTF8.self)
    }
}
