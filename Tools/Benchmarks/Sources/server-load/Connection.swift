// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A persistent HTTP connection, with one request in flight at a time.
///
/// Blocks; belongs to one thread.
final class Connection {
    let descriptor: Int32
    // Hummingbird spells it like this.
    private static let length = Array("\r\nContent-Length: ".utf8)
    private static let headEnd = Array("\r\n\r\n".utf8)

    private var received = [UInt8](repeating: 0, count: 64 * 1024)
    private var count = 0

    init(_ server: ServerAddress) throws {
        #if canImport(Darwin)
            let stream = SOCK_STREAM
        #else
            let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw LoadFailure("no socket: \(String(cString: strerror(errno)))") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(server.port).bigEndian
        guard inet_pton(AF_INET, server.host, &address.sin_addr) == 1 else {
            throw LoadFailure("\(server.host) is no IPv4 address; give the server's address in numbers")
        }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            throw LoadFailure("\(server.url) does not answer: \(String(cString: strerror(errno)))")
        }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    func send(_ request: [UInt8]) throws {
        var sent = 0
        while sent < request.count {
            let written = request.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, 0)
            }
            guard written > 0 else { throw LoadFailure("the server closed a connection") }
            sent += written
        }
    }

    /// Reads received bytes, waiting for the first ones.
    /// - Returns: the whole answer with its head; nil while it is incomplete.
    func receive() throws -> ArraySlice<UInt8>? {
        if count == received.count { received += [UInt8](repeating: 0, count: count) }
        let read = received.withUnsafeMutableBytes {
            recv(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count, 0)
        }
        guard read > 0 else { throw LoadFailure("the server closed a connection") }
        count += read
        guard try isComplete() else { return nil }
        defer { count = 0 }
        return received[..<count]
    }

    /// Whether the partly received answer is complete.
    private func isComplete() throws -> Bool {
        try received.withUnsafeBytes { bytes in
            let arrived = UnsafeRawBufferPointer(rebasing: bytes[..<count])
            guard let headSize = arrived.end(of: Self.headEnd) else { return false }
            let head = UnsafeRawBufferPointer(rebasing: arrived[..<headSize])
            if let start = head.end(of: Self.length) ?? head.endOfLine(beginning: "content-length: ") {
                let digits = head[start...].prefix { (0x30...0x39).contains($0) }
                return count >= headSize + digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
            }
            guard head.endOfLine(beginning: "transfer-encoding: chunked") != nil else {
                throw LoadFailure("an answer does not say its length")
            }
            // The last chunk is empty, and no JSON holds such bytes.
            return arrived.suffix(5).elementsEqual("0\r\n\r\n".utf8)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Where the first header ends that begins with a text, in whatever case it is spelled.
    /// - Parameter text: in lower case.
    fileprivate func endOfLine(beginning text: StaticString) -> Int? {
        var start = 0
        while let line = UnsafeRawBufferPointer(rebasing: self[start...]).end(of: [0x0D, 0x0A]) {
            start += line
            guard count - start >= text.utf8CodeUnitCount else { return nil }
            let isIt = (0..<text.utf8CodeUnitCount).allSatisfy {
                let byte = self[start + $0]
                return ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) == text.utf8Start[$0]
            }
            if isIt { return start + text.utf8CodeUnitCount }
        }
        return nil
    }

    /// Where the first occurrence of a text ends.
    func end(of text: [UInt8]) -> Int? {
        guard let base = baseAddress, let first = text.first else { return nil }
        var start = 0
        while count - start >= text.count, let found = memchr(base + start, Int32(first), count - start) {
            start = base.distance(to: UnsafeRawPointer(found))
            guard count - start >= text.count else { return nil }
            if memcmp(found, text, text.count) == 0 { return start + text.count }
            start += 1
        }
        return nil
    }
}
