// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Keeps a number of connections busy: each sends its next request as soon as it gets its answer.
///
/// One thread serves all connections, to take little CPU from the server on a small machine.
struct LoadGenerator {
    private let server: ServerAddress
    private let requests: [[[UInt8]]]
    private let expected: String

    /// - Parameters:
    ///   - requests: a list for each connection.
    ///   - expected: the text that every answer contains.
    init(_ server: ServerAddress, path: String, requests: [[LoadRequest]], expected: String) {
        self.server = server
        self.requests = requests.map { list in
            list.map { HTTPRequestBytes.post(server.path + path, Array($0.body.utf8), headers: $0.headers) }
        }
        self.expected = expected
    }

    struct Outcome {
        let seconds: Double
        /// Nanoseconds from the first byte sent to the last one received, of every request.
        let latencies: [UInt64]
    }

    /// Sends everything and waits for all answers.
    /// - Throws: when an answer is not the expected one.
    func run() throws -> Outcome {
        let connections = try requests.map { _ in try Connection(server) }
        var polled = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        var next = [Int](repeating: 0, count: connections.count)
        var sentAt = [UInt64](repeating: 0, count: connections.count)
        var latencies: [UInt64] = []
        latencies.reserveCapacity(requests.reduce(0) { $0 + $1.count })
        let expected = Array(expected.utf8)
        var open = connections.count
        let start = DispatchTime.now().uptimeNanoseconds
        for (index, connection) in connections.enumerated() {
            sentAt[index] = DispatchTime.now().uptimeNanoseconds
            try connection.send(requests[index][0])
        }
        while open > 0 {
            let ready = poll(&polled, nfds_t(polled.count), 10_000)
            // A signal that ends the program does so on a thread of its own.
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw LoadFailure("no answer within ten seconds") }
            for index in polled.indices where polled[index].revents != 0 {
                guard let answer = try connections[index].receive() else { continue }
                let now = DispatchTime.now().uptimeNanoseconds
                latencies.append(now - sentAt[index])
                try check(answer, expected)
                next[index] += 1
                if next[index] < requests[index].count {
                    sentAt[index] = now
                    try connections[index].send(requests[index][next[index]])
                } else {
                    polled[index].fd = -1
                    open -= 1
                }
            }
        }
        return Outcome(
            seconds: Double(DispatchTime.now().uptimeNanoseconds - start) / 1_000_000_000, latencies: latencies)
    }

    private func check(_ answer: ArraySlice<UInt8>, _ expected: [UInt8]) throws {
        let isExpected = answer.withUnsafeBytes { $0.end(of: expected) != nil }
        guard isExpected else {
            throw LoadFailure("expected \(self.expected), got \(String(decoding: answer, as: UTF8.self))")
        }
    }
}
