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
    private let report: LockReport?
    private let mutex = NSRecursiveLock()
    private var depth = 0

    /// The thread of this process that holds the lock of a file, through any object, to detect a deadlock with itself.
    /// 0 for none.
    private final class Holder: Sendable {
        let thread = Atomic<UInt>(0)
    }

    private struct KnownHolder {
        weak var holder: Holder?
    }

    /// The holders by path; one lives as long as an object of its path.
    private static let holders = Mutex<[String: KnownHolder]>([:])

    private let holder: Holder

    /// - Parameters:
    ///   - report: is notified of the first `lock()` and the last `unlock()`.
    ///   - locate: gives the path of the file, created when missing. It stays empty and is never deleted.
    package init(report: LockReport? = nil, locate: @escaping @Sendable () -> String) throws {
        file = try SharedFileLock(locate: locate)
        path = file.path
        holder = Self.holder(path: path)
        self.report = report
    }

    private static func holder(path: String) -> Holder {
        holders.withLock { holders in
            if let known = holders[path]?.holder { return known }
            holders = holders.filter { $0.value.holder != nil }
            let holder = Holder()
            holders[path] = KnownHolder(holder: holder)
            return holder
        }
    }

    /// - Parameters:
    ///   - path: the file, created when missing.
    ///   - report: is notified of the first `lock()` and the last `unlock()`.
    package convenience init(path: String, report: LockReport? = nil) throws {
        try self.init(report: report) { path }
    }

    package let path: String

    /// How often the file was found to have been removed or replaced, and the new one was taken instead. Meaningful to
    /// the holder only.
    var replacements: Int { file.replacements }

    /// Takes the lock, waiting for other threads and processes.
    package func lock() throws(Failure) {
        mutex.lock()
        if depth == 0 {
            do {
                try lockFile()
            } catch {
                mutex.unlock()
                throw error
            }
            report?.taken()
        }
        depth += 1
    }

    /// Releases one `lock()`. Without a matching one it is a defect of the caller and stops the process.
    package func unlock() {
        precondition(depth > 0, "SharedLock.unlock() without lock() on '\(path)'.")
        if depth == 1, let report {
            report.released(by: release)
        } else {
            release()
        }
    }

    private func release() {
        depth -= 1
        if depth == 0 {
            holder.thread.store(0, ordering: .relaxed)
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

    private func lockFile() throws(Failure) {
        let thread = UInt(pthread_self())
        do {
            if try !file.tryLock() {
                // Other threads may come and go meanwhile; this one cannot.
                guard holder.thread.load(ordering: .relaxed) != thread else {
                    throw Failure.heldByOtherObject(path: path)
                }
                report?.requested()
                try file.lock()
            }
        } catch let error as SystemError {
            throw .system(error)
        } catch let failure as Failure {
            throw failure
        } catch {
            preconditionFailure("FileLock throws SystemError only, this is \(error).")
        }
        holder.thread.store(thread, ordering: .relaxed)
    }
}
