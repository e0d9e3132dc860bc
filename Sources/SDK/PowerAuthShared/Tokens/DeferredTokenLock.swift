import Foundation
import SimulatedDevice
import Synchronization

/// The lock of an extension that was started before the first unlock of the device, when lock files are out of reach:
/// opened by the first access that can (sharing.md, section 21.6).
///
/// Thread rule: that of ``TokenStoreLock``.
package final class DeferredTokenLock: TokenStoreLock {
    private let open: @Sendable () throws(InvalidConfiguration) -> any TokenStoreLock
    private let opened = Mutex<(any TokenStoreLock)?>(nil)

    /// - Parameter open: opens the lock; called until it succeeds.
    package init(_ open: @escaping @Sendable () throws(InvalidConfiguration) -> any TokenStoreLock) {
        self.open = open
    }

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
