import LabSystem
import Synchronization

/// An infrastructure process's share of its instance: the runner, the server and the device agents hold one each.
/// The last one to leave removes everything the instance had.
///
/// Thread rule: any thread.
public final class Membership: Sendable {
    private let layout: InstanceLayout
    private let lock: FileLock
    /// What leaving came to; nil before it.
    private let wasLast = Mutex<Bool?>(nil)

    /// Joins an instance.
    ///
    /// - Throws: `InstanceError.noInstance` when it has ended.
    public init(joining layout: InstanceLayout) throws {
        self.layout = layout
        guard let lock = try? FileLock(path: layout.membersPath, create: false),
            // The last member takes the lock exclusively before it removes the directory.
            try lock.tryLockShared(), try lock.isCurrent()
        else { throw InstanceError.noInstance(path: layout.root) }
        self.lock = lock
    }

    /// Makes the instance's first membership, before its directory is visible under its final name.
    init(founding layout: InstanceLayout, in directory: InstanceLayout) throws {
        self.layout = layout
        lock = try FileLock(path: directory.membersPath)
        guard try lock.tryLockShared() else { throw InstanceError.noInstance(path: directory.root) }
    }

    /// Leaves the instance. A further call, from another thread for instance, waits for the first one and returns its
    /// result: a process that ends itself after any of them interrupts no removal.
    ///
    /// - Returns: true when this was the last member; then the instance's shared-memory names and its directory
    ///   have been removed.
    @discardableResult
    public func leave() throws -> Bool {
        try wasLast.withLock { wasLast in
            if let wasLast { return wasLast }
            // Giving up the share and asking for the whole lock is one call; of several members that leave at the
            // same time the kernel serves one last, and that one finds no other share.
            let isLast = try lock.tryLock()
            if isLast { try InstanceRemoval.remove(layout) }
            wasLast = isLast
            return isLast
        }
    }
}
