// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import Foundation
import Synchronization

/// The stream of connection events of one socket. Thread rule: as the socket it observes.
public final class ZeroMQMonitor {
    /// Something that happened to a connection.
    public struct Event: Sendable {
        /// What happened.
        public enum Kind: Sendable, CaseIterable {
            /// A connection was made; the handshake has not happened yet.
            case connected
            /// A server accepted a connection; the handshake has not happened yet.
            case accepted
            /// The handshake is complete: messages flow.
            case handshakeSucceeded
            /// The handshake failed, for instance because of a wrong key.
            case handshakeFailed
            /// The connection is lost.
            case disconnected

            var mask: Int32 {
                switch self {
                case .connected: ZMQ_EVENT_CONNECTED
                case .accepted: ZMQ_EVENT_ACCEPTED
                case .handshakeSucceeded: ZMQ_EVENT_HANDSHAKE_SUCCEEDED
                case .handshakeFailed:
                    ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
                        | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
                case .disconnected: ZMQ_EVENT_DISCONNECTED
                }
            }
        }

        /// What happened.
        public let kind: Kind
        /// What the library says more: of an accepted or a lost connection its descriptor, which a later one may get.
        public let value: Int32
        /// The endpoint concerned.
        public let endpoint: String
    }

    private static let lastNumber = Atomic<Int>(0)

    /// The socket the events arrive on, for polling.
    public let socket: ZeroMQSocket
    private let observed: ZeroMQSocket

    init(observing observed: ZeroMQSocket, events: Set<Event.Kind>) throws {
        self.observed = observed
        let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        let endpoint = "inproc://monitor-\(number)"
        let mask = events.reduce(0) { $0 | $1.mask }
        guard zmq_socket_monitor(observed.handle, endpoint, mask) == 0 else {
            throw ZeroMQError.last("zmq_socket_monitor", endpoint)
        }
        do {
            socket = try ZeroMQSocket(observed.context, .pair)
            try socket.connect(endpoint)
        } catch {
            zmq_socket_monitor(observed.handle, nil, 0)
            throw error
        }
    }

    // Before the events' receiver is closed: libzmq's own thread would wait forever to deliver the next event.
    deinit { zmq_socket_monitor(observed.handle, nil, 0) }

    /// The next event, without waiting; nil without one.
    public func next() throws -> Event? {
        while let frames = try socket.receive() {
            // First part: event number (2 bytes) and value (4 bytes) in the machine's byte order; second: endpoint.
            guard frames.count == 2, frames[0].count == 6 else { continue }
            let number = Int32(frames[0].withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) })
            guard let kind = Event.Kind.allCases.first(where: { $0.mask & number != 0 }) else { continue }
            let value = frames[0].withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 2, as: Int32.self) }
            return Event(kind: kind, value: value, endpoint: String(decoding: frames[1], as: UTF8.self))
        }
        return nil
    }
}
