// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import PowerAuthProtocol
package import SimulatedDevice
import Synchronization

/// What orders accesses to the token records, between threads and between applications (sharing.md, section 7.7).
///
/// Thread rule: the three functions belong together on one thread; others wait.
package protocol TokenStoreLock: AnyObject, Sendable {
    /// Opens the token store for one access, as a write task. Pair with ``unlockTokenStore()`` on the same thread.
    /// - Returns: true when another application changed tokens, so cached ones are stale.
    /// - Throws: `NSError` with the code `invalidActivationState` when the lock or the state is out of reach; then
    ///   nothing was locked.
    func lockTokenStore() throws -> Bool

    /// Announces that the open access is going to store or remove a record, so that the other applications drop their
    /// cached tokens. Called before the change: if the process dies in between, no application keeps a stale token.
    /// Counted once for each access.
    func tokenStoreWillChange()
    /// Ends the access that ``lockTokenStore()`` opened.
    func unlockTokenStore()
}

/// No locking at all, as in the vendor's Extensions SDK (sharing.md, section 18). Each keychain call is atomic by
/// itself. Thread rule: any thread.
package final class UnlockedTokenStore: TokenStoreLock {
    package init() {}
    package func lockTokenStore() -> Bool { false }
    package func tokenStoreWillChange() {}
    package func unlockTokenStore() {}
}

/// The lock of an extension that was started before the first unlock of the device, when lock files are out of reach:
/// opened by the first access that can (sharing.md, section 21.6).
///
/// Thread rule: that of ``TokenStoreLock``.
package final class DeferredTokenLock: TokenStoreLock {
    private let open: @Sendable () throws(InvalidConfiguration) -> any TokenStoreLock
    private let opened = Mutex<(any TokenStoreLock)?>(nil)

    /// - Parameter open: opens the lock; called until it succeeds.
    package init(_ open: @escaping @Sendable () throws(InvalidConfiguration) -> any TokenStoreLock) { self.open = open }

    package func lockTokenStore() throws -> Bool {
        let lock = try opened.withLock { opened in
            if let opened { return opened }
            do {
                let lock = try open()
                opened = lock
                return lock
            } catch {
                throw NSError.stateFailure(error)
            }
        }
        return try lock.lockTokenStore()
    }

    package func tokenStoreWillChange() { opened.withLock { $0 }?.tokenStoreWillChange() }
    package func unlockTokenStore() { opened.withLock { $0 }?.unlockTokenStore() }
}

/// Orders an extension's token accesses with the applications that share the activation, and notifies them of changes
/// (sharing.md, D28). It has no session and no operation of its own.
///
/// Thread rule: that of ``TokenStoreLock``.
package final class SharedTokenLock: TokenStoreLock, @unchecked Sendable {
    // Safe: `changeIsAnnounced` and the content of `memory` are touched only while the status lock is held.

    private let statusLock: SharedLock
    private let memory: SharedMemory
    private let sandbox: Sandbox
    private var changeIsAnnounced = false

    /// - Parameters:
    ///   - sharing: a valid configuration.
    ///   - instanceId: the instance identifier that all sharing applications use.
    ///   - sandbox: the device.
    package init(
        sharing: PowerAuthSharingConfiguration, instanceId: String, sandbox: Sandbox
    ) throws(InvalidConfiguration) {
        let names = SharedNames(
            instanceId: instanceId, appGroup: sharing.appGroup, memoryIdentifier: sharing.sharedMemoryIdentifier)
        let container = try AppGroupContainer(appGroup: sharing.appGroup, sandbox: sandbox)
        let status = try container.opened(names.statusLock) {
            try SharedLock(report: LockReport(.status, sandbox: sandbox), locate: $0)
        }
        do {
            try status.lock()
        } catch {
            throw .lockFileUnavailable(path: status.path, reason: error.description)
        }
        defer { status.unlock() }
        statusLock = status
        memory = try SharedMemory(names: names, container: container, statusLock: status, sandbox: sandbox)
        self.sandbox = sandbox
    }

    /// Always true: an extension caches nothing.
    package func lockTokenStore() throws -> Bool {
        do {
            try statusLock.lock()
        } catch {
            throw NSError.stateFailure(error)
        }
        do {
            _ = try memory.rejoin(statusLock)
        } catch {
            statusLock.unlock()
            throw NSError.stateFailure(error)
        }
        return true
    }

    package func tokenStoreWillChange() {
        guard !changeIsAnnounced else { return }
        memory.writableData.countTokenChange()
        changeIsAnnounced = true
        try? sandbox.pass(.tokenCounterBumped)
    }

    package func unlockTokenStore() {
        changeIsAnnounced = false
        statusLock.unlock()
    }
}
