// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
public import Foundation
import Glibc

/// A ZeroMQ socket.
///
/// Thread rule: belongs to the thread that made it; every call, the last release included, is checked and stops
/// the program when another thread makes it, in release builds too. libzmq would corrupt its memory instead.
public final class ZeroMQSocket {
    /// The messaging pattern of a socket.
    public enum Pattern: Sendable {
        /// Talks to many DEALERs, each addressed by the first part of a message.
        case router
        /// Asynchronous counterpart of ROUTER.
        case dealer
        /// One to one, for threads of one process over `inproc`.
        case pair
        /// Lock-step answers; a ZAP handler uses it.
        case reply

        var number: Int32 {
            switch self {
            case .router: ZMQ_ROUTER
            case .dealer: ZMQ_DEALER
            case .pair: ZMQ_PAIR
            case .reply: ZMQ_REP
            }
        }
    }

    let context: ZeroMQContext
    private let owner: pthread_t
    let handle: UnsafeMutableRawPointer

    /// Opens a socket; it lingers for 0 ms by default.
    public init(_ context: ZeroMQContext = .shared, _ pattern: Pattern) throws {
        self.context = context
        owner = pthread_self()
        guard let handle = zmq_socket(context.handle, pattern.number) else { throw ZeroMQError.last("zmq_socket") }
        self.handle = handle
        do {
            try ZeroMQOption.linger(milliseconds: 0).apply(to: handle)
        } catch {
            zmq_close(handle)
            throw error
        }
    }

    deinit {
        checkThread()
        zmq_close(handle)
    }

    /// Sets an option.
    public func set(_ option: ZeroMQOption) throws {
        checkThread()
        try option.apply(to: handle)
    }

    /// Starts accepting connections at an endpoint such as `ipc:///path`, `tcp://127.0.0.1:*` or `inproc://name`.
    ///
    /// On a live ipc path this succeeds silently and takes the path over; guard it with a `FileLock`.
    public func bind(_ endpoint: String) throws {
        checkThread()
        guard zmq_bind(handle, endpoint) == 0 else { throw ZeroMQError.last("zmq_bind", endpoint) }
    }

    /// Connects to an endpoint, now and again whenever the connection is lost.
    public func connect(_ endpoint: String) throws {
        checkThread()
        guard zmq_connect(handle, endpoint) == 0 else { throw ZeroMQError.last("zmq_connect", endpoint) }
    }

    /// Gives up a connection made by `connect`.
    public func disconnect(_ endpoint: String) throws {
        checkThread()
        guard zmq_disconnect(handle, endpoint) == 0 else { throw ZeroMQError.last("zmq_disconnect", endpoint) }
    }

