// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A small HTTP server on a port of its own on this machine; one thread a connection.
final class LoopbackServer: Sendable {
    /// What the server does with a request.
    enum Behavior: Sendable {
        case answer(status: Int, body: String)
        /// Answers with the request's own body.
        case echo
        /// Reads the request and says nothing.
        case silence
        /// Closes the connection without an answer.
        case hangUp
        /// Answers the first request of a connection, closes without an answer after the second.
        case hangUpLater
        /// Announces more bytes than it sends, then closes.
        case breakOff
    }

    let port: UInt16
    private let listener: Int32
    private let behavior: Behavior
    private let state = Mutex((connections: 0, heads: [String]()))

    var url: URL { URL(string: "http://127.0.0.1:\(port)/path")! }
    var connections: Int { state.withLock { $0.connections } }
    /// Request lines and headers as they arrived.
    var heads: [String] { state.withLock { $0.heads } }

    init(_ behavior: Behavior) throws {
        self.behavior = behavior
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in serve() }.start()
    }

    /// Stops listening; connections that are open stay open.
    func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            state.withLock { $0.connections += 1 }
            Thread { [self] in converse(connection) }.start()
        }
        _ = Glibc.close(listener)
    }

    private func converse(_ connection: Int32) {
        defer { _ = Glibc.close(connection) }
        var buffer = Data()
        var isFirst = true
        while let (head, body) = readRequest(connection, &buffer) {
            state.withLock { $0.heads.append(head) }
            defer { isFirst = false }
            switch behavior {
            case .answer(let status, let text): write(connection, status, Data(text.utf8))
            case .echo: write(connection, 200, body)
            case .silence: break
            case .hangUp: return
            case .hangUpLater where isFirst: write(connection, 200, body)
            case .hangUpLater: return
            case .breakOff:
                send(connection, Data("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort".utf8))
                return
            }
        }
    }

    private func readRequest(_ connection: Int32, _ buffer: inout Data) -> (String, Data)? {
        let end = Data("\r\n\r\n".utf8)
        while true {
            if let range = buffer.range(of: end) {
                let head = String(decoding: buffer[buffer.startIndex..<range.lowerBound], as: UTF8.self)
                let length = head.firstMatch(of: /(?i)content-length: *(\d+)/).flatMap { Int($0.1) } ?? 0
                if buffer.distance(from: range.upperBound, to: buffer.endIndex) >= length {
                    let body = Data(buffer[range.upperBound..<range.upperBound.advanced(by: length)])
                    buffer = Data(buffer[range.upperBound.advanced(by: length)...])
                    return (head, body)
                }
            }
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = recv(connection, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            buffer.append(contentsOf: bytes[..<count])
        }
    }

    private func write(_ connection: Int32, _ status: Int, _ body: Data) {
        send(connection, Data("HTTP/1.1 \(status) X\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
    }

    private func send(_ connection: Int32, _ data: Data) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
