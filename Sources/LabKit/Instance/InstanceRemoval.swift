import Foundation
import LabSystem

/// Removing what an ended instance left.
enum InstanceRemoval {
    /// Removes an instance's shared-memory names, then its directory: the directory goes last, because the names
    /// are found by it.
    static func remove(_ layout: InstanceLayout) throws {
        for name in try SharedMemoryObject.list() where name.hasPrefix(layout.sharedMemoryPrefix) {
            try SharedMemoryObject.unlink(name: name)
        }
        try Files.removeTree(layout.root)
    }

    /// Removes the instances of a runtime directory that nobody owns: their processes all ended without cleaning
    /// up, for instance by SIGKILL at once.
    static func sweepStale(in runtimeRoot: String) throws {
        for name in try Files.list(runtimeRoot) {
            let layout = InstanceLayout(root: "\(runtimeRoot)/\(name)")
            guard Files.isDirectory(layout.root) else { continue }
            // The owner of an unfinished instance may not have locked it yet, so such a directory gets time.
            if name.hasPrefix(Instance.unfinishedPrefix), try isYoung(layout.root) { continue }
            try sweep(layout)
        }
    }

    private static func sweep(_ layout: InstanceLayout) throws {
        // Both locks stay taken until the directory is gone: nobody can join meanwhile.
        let locks = [layout.leasePath, layout.membersPath].map { try? FileLock(path: $0, create: false) }
        for case .some(let lock) in locks {
            guard try lock.tryLock() else { return }
        }
        try withExtendedLifetime(locks) { try remove(layout) }
    }

    private static func isYoung(_ path: String) throws -> Bool {
        guard let time = try? Files.modificationTime(path) else { return true }
        return RealTimeClock.nanoseconds() - time < 10_000_000_000
    }
}
