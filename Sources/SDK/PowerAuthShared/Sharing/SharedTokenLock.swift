import Foundation
import PowerAuthProtocol
package import SimulatedDevice

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
        memory.data.countTokenChange()
        changeIsAnnounced = true
        try? sandbox.pass(.tokenCounterBumped)
    }

    package func unlockTokenStore() {
        changeIsAnnounced = false
        statusLock.unlock()
    }
}
