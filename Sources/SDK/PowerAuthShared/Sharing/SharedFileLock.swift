import LabSystem
import Synchronization

/// The lock of whatever file is at a place now.
///
/// A lock belongs to an open file. When somebody removes or replaces the file while applications run, the lock of the
/// old one excludes nobody who comes later: there would be two locks, and two applications that each believe to be
/// alone. So a lock counts only while its file has a name; otherwise the file at the place is opened.
///
/// Thread rule: that of `FileLock`; one object does not exclude threads that share it.
package final class SharedFileLock: Sendable {
    private struct Open {
        var lock: FileLock
        var replacements = 0
    }

    private let open: Mutex<Open>
    private let locate: @Sendable () -> String

    /// - Parameter locate: gives the path of the file, and makes its directory when that is missing. Called once, and
    ///   again when the file is not there any more.
    package init(locate: @escaping @Sendable () -> String) throws {
        self.locate = locate
        open = Mutex(Open(lock: try FileLock(path: locate())))
    }

    /// Where the file is.
    package var path: String { current.path }

    /// How often the file was opened anew.
    var replacements: Int { open.withLock { $0.replacements } }

    /// Takes the lock if nobody else holds it; one that this object holds already stays taken.
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

    /// Whether the lock's file was neither removed nor replaced; the lock of one that was, or cannot be asked, is given back.
    private func counts(_ lock: FileLock) throws -> Bool {
        let isNamed = Result { try lock.isNamed() }
        if case .success(true) = isNamed { return true }
        try lock.unlock()
        return try isNamed.get()
    }

    /// Goes on with the file that is at the place now.
    private func reopen() throws {
        let lock = try FileLock(path: locate())
        open.withLock { open in
            open.lock = lock
            open.replacements += 1
        }
    }
}
