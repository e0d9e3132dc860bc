// SPDX-License-Identifier: Apache-2.0

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
        if let path { return "\(call) '\(path)': \(sentence) (\(name))" }
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

/// Names and meanings of error numbers.
public enum Errno {
    /// The symbolic name, e.g. `"ENOENT"`; `"errno 4711"` for a number without a name here.
    public static func name(of number: Int32) -> String { entries[number]?.name ?? "errno \(number)" }
    /// The number of a symbolic name, e.g. `"ENOSPC"`; nil when the name is unknown.
    public static func number(named name: String) -> Int32? { numbers[name] }

    /// All names known here, sorted.
    public static var names: [String] { numbers.keys.sorted() }

    /// What the number means; for a number without a sentence here, the C library's text.
    static func sentence(for number: Int32) -> String { entries[number]?.sentence ?? String(cString: strerror(number)) }

    private struct Entry {
        let name: String
        let sentence: String
    }

    private static let numbers = Dictionary(uniqueKeysWithValues: entries.map { ($1.name, $0) })

    private static let entries: [Int32: Entry] = [
        EPERM: Entry(name: "EPERM", sentence: "the operation is not permitted"),
        ENOENT: Entry(name: "ENOENT", sentence: "there is no such file, directory or name"),
        ESRCH: Entry(name: "ESRCH", sentence: "there is no such process"),
        EINTR: Entry(name: "EINTR", sentence: "a signal interrupted the call"),
        EIO: Entry(name: "EIO", sentence: "the device reported an input/output error"),
        ENXIO: Entry(name: "ENXIO", sentence: "no process has the other end open"),
        E2BIG: Entry(name: "E2BIG", sentence: "the arguments and the environment are too long"),
        ENOEXEC: Entry(name: "ENOEXEC", sentence: "the file is not a program this system can run"),
        EBADF: Entry(name: "EBADF", sentence: "the descriptor is closed or was opened for another use"),
        ECHILD: Entry(name: "ECHILD", sentence: "it is not a child of this process, or it was waited for already"),
        EAGAIN: Entry(name: "EAGAIN", sentence: "it is not possible right now"),
        ENOMEM: Entry(name: "ENOMEM", sentence: "there is not enough memory"),
        EACCES: Entry(name: "EACCES", sentence: "permission is denied"),
        EFAULT: Entry(name: "EFAULT", sentence: "an address lies outside of the process"),
        EBUSY: Entry(name: "EBUSY", sentence: "it is in use"),
        EEXIST: Entry(name: "EEXIST", sentence: "it exists already"),
        EXDEV: Entry(name: "EXDEV", sentence: "source and target lie on different file systems"),
        ENODEV: Entry(name: "ENODEV", sentence: "the device does not support the operation"),
        ENOTDIR: Entry(name: "ENOTDIR", sentence: "a part of the path is not a directory"),
        EISDIR: Entry(name: "EISDIR", sentence: "it is a directory"),
        EINVAL: Entry(name: "EINVAL", sentence: "an argument is invalid"),
        ENFILE: Entry(name: "ENFILE", sentence: "the system has too many open files"),
        EMFILE: Entry(name: "EMFILE", sentence: "the process has too many open files (see `ulimit -n`)"),
        ENOTTY: Entry(name: "ENOTTY", sentence: "the descriptor does not support this request"),
        ETXTBSY: Entry(name: "ETXTBSY", sentence: "the program is being written to"),
        EFBIG: Entry(name: "EFBIG", sentence: "the file would become too large"),
        ENOSPC: Entry(name: "ENOSPC", sentence: "the disk is full"),
        ESPIPE: Entry(name: "ESPIPE", sentence: "the descriptor has no position"),
        EROFS: Entry(name: "EROFS", sentence: "the file system is read-only"),
        EMLINK: Entry(name: "EMLINK", sentence: "it has too many links"),
        EPIPE: Entry(name: "EPIPE", sentence: "the reading side is closed"),
        EDEADLK: Entry(name: "EDEADLK", sentence: "waiting for the lock would never end"),
        ENAMETOOLONG: Entry(name: "ENAMETOOLONG", sentence: "the name is too long"),
        ENOLCK: Entry(name: "ENOLCK", sentence: "the system has no locks left"),
        ENOSYS: Entry(name: "ENOSYS", sentence: "this kernel does not have the call"),
        ENOTEMPTY: Entry(name: "ENOTEMPTY", sentence: "the directory is not empty"),
        ELOOP: Entry(name: "ELOOP", sentence: "the path goes through too many symbolic links"),
        EOVERFLOW: Entry(name: "EOVERFLOW", sentence: "a value is too large for its type"),
        ENOTSUP: Entry(name: "ENOTSUP", sentence: "the operation is not supported here"),
        EADDRINUSE: Entry(name: "EADDRINUSE", sentence: "the address is in use"),
        EADDRNOTAVAIL: Entry(name: "EADDRNOTAVAIL", sentence: "the address is not available"),
        ENETUNREACH: Entry(name: "ENETUNREACH", sentence: "the network is unreachable"),
        ECONNRESET: Entry(name: "ECONNRESET", sentence: "the other side reset the connection"),
        ECONNREFUSED: Entry(name: "ECONNREFUSED", sentence: "no process accepts connections there"),
        EHOSTUNREACH: Entry(name: "EHOSTUNREACH", sentence: "the host is unreachable"),
        ETIMEDOUT: Entry(name: "ETIMEDOUT", sentence: "it timed out"),
        EDQUOT: Entry(name: "EDQUOT", sentence: "the disk quota is used up"),
        ECANCELED: Entry(name: "ECANCELED", sentence: "it was cancelled"),
    ]
}
