// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// What clients may take of the connections of a server: their time, and their number. Times are milliseconds of real time.
package struct ConnectionLimits: Sendable, Equatable {
    /// From the first byte of a request, or the beginning of its connection, to the end of its headers.
    package var headerTimeout: Int64 = 10_000
    /// From the end of the headers to the end of the body.
    package var bodyTimeout: Int64 = 30_000
    /// From an answer to the first byte of the next request on its connection.
    package var idleTimeout: Int64 = 30_000
    /// How long a client may leave an answer in the server's hands without taking any of it.
    package var answerTimeout: Int64 = 30_000
    /// How many connections there may be.
    package var connections = 1_600
    /// How many of them may come from one address.
    package var connectionsPerAddress = 400

    /// When a client may try again that was sent away, in seconds.
    package static let retryAfterSeconds = 1

    /// The defaults, also those of the settings of `lab server`.
    package init() {}
}

/// Counts the open connections, in all and per address, and refuses those above the limits.
///
/// Thread rule: any thread; the counts are guarded by the mutex.
final class ConnectionLimiter: Sendable {
    private struct Counts {
        var all = 0
        var byAddress: [String: Int] = [:]
    }

    private let limits: ConnectionLimits
    private let counts = Mutex(Counts())

    init(_ limits: ConnectionLimits) { self.limits = limits }

    var count: Int { counts.withLock { $0.all } }

    /// Takes a place for a connection.
    /// - Returns: false if all are taken.
    func enter(_ address: String) -> Bool {
        counts.withLock { counts in
            let mine = counts.byAddress[address, default: 0]
            guard counts.all < limits.connections, mine < limits.connectionsPerAddress else { return false }
            counts.all += 1
            counts.byAddress[address] = mine + 1
            return true
        }
    }

    func leave(_ address: String) {
        counts.withLock { counts in
            counts.all -= 1
            let mine = counts.byAddress[address, default: 1] - 1
            // An address without connections is removed: there are too many addresses to keep.
            counts.byAddress[address] = mine == 0 ? nil : mine
        }
    }
}

/// Takes the place of one connection, or sends it away: first in its pipeline, before anything else is done for it.
///
/// Thread rule: the event loop of its channel.
final class ConnectionDoor: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limiter: ConnectionLimiter
    /// The answer to a refused client; nil where it expects TLS.
    private let refusal: String?
    /// Where the connection comes from; nil while it has no place.
    private var address: String?

    /// An answer that does not wait for a request (RFC 9110, section 15.6.4).
    static let refusal = [
        "HTTP/1.1 503 Service Unavailable", "Retry-After: \(ConnectionLimits.retryAfterSeconds)", "Content-Length: 0",
        "Connection: close", "", "",
    ].joined(separator: "\r\n")

    init(_ limiter: ConnectionLimiter, isEncrypted: Bool) {
        self.limiter = limiter
        refusal = isEncrypted ? nil : Self.refusal
    }

    func channelActive(context: ChannelHandlerContext) {
        let address = context.channel.remoteAddress?.ipAddress ?? ""
        guard limiter.enter(address) else {
            if let refusal { context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: refusal)), promise: nil) }
            return context.close(promise: nil)
        }
        self.address = address
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let address { limiter.leave(address) }
        address = nil
        context.fireChannelInactive()
    }
}