    /// The endpoint of the last `bind` or `connect`, with the port the system chose for `*`.
    public func lastEndpoint() throws -> String {
        checkThread()
        var buffer = [UInt8](repeating: 0, count: 512)
        var size = buffer.count
        guard zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &buffer, &size) == 0 else {
            throw ZeroMQError.last("zmq_getsockopt", "lastEndpoint")
        }
        return String(decoding: buffer.prefix(size).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Sends one message of one or more parts, all or nothing.
    /// - Parameter wait: whether to block while the message cannot be queued.
    /// - Returns: false when it cannot be sent now: the queue is full, no peer is connected (`EAGAIN`), or a
    ///   ROUTER with `.routerMandatory` does not know the addressee (`EHOSTUNREACH`).
    public func send(_ frames: [Data], wait: Bool = false) throws -> Bool {
        checkThread()
        precondition(!frames.isEmpty, "a message has at least one part")
        for (index, frame) in frames.enumerated() {
            let flags = (wait ? 0 : ZMQ_DONTWAIT) | (index < frames.count - 1 ? ZMQ_SNDMORE : 0)
            let result = frame.withUnsafeBytes { bytes in
                retryingInterrupts { zmq_send(handle, bytes.baseAddress, bytes.count, flags) }
            }
            if result >= 0 { continue }
            let error = zmq_errno()
            // Only the first part can be refused; libzmq keeps a message together.
            if index == 0, error == EAGAIN || error == EHOSTUNREACH { return false }
            throw ZeroMQError(call: "zmq_send", errno: error, subject: nil)
        }
        return true
    }

    /// Takes the next message, without waiting.
    /// - Returns: its parts; nil when no message is there.
    public func receive() throws -> [Data]? { try receiveFromConnection()?.parts }

    /// Takes the next message, without waiting.
    /// - Returns: its parts, and the descriptor of the connection over which it came, for asking the kernel for the
    ///   peer process; nil for a message from this process itself. Nil without a message.
    public func receiveFromConnection() throws -> (parts: [Data], descriptor: Int32?)? {
        checkThread()
        var frames: [Data] = []
        var message = zmq_msg_t()
        zmq_msg_init(&message)
        defer { zmq_msg_close(&message) }
        while true {
            let size = retryingInterrupts { zmq_msg_recv(&message, handle, ZMQ_DONTWAIT) }
            if size < 0 {
                let error = zmq_errno()
                if error == EAGAIN, frames.isEmpty { return nil }
                throw ZeroMQError(call: "zmq_msg_recv", errno: error, subject: nil)
            }
            if let bytes = zmq_msg_data(&message) {
                frames.append(Data(bytes: bytes, count: Int(size)))
            } else {
                frames.append(Data())
            }
            if zmq_msg_more(&message) == 0 {
                let descriptor = zmq_msg_get(&message, ZMQ_SRCFD)
                return (frames, descriptor < 0 ? nil : descriptor)
            }
        }
    }

    /// Reports what happens to the socket's connections.
    public func monitor(_ events: Set<ZeroMQMonitor.Event.Kind>) throws -> ZeroMQMonitor {
        checkThread()
        return try ZeroMQMonitor(observing: self, events: events)
    }

    func pollHandle() -> UnsafeMutableRawPointer {
        checkThread()
        return handle
    }

    private func checkThread() {
        precondition(
            pthread_equal(owner, pthread_self()) != 0, "a ZeroMQ socket was used outside of the thread that made it")
    }
}

/// Repeats a libzmq call that returns -1 while a signal interrupts it.
func retryingInterrupts(_ call: () -> Int32) -> Int32 {
    while true {
        let result = call()
        if result == -1, zmq_errno() == EINTR { continue }
        return result
    }
}

/// An option of a socket, set before `bind` or `connect`.
public enum ZeroMQOption: Sendable {
    /// How long unsent messages keep the context from ending after the socket was closed, in milliseconds. Sockets
    /// of this module start with 0: an absent peer never delays an end.
    case linger(milliseconds: Int32)
    /// Sends only over completed connections, so that nothing piles up for a peer that is not there.
    case immediate(Bool)
    /// Makes a ROUTER refuse a message for an unknown peer (`send` returns false) instead of dropping it silently.
    case routerMandatory(Bool)
    /// The name a ROUTER at the other end knows this socket by: 1 to 255 bytes, the first not zero.
    case routingID(Data)
    /// Messages queued for sending per peer; 0 means no limit.
    case sendHighWaterMark(Int32)
    /// Messages queued after receiving per peer; 0 means no limit.
    case receiveHighWaterMark(Int32)
    /// The largest message part accepted, in bytes; a peer that sends a larger one is disconnected. -1: no limit.
    case maxMessageSize(Int64)
    /// First and largest pause between attempts to reconnect, in milliseconds.
    case reconnectInterval(first: Int32, maximum: Int32)
    /// Asks the other side on every connection whether it is there, and closes one that has not answered for so long; in
    /// milliseconds.
    case heartbeat(interval: Int32, timeout: Int32)
    /// The listening side of an encrypted connection. The domain is what ``CurveGate`` decides by; it must not be empty.
    case curveServer(CurveSecretKey, domain: String)
    /// The connecting side: the key of the listening one, and its own.
    case curveClient(of: CurvePublicKey, CurveKeyPair)

    func apply(to socket: UnsafeMutableRawPointer) throws {
        switch self {
        case .linger(let milliseconds): try set(socket, ZMQ_LINGER, milliseconds)
        case .immediate(let value): try set(socket, ZMQ_IMMEDIATE, Int32(value ? 1 : 0))
        case .routerMandatory(let value): try set(socket, ZMQ_ROUTER_MANDATORY, Int32(value ? 1 : 0))
        case .routingID(let name): try set(socket, ZMQ_ROUTING_ID, name)
        case .sendHighWaterMark(let count): try set(socket, ZMQ_SNDHWM, count)
        case .receiveHighWaterMark(let count): try set(socket, ZMQ_RCVHWM, count)
        case .maxMessageSize(let size): try set(socket, ZMQ_MAXMSGSIZE, size)
        case .reconnectInterval(let first, let maximum):
            try set(socket, ZMQ_RECONNECT_IVL, first)
            try set(socket, ZMQ_RECONNECT_IVL_MAX, maximum)
        case .heartbeat(let interval, let timeout):
            try set(socket, ZMQ_HEARTBEAT_IVL, interval)
            try set(socket, ZMQ_HEARTBEAT_TIMEOUT, timeout)
        case .curveServer(let secret, let domain):
            try set(socket, ZMQ_CURVE_SERVER, Int32(1))
            try set(socket, ZMQ_CURVE_SECRETKEY, text: secret.text)
            try set(socket, ZMQ_ZAP_DOMAIN, Data(domain.utf8))
        case .curveClient(let server, let own):
            try set(socket, ZMQ_CURVE_SERVERKEY, text: server.text)
            try set(socket, ZMQ_CURVE_PUBLICKEY, text: own.publicKey.text)
            try set(socket, ZMQ_CURVE_SECRETKEY, text: own.secretKey.text)
        }
    }

