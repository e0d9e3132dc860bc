// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem

/// A connection to a server on loopback that is kept open from one request to the next. Blocks; belongs to one thread.
final class ServerConnection {
    /// The answer.
    struct Answer {
        let status: Int
        let body: Data
    }

    private let descriptor: FileDescriptor
    private let host: String

    /// Connects.
    init(port: Int) throws {
        host = "127.0.0.1:\(port)"
        descriptor = FileDescriptor(
            owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0), path: "connection to port \(port)")
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        address.sin_port = in_port_t(port).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor.rawValue, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw SystemError(call: "connect", errno: errno, path: descriptor.path) }
    }

    /// Sends a request and waits for its answer.
    /// - Returns: nil if the server died before the last byte of the answer.
    func post(_ path: String, _ body: Data, header: (name: String, value: String)? = nil) -> Answer? {
        var head = "POST \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/json\r\n"
        if let header { head += "\(header.name): \(header.value)\r\n" }
        head += "Content-Length: \(body.count)\r\n\r\n"
        // Any kernel error for a dead peer means that it is gone.
        return try? exchange(Data(head.utf8) + body)
    }

    private func exchange(_ request: Data) throws -> Answer? {
        try descriptor.writeAll(request)
        var received = Data()
        while true {
            let piece = try descriptor.read(count: 16_384)
            guard !piece.isEmpty else { return nil }
            received += piece
            guard let end = received.range(of: Data("\r\n\r\n".utf8)) else { continue }
            let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
            guard let status = head.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
                let length = head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap({ Int($0.1) })
            else { throw Breach("an answer without status or length: \(head)") }
            if received.count >= end.upperBound + length {
                return Answer(status: status, body: Data(received[end.upperBound..<(end.upperBound + length)]))
            }
        }
    }
}
