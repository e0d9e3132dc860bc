// SPDX-License-Identifier: Apache-2.0

import HTTPConnections

/// Limits of clients: the time of their connections, and their number. The original leaves them to the servlet
/// container.
///
/// Times are milliseconds of real time: a network does not use the lab's clock.
public struct TrafficLimits: Sendable {
    /// From the first byte of a request, or the beginning of its connection, to the end of its headers.
    public var headerTimeout: Int64 = 10_000
    /// From the end of the headers to the end of the body.
    public var bodyTimeout: Int64 = 30_000
    /// From an answer to the first byte of the next request on its connection.
    public var idleTimeout: Int64 = 30_000
    /// How long a client may leave an answer in the server's hands without taking any of it.
    public var answerTimeout: Int64 = 30_000
    /// How many connections there may be.
    public var connections = 1600
    /// How many of them may come from one address; never more than a quarter of all, see ``addressShare``.
    public var connectionsPerAddress = 400
    /// How many requests may be worked on or wait for it; the next are answered with 503.
    public var waitingRequests = 512
    /// How many activations may wait for identity providers; the next are answered with 503.
    public var identityCalls = 16

    /// The defaults.
    public init() {}

    /// How many connections one address gets: what is configured, and at most a quarter of all, so that a client that opens
    /// as many as it can leaves three quarters to the others.
    var addressShare: Int { max(1, min(connectionsPerAddress, connections / 4)) }

    /// The limits of connections.
    var ofConnections: ConnectionLimits {
        var limits = ConnectionLimits()
        limits.headerTimeout = headerTimeout
        limits.bodyTimeout = bodyTimeout
        limits.idleTimeout = idleTimeout
        limits.answerTimeout = answerTimeout
        limits.connections = connections
        limits.connectionsPerAddress = addressShare
        return limits
    }
}
