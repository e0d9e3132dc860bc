package import SimulatedDevice

/// Reports lock events between applications to the system, and lets faults act on them.
///
/// Thread rule: any thread.
package struct LockReport: Sendable {
    private let lock: AppEvent.SharedLockKind
    private let sandbox: Sandbox

    /// - Parameters:
    ///   - lock: which of the locks.
    ///   - sandbox: the device.
    package init(_ lock: AppEvent.SharedLockKind, sandbox: Sandbox) {
        self.lock = lock
        self.sandbox = sandbox
    }

    /// Before a wait for the lock.
    func requested() {
        sandbox.trace(.lockRequested(lock))
    }

    /// After the lock was taken. An armed failure has no meaning here: the lock is held and will be released.
    func taken() {
        sandbox.trace(.lockTaken(lock))
        try? sandbox.pass(lock.taken)
    }

    /// Around the release: reported before, so that the traces of two processes never show two holders.
    func released(by unlock: () -> Void) {
        sandbox.trace(.lockReleased(lock))
        unlock()
        try? sandbox.pass(lock.released)
    }
}

extension AppEvent.SharedLockKind {
    fileprivate var taken: Checkpoint {
        switch self {
        case .status: .statusLockTaken
        case .queue: .queueLockTaken
        case .operation: .operationLockTaken
        }
    }

    fileprivate var released: Checkpoint {
        switch self {
        case .status: .statusLockReleased
        case .queue: .queueLockReleased
        case .operation: .operationLockReleased
        }
    }
}
