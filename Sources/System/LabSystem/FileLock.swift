// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An advisory whole-file lock, `flock(2)`: what Apple's platforms use between processes too.
///
/// The lock belongs to the open file of this object. Two `FileLock` objects on one path exclude each other even
/// inside one process; the same object locked twice stays locked once. The kernel releases the lock when
/// the process ends, however it ends. A started program never inherits it.
///
/// Thread rule: may be used from any thread, but one object does not exclude threads that share it.
public final class FileLock: Sendable {
    /// The path of the lock file.
    public let path: String
    private let file: FileDescriptor

    /// Opens the lock file without locking it. The content of an existing file is left alone.
    /// - Parameter create: whether a missing file is made (mode 0600).
    public init(path: String, create: Bool = true) throws {
        self.path = path
        file = try FileDescriptor.open(path, flags: O_RDWR | (create ? O_CREAT : 0), mode: 0o600)
    }

    /// The lock of a file that is open already.
    public init(_ file: FileDescriptor) {
        path = file.path ?? ""
        self.file = file
    }

    /// Waits for the exclusive lock. A signal does not end the wait.
    public func lock() throws { try wait(LOCK_EX) }
    /// Waits for the shared lock. A signal does not end the wait.
    public func lockShared() throws { try wait(LOCK_SH) }

    /// Takes the exclusive lock if no other object holds any; a shared lock held by this object is given up first, also
    /// when the result is false.
    public func tryLock() throws -> Bool { try attempt(LOCK_EX) }
    /// Takes the shared lock if the exclusive one is not held.
    public func tryLockShared() throws -> Bool { try attempt(LOCK_SH) }
    /// Releases the lock; releasing one that is not held does nothing.
    public func unlock() throws { try wait(LOCK_UN) }

    /// Runs `body` while holding the exclusive lock.
    public func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        try lock()
        let outcome = Swift.Result { try body() }
        try unlock()
        return try outcome.get()
    }

    /// Whether the file now found at the path is still the one this object holds open. It is not after the file was
    /// removed or replaced; then the lock does not exclude later processes.
    public func isCurrent() throws -> Bool { try file.isSameFile(asPath: path) }

    /// Whether the file has any name: false after it was removed or replaced. Unlike ``isCurrent()`` it does not look
    /// at the path, which costs as much as taking the lock does.
    public func isNamed() throws -> Bool { try file.sizeIfNamed() != nil }

    /// The open lock file, for owners that keep a note in it (such as their process id).
    public var descriptor: FileDescriptor { file }

    private func wait(_ operation: Int32) throws {
        guard retryingInterrupts({ flock(file.rawValue, operation) }) == 0 else {
            throw SystemError.last("flock", path: path)
        }
    }

    private func attempt(_ operation: Int32) throws -> Bool {
        if retryingInterrupts({ flock(file.rawValue, operation | LOCK_NB) }) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw SystemError.last("flock", path: path)
    }
}
