// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabPoints
package import LabSystem
package import SimulatedDevice
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
        /// The system let the request for the lock fail.
        case notRequested(any Error)

        package var description: String {
            switch self {
            case .heldByOtherObject(let path):
                "Status lock '\(path)' asked for while the same thread holds it through another SDK object of the same "
                    + "instanceId; end the task of the first object before you start one in the second."
            case .system(let error): String(describing: error)
            case .notRequested(let error): String(describing: error)
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

    private struct KnownHolder { weak var holder: Holder? }

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
    package convenience init(path: String, report: LockReport? = nil) throws { try self.init(report: report) { path } }

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
        do { try report?.take() } catch { throw .notRequested(error) }
        report?.willAsk()
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

/// The lock of the file that is currently at a path.
///
/// A lock belongs to an open file. If the file is removed or replaced while applications run, the lock of the old file
/// does not exclude later applications: there would be two locks, each with its own holder. So a lock counts only while
/// its file has a name; otherwise the file at the path is opened.
///
/// Thread rule: that of `FileLock`; one object does not exclude threads that share it.
package final class SharedFileLock: Sendable {
    private struct Open {
        var lock: FileLock
        var replacements = 0
    }

    private let open: Mutex<Open>
    private let locate: @Sendable () -> String

    /// - Parameter locate: gives the path of the file, and makes its directory if missing. Called once, and again when
    ///   the file is missing.
    package init(locate: @escaping @Sendable () -> String) throws {
        self.locate = locate
        open = Mutex(Open(lock: try FileLock(path: locate())))
    }

    /// Where the file is.
    package var path: String { current.path }

    /// How often the file was reopened.
    var replacements: Int { open.withLock { $0.replacements } }

    /// Takes the lock if no other object holds it; a lock that this object holds already stays taken.
    package func tryLock() throws -> Bool {
        while true {
            let lock = current
            let isTaken = try lock.tryLock()
            if try counts(lock) { return isTaken }
            try reopen()
        }
    }

    /// Waits for the lock.
    package func lock() throws {
        while true {
            let lock = current
            try lock.lock()
            if try counts(lock) { return }
            try reopen()
        }
    }

    /// Gives the lock back.
    package func unlock() throws { try current.unlock() }

    private var current: FileLock { open.withLock { $0.lock } }

    /// Whether the lock's file was neither removed nor replaced; otherwise, or if that is unknown, the lock is
    /// released.
    private func counts(_ lock: FileLock) throws -> Bool {
        let isNamed = Result { try lock.isNamed() }
        if case .success(true) = isNamed { return true }
        try lock.unlock()
        return try isNamed.get()
    }

    /// Continues with the file that is at the path now.
    private func reopen() throws {
        let lock = try FileLock(path: locate())
        open.withLock { open in
            open.lock = lock
            open.replacements += 1
        }
    }
}

/// Reports lock events between applications to the system, and lets faults act on them. Thread rule: any thread.
package struct LockReport: Sendable {
    private let lock: SharedLockKind
    private let sandbox: Sandbox

    /// - Parameters:
    ///   - lock: which of the locks.
    ///   - sandbox: the device.
    package init(_ lock: SharedLockKind, sandbox: Sandbox) {
        self.lock = lock
        self.sandbox = sandbox
    }

    /// Before the lock is asked for, whether it is free or not.
    /// - Throws: what the system brings about; then the lock must not be asked for.
    func take() throws { try sandbox.pass(lock.take) }

    /// Before the lock is asked for: whether it is free depends on the other applications.
    func willAsk() { sandbox.touch(lock.thing, writing: true) }

    /// Before a wait for the lock.
    func requested() { sandbox.trace(.lockRequested, [.lock: .word(lock)]) }

    /// After the lock was taken. An armed failure has no meaning here: the lock is held and will be released.
    func taken() {
        sandbox.touch(lock.thing, writing: true)
        sandbox.trace(.lockTaken, [.lock: .word(lock)])
        try? sandbox.pass(lock.taken)
    }

    /// Around the release: reported before, so that the traces of two processes never show two holders.
    func released(by unlock: () -> Void) {
        sandbox.touch(lock.thing, writing: true)
        sandbox.trace(.lockReleased, [.lock: .word(lock)])
        unlock()
        try? sandbox.pass(lock.released)
    }
}

extension SharedLockKind {
    fileprivate var take: FaultPoint {
        switch self {
        case .status: .statusLockTake
        case .queue: .queueLockTake
        case .operation: .operationLockTake
        }
    }

    fileprivate var thing: SharedThing {
        switch self {
        case .status: .statusLock
        case .queue: .queueLock
        case .operation: .operationLock
        }
    }

    fileprivate var taken: FaultPoint {
        switch self {
        case .status: .statusLockTaken
        case .queue: .queueLockTaken
        case .operation: .operationLockTaken
        }
    }

    fileprivate var released: FaultPoint {
        switch self {
        case .status: .statusLockReleased
        case .queue: .queueLockReleased
        case .operation: .operationLockReleased
        }
    }
}
