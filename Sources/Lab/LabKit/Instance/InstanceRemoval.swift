import Glibc
import LabSystem

/// Removing what an ended instance left.
enum InstanceRemoval {
    /// Removes an instance's shared-memory names and its files elsewhere, then its directory. These go first, because they
    /// are found by the directory; the directory is hidden first, so that what a kill leaves here is recognised as rubbish.
    static func remove(_ layout: InstanceLayout) throws {
        for name in try SharedMemoryObject.list() where name.hasPrefix(layout.sharedMemoryPrefix) {
            try SharedMemoryObject.unlink(name: name)
        }
        guard let claim = try claim(layout.root) else { return }
        OutsideFiles.remove(layout)
        try withExtendedLifetime(claim) {
            do {
                try Files.rename(layout.root, to: layout.hidden.root)
            } catch let error as SystemError where error.errno == ENOENT {
                return
            }
            try Files.removeTree(layout.hidden.root)
        }
    }

    /// Takes the lock of the directory itself, which its remover holds to the end: a directory that is hidden and
    /// not locked has lost its remover.
    ///
    /// - Returns: nil when it has gone, or another process is removing it.
    private static func claim(_ directory: String) throws -> FileLock? {
        do {
            let lock = FileLock(try FileDescriptor.open(directory, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
            return try lock.tryLock() ? lock : nil
        } catch let error as SystemError where error.errno == ENOENT {
            return nil
        }
    }

    /// Whether a directory of a runtime directory is what is left of one whose remover has died.
    static func isAbandoned(_ name: String, in runtimeRoot: String) -> Bool {
        isHidden(name) && (try? claim("\(runtimeRoot)/\(name)")) != nil
    }

    private static func isHidden(_ name: String) -> Bool {
        name.hasPrefix(InstanceLayout.hiddenPrefix)
            && InstanceLayout.isID(name.dropFirst(InstanceLayout.hiddenPrefix.count))
    }

    /// Removes the instances of a runtime directory that have no owner: their processes all ended without cleaning up,
    /// for instance by SIGKILL at once. Anything that is not an instance is left alone.
    static func sweepStale(in runtimeRoot: String) throws {
        for name in try Files.list(runtimeRoot) {
            let path = "\(runtimeRoot)/\(name)"
            if InstanceLayout.isID(name) {
                try sweep(InstanceLayout(root: path))
            } else if let maker = InstanceLayout.maker(ofUnfinished: name) {
                if !ProcessTable.isAlive(maker) { try Files.removeTree(path) }
            } else if isHidden(name), let claim = try claim(path) {
                try withExtendedLifetime(claim) { try Files.removeTree(path) }
            }
        }
    }

    private static func sweep(_ layout: InstanceLayout) throws {
        guard Files.exists(layout.manifestPath),
            let lease = try? FileLock(path: layout.leasePath, create: false), try lease.tryLock(),
            let members = try? FileLock(path: layout.membersPath, create: false), try members.tryLock()
        else { return }
        // Both locks stay taken until the directory is gone: no process can join meanwhile.
        try withExtendedLifetime((lease, members)) { try remove(layout) }
    }
}
