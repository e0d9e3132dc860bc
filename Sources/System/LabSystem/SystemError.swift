public import Foundation
import Glibc

/// A kernel call that failed: which call, on what, and why.
///
/// Every function of this module that can fail throws this type. The description is one sentence that names the call
/// and the object, and states in plain words what the errno means.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call as its manual page names it, e.g. `flock`.
    public let call: String
    /// The error number, e.g. `ENOENT`.
    public let errno: Int32
    /// The file, shared-memory name or program the call was about.
    public let path: String?

    /// Makes an error from its parts.
    public init(call: String, errno: Int32, path: String? = nil) {
        self.call = call
        self.errno = errno
        self.path = path
    }

    /// The symbolic name of the error number, e.g. `"ENOENT"`.
    public var name: String { Errno.name(of: errno) }

    /// What the error number means, as a sentence without the object.
    public var sentence: String { Errno.sentence(for: errno) }

    public var description: String {
        if let path {
            return "\(call) '\(path)': \(sentence) (\(name))"
        }
        return "\(call): \(sentence) (\(name))"
    }
}

extension SystemError: LocalizedError {
    public var errorDescription: String? { description }
}

extension SystemError {
    /// The error of the call that has just returned -1; reads the thread's `errno`.
    static func last(_ call: String, path: String? = nil) -> SystemError {
        SystemError(call: call, errno: Glibc.errno, path: path)
    }

    /// Passes a result of the C shim through, turning `-errno` into an error.
    @discardableResult
    static func check(_ result: Int32, _ call: String, path: String? = nil) throws -> Int32 {
        guard result >= 0 else { throw SystemError(call: call, errno: -result, path: path) }
        return result
    }
}

/// Repeats a system call that returns -1 while a signal interrupts it.
func retryingInterrupts<Result: FixedWidthInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result == -1, errno == EINTR { continue }
        return result
    }
}
