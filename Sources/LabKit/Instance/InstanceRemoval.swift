import Foundation
import LabSystem

/// Removing what an ended instance left.
enum InstanceRemoval {
    /// Removes an instance's shared-memory names, then its directory. The names go first, because they are found by
    /// the directory; the directory is hidden first, so that what a kill leaves here is recognised as rubbish.
    static func remove(_ layout: InstanceLayout) throws {
        for name in try SharedMemoryObject.list() where name.hasPrefix(layout.sharedMemoryPrefix) {
            try SharedMemoryObject.unlink(name: name)
        }
        do {
            try Files.rename(layout.root, to: layout.hidden.root)
        } catch let error as SystemError where error.name == "ENOENT" {
            return
        }
        try Files.removeTree(layout.hidden.root)
    }

    /// Removes the instances of a runtime directory that nobody owns: their processes all ended without cleaning
    /// up, for instance by SIGKILL at once. Anything that is not an instance is left alone.
    static func sweepStale(in runtimeRoot: String) throws {
        for name in try Files.list(runtimeRoot) {
            let path = "\(runtimeRoot)/\(name)"
            if InstanceLayout.isID(name) {
                try sweep(InstanceLayout(root: path))
            } else if let maker = InstanceLayout.maker(ofUnfinished: name) {
                if !ProcessTable.isAlive(maker) { try Files.removeTree(path) }
            } else if name.hasPrefix(InstanceLayout.hiddenPrefix),
                InstanceLayout.isID(name.dropFirst(InstanceLayout.hiddenPrefix.count))
            {
                try sweepHidden(InstanceLayout(root: path))
            }
        }
    }

    private static func sweep(_ layout: InstanceLayout) throws {
        guard Files.exists(layout.manifestPath),
            let lease = try? FileLock(path: layout.leasePath, create: false), try lease.tryLock(),
            let members = try? FileLock(path: layout.membersPath, create: false), try members.tryLock()
        else { return }
        // Both locks stay taken until the directory is gone: nobody can join meanwhile.
        try withExtendedLifetime((lease, members)) { try remove(layout) }
    }

    private static func sweepHidden(_ layout: InstanceLayout) throws {
        // Somebody may be removing it at this moment, so a young directory gets time.
        guard let changed = try? Files.modificationTime(layout.root),
            RealTimeClock.nanoseconds() - changed > 10_000_000_000
        else { return }
        if let lease = try? FileLock(path: layout.leasePath, create: false) {
            guard try lease.tryLock() else { return }
        }
        try Files.removeTree(layout.root)
    }
}