    private func set<Value: FixedWidthInteger>(
        _ socket: UnsafeMutableRawPointer, _ option: Int32, _ value: Value
    ) throws {
        var value = value
        guard zmq_setsockopt(socket, option, &value, MemoryLayout<Value>.size) == 0 else { throw failure }
    }

    private func set(_ socket: UnsafeMutableRawPointer, _ option: Int32, _ value: Data) throws {
        let result = value.withUnsafeBytes { zmq_setsockopt(socket, option, $0.baseAddress, $0.count) }
        guard result == 0 else { throw failure }
    }

    /// A key in Z85, which the library knows by its length with the zero behind it.
    private func set(_ socket: UnsafeMutableRawPointer, _ option: Int32, text: String) throws {
        let result = text.withCString { zmq_setsockopt(socket, option, $0, text.utf8.count + 1) }
        guard result == 0 else { throw failure }
    }

    /// Names the option by its case only: the payload may be large, or not text.
    private var failure: ZeroMQError {
        let label = Mirror(reflecting: self).children.first?.label ?? "option"
        return ZeroMQError.last("zmq_setsockopt", label)
    }
}

/// Waiting for sockets and descriptors together.
public enum ZeroMQPoll {
    /// Which of the polled things are ready now, in the order they were given.
    public struct Readiness: Sendable {
        /// One flag a socket to read from.
        public let sockets: [Bool]
        /// One flag a socket to write to: a message would be queued now.
        public let writers: [Bool]
        /// One flag a descriptor; set too when the other side is closed or in error.
        public let descriptors: [Bool]

        /// Whether anything is ready; false means that the time is over.
        public var isAny: Bool { sockets.contains(true) || writers.contains(true) || descriptors.contains(true) }
    }

    /// Waits until something is ready. Signals do not end the wait.
    /// - Parameters:
    ///   - sockets: sockets of the calling thread to read from.
    ///   - writers: sockets of the calling thread to write to; one may be in both lists.
    ///   - descriptors: file descriptors, e.g. of an `EventDescriptor`.
    ///   - timeoutMilliseconds: how long at most; negative waits without end, 0 only looks.
    public static func poll(
        sockets: [ZeroMQSocket], writers: [ZeroMQSocket] = [], descriptors: [Int32] = [], timeoutMilliseconds: Int = -1
    ) throws -> Readiness {
        var items = sockets.map {
            zmq_pollitem_t(socket: $0.pollHandle(), fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
        }
        items += writers.map { zmq_pollitem_t(socket: $0.pollHandle(), fd: 0, events: Int16(ZMQ_POLLOUT), revents: 0) }
        items += descriptors.map {
            zmq_pollitem_t(socket: nil, fd: $0, events: Int16(ZMQ_POLLIN | ZMQ_POLLERR), revents: 0)
        }
        let end = ContinuousClock.now + .milliseconds(timeoutMilliseconds)
        var rest = timeoutMilliseconds
        while zmq_poll(&items, Int32(items.count), rest) < 0 {
            guard zmq_errno() == EINTR else { throw ZeroMQError.last("zmq_poll") }
            if timeoutMilliseconds > 0 {
                rest = max(0, Int((end - ContinuousClock.now) / .milliseconds(1)))
            }
        }
        let ready = items.map { $0.revents != 0 }
        return withExtendedLifetime((sockets, writers)) {
            Readiness(
                sockets: Array(ready.prefix(sockets.count)),
                writers: Array(ready.dropFirst(sockets.count).prefix(writers.count)),
                descriptors: Array(ready.suffix(descriptors.count)))
        }
    }
}
