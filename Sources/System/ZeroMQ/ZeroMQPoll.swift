import CZeroMQ
import Glibc

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
    ///
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
        items += writers.map {
            zmq_pollitem_t(socket: $0.pollHandle(), fd: 0, events: Int16(ZMQ_POLLOUT), revents: 0)
        }
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
