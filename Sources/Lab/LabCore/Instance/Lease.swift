// SPDX-License-Identifier: Apache-2.0

import LabSystem
import Synchronization

/// The lock that keeps an instance alive. The runner holds it; when the runner ends, however it ends, the kernel
/// releases it, and its watchers are notified at once.
///
/// Thread rule: any thread.
public final class Lease: Sendable {
    private let lock: FileLock

    /// Takes the lease of an instance that is being made.
    init(acquiring path: String) throws {
        lock = try FileLock(path: path)
        guard try lock.tryLock() else { throw InstanceError.noInstance(path: path) }
    }

    /// Gives the lease up: the watchers end the instance.
    public func release() throws { try lock.unlock() }

    /// Whether a process holds the lease of an instance.
    public static func isHeld(_ layout: InstanceLayout) -> Bool {
        guard let probe = try? FileLock(path: layout.leasePath, create: false) else { return false }
        return (try? probe.tryLockShared()) == false
    }

    /// A running watch; dropping it does not end it. Thread rule: any thread.
    public final class Watch: Sendable {
        private let isCancelled = Atomic<Bool>(false)

        /// Makes sure that the handler is no longer called. The waiting thread stays until the lease is free.
        public func cancel() { isCancelled.store(true, ordering: .releasing) }

        fileprivate var isActive: Bool { !isCancelled.load(ordering: .acquiring) }
    }

    /// Calls `onLost` once, on a thread of its own, when the last process has released the lease.
    ///
    /// The thread waits in the kernel for a share of the lock; no timer is involved.
    /// - Throws: `InstanceError.noInstance` when the instance has ended already.
    @discardableResult
    public static func watch(_ layout: InstanceLayout, onLost: @escaping @Sendable () -> Void) throws -> Watch {
        guard let lock = try? FileLock(path: layout.leasePath, create: false) else {
            throw InstanceError.noInstance(path: layout.root)
        }
        let watch = Watch()
        runOnThread(name: "lease") {
            // Only a kernel out of locks fails here; a process that cannot watch the lease takes it for lost.
            try? lock.lockShared()
            if watch.isActive { onLost() }
        }
        return watch
    }
}

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
