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
    ///
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
    ///
    /// - Returns: its parts; nil when no message is there.
    public func receive() throws -> [Data]? { try receiveFromConnection()?.parts }

    /// Takes the next message, without waiting.
    ///
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

    /// The handle for `zmq_poll`.
    func pollHandle() -> UnsafeMutableRawPointer {
        checkThread()
        return handle
    }

    private func checkThread() {
        precondition(
            pthread_equal(owner, pthread_self()) != 0,
            "a ZeroMQ socket was used outside of the thread that made it")
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
