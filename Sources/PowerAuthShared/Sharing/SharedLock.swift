import Foundation
package import LabSystem
import Synchronization

/// A lock between threads and processes that one thread may take several times (sharing.md, section 6).
///
/// The first `lock()` of a thread takes an in-process recursive mutex and the lock of a file; the others only
/// count. The file lock is `flock`, bound to the open file, so two objects on one path exclude each other, also
/// inside one process, and the kernel releases it when the process dies.
///
/// Thread rule: any thread; ``unlock()`` by the thread that locked.
package final class SharedLock: @unchecked Sendable {
    // Safe: `depth` is touched only by the thread that holds `mutex`; the other properties are constants.

    /// Why a lock cannot be taken.
    package enum Failure: Error, CustomStringConvertible {
        /// The calling thread holds the lock of the same file through another object; waiting would never end.
        case heldByOtherObject(path: String)
        /// The system refused.
        case system(SystemError)

        package var description: String {
            switch self {
            case .heldByOtherObject(let path):
                "Status lock '\(path)' asked for while the same thread holds it through another SDK object of the same "
                    + "instanceId; end the task of the first object before you start one in the second."
            case .system(let error):
                String(describing: error)
            }
        }
    }

    private let file: SharedFileLock
    private let mutex = NSRecursiveLock()
    private var depth = 0

    /// Threads of this process that hold a file lock, by path: what a deadlock with oneself is recognised by.
    private static let holders = Mutex<[String: ObjectIdentifier]>([:])

    /// - Parameter locate: gives the path of the file, created when missing. It stays empty and is never deleted.
    package init(locate: @escaping @Sendable () -> String) throws {
        file = try SharedFileLock(locate: locate)
        path = file.path
    }

    /// - Parameter path: the file, created when missing.
    package convenience init(path: String) throws {
        try self.init { path }
    }

    package let path: String

    /// How often the file was found to have been removed or replaced, and the new one was taken instead. Meaningful to
    /// the holder only.
    var replacements: Int { file.replacements }

    /// Takes the lock, waiting for other threads and processes.
    ///
    /// - Parameter whenWaiting: called before a wait for another process, or another object of this one.
    package func lock(whenWaiting: () -> Void = {}) throws(Failure) {
        mutex.lock()
        if depth == 0 {
            do {
                try lockFile(whenWaiting)
            } catch {
                mutex.unlock()
                throw error
            }
        }
        depth += 1
    }

    /// Gives back one `lock()`. Without a matching one it is a defect of the caller and stops the process.
    package func unlock() {
        precondition(depth > 0, "SharedLock.unlock() without lock() on '\(path)'.")
        depth -= 1
        if depth == 0 {
            Self.holders.withLock { _ = $0.removeValue(forKey: path) }
            // Unlocking an open file cannot fail; closing it would release the lock as well.
            try? file.unlock()
        }
        mutex.unlock()
    }

    /// How often the calling thread holds the lock. Meaningful only to the holder, and zero to others because
    /// the in-process mutex is waited for.
    package func withLocalLock<T>(_ body: (_ depth: Int) throws -> T) rethrows -> T {
        mutex.lock()
        defer { mutex.unlock() }
        return try body(depth)
    }

    private func lockFile(_ whenWaiting: () -> Void) throws(Failure) {
        let thread = ObjectIdentifier(Thread.current)
        do {
            if try !file.tryLock() {
                // Entries of other threads may come and go meanwhile; one of this thread cannot.
                guard Self.holders.withLock({ $0[path] }) != thread else {
                    throw Failure.heldByOtherObject(path: path)
                }
                whenWaiting()
                try file.lock()
            }
        } catch let error as SystemError {
            throw .system(error)
        } catch let failure as Failure {
            throw failure
        } catch {
            preconditionFailure("FileLock throws SystemError only, this is \(error).")
        }
        Self.holders.withLock { $0[path] = thread }
    }
}
