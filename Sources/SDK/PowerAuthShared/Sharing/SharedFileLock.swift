import LabSystem
import Synchronization

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
