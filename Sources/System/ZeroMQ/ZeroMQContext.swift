// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import Glibc

/// The process's side of ZeroMQ: the thread that moves bytes, and the `inproc` name space.
///
/// Thread rule: any thread. A context must not be used across `fork`.
public final class ZeroMQContext: @unchecked Sendable {
    // Sendable is safe: libzmq documents contexts as thread-safe, and `handle` never changes.
    let handle: UnsafeMutableRawPointer

    /// The context nearly everybody uses; made at first use, never ended.
    public static let shared = ZeroMQContext()

    /// Makes a separate context, for tests and for callers that must be able to end it.
    public init() {
        // zmq_ctx_new fails only when the process has no memory left for it.
        guard let handle = zmq_ctx_new() else { fatalError("zmq_ctx_new: \(ZeroMQError.last("zmq_ctx_new"))") }
        self.handle = handle
        zmq_ctx_set(handle, ZMQ_BLOCKY, 0)
        zmq_ctx_set(handle, ZMQ_MAX_SOCKETS, 16_384)
    }

    /// Ends the waits of its sockets; all that is done with them fails from now on.
    func shutDown() { zmq_ctx_shutdown(handle) }

    // Every socket keeps its context, so all are closed by now and this does not block.
    deinit { zmq_ctx_term(handle) }
}

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

/// The library of the system that the lab's sockets are made with.
public enum ZeroMQLibrary {
    /// The version that is loaded, `4.3.5`.
    public static var version: String {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        zmq_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }
}
