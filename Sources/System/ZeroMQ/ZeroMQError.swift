import CZeroMQ
import Glibc

/// A failed libzmq call: which call, on what, and libzmq's own text for the error number.
public struct ZeroMQError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The libzmq function, e.g. `zmq_bind`.
    public let call: String
    /// The error number; libzmq adds its own (such as `ETERM`) to the system's.
    public let errno: Int32
    /// The endpoint or option the call was about.
    public let subject: String?

    public var description: String {
        let reason = String(cString: zmq_strerror(errno))
        return subject.map { "\(call) '\($0)': \(reason)" } ?? "\(call): \(reason)"
    }

    static func last(_ call: String, _ subject: String? = nil) -> ZeroMQError {
        ZeroMQError(call: call, errno: zmq_errno(), subject: subject)
    }
}
