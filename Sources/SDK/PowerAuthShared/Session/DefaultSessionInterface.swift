package import Dispatch
package import Foundation
package import SimulatedDevice

/// The session of an application that does not share its activation (sharing.md, section 9).
///
/// One recursive lock orders the threads. The state is loaded once and stored when the outermost task with a write in
/// it ends; no other process is expected to write it.
///
/// Thread rule: that of ``SessionInterface``.
package final class DefaultSessionInterface: BracketedSessionInterface, @unchecked Sendable {
    // Safe: every mutable property, and `stored`, is touched only while `lock` is held.

    private let lock = NSRecursiveLock()
    private let sandbox: Sandbox
    let stored: StoredSession
    private let ignoresSaveFailures: Bool
    private let installation: InstallationCheck
    private var isInstallationChecked = false
    private var taskDepth = 0
    private var savesAtEnd = false
    private var needsLoad = true

    /// Loads the state. Before the first unlock of the device, and when the keychain cannot be read now, the first task
    /// tries again.
    ///
    /// - Parameters:
    ///   - session: the session, not loaded yet.
    ///   - store: where its state lives.
    ///   - installation: the check for a reinstallation, made before the state is loaded.
    ///   - sandbox: the device.
    package init(
        session: PowerAuthCoreSession, store: SessionStateStore, installation: InstallationCheck, sandbox: Sandbox
    ) throws(InvalidConfiguration) {
        self.sandbox = sandbox
        self.installation = installation
        stored = StoredSession(session: session, store: store, sandbox: sandbox)
        ignoresSaveFailures = sandbox.keeps(.counterAfterSave)
        do {
            try checkInstallation()
        } catch {
            guard error == .deviceNotUnlocked else { throw error }
        }
        try? loadIfNeeded()
    }

    /// Always false: no other process changes the tokens.
    package func lockTokenStore() throws -> Bool {
        try enter(write: true)
        return false
    }

    package func tokenStoreWillChange() {}

    package func unlockTokenStore() {
        do {
            try leave()
        } catch {
            PowerAuthLog.write("ERROR: \(error.localizedDescription)")
        }
    }

    /// Nil: there is no other application.
    package var externalPendingOperation: PowerAuthExternalPendingOperation? { nil }

    package func startExternalPendingOperation(_ type: PowerAuthExternalPendingOperationType) throws {}

    package func abandonExternalPendingOperation(_ type: PowerAuthExternalPendingOperationType) {}

    package func addOperation(_ operation: any SerialOperation, toSharedQueue queue: SerialOperationQueue) {
        queue.add(operation)
    }

    package func executeOutsideOfTask(queue: DispatchQueue, _ block: @escaping @Sendable () -> Void) {
        lock.lock()
        let isInTask = taskDepth > 0
        lock.unlock()
        guard isInTask else { return block() }
        queue.async { [self] in
            // The task that asked holds the lock until it is over.
            lock.lock()
            lock.unlock()
            block()
        }
    }

    package var session: PowerAuthCoreSession { stored.session }

    package func enter(write: Bool) throws(NSError) {
        lock.lock()
        do {
            try loadIfNeeded()
        } catch {
            lock.unlock()
            throw .stateFailure(error)
        }
        taskDepth += 1
        if write { savesAtEnd = true }
    }

    package func leave() throws(NSError) {
        defer {
            taskDepth -= 1
            lock.unlock()
        }
        guard taskDepth == 1, savesAtEnd else { return }
        savesAtEnd = false
        guard let state = stored.changes() else { return }
        do {
            try sandbox.pass(.stateSave)
            if ignoresSaveFailures { stored.saveUnchecked(state) } else { try stored.save(state) }
            try sandbox.pass(.stateSaved)
            sandbox.trace(.stateSaved(bytes: state.count, activationId: stored.activationId, counter: nil))
        } catch {
            needsLoad = true
            throw .stateFailure(error)
        }
    }

    private func checkInstallation() throws(InvalidConfiguration) {
        guard !isInstallationChecked else { return }
        try installation.run()
        isInstallationChecked = true
    }

    private func loadIfNeeded() throws {
        guard needsLoad else { return }
        try checkInstallation()
        try stored.load()
        needsLoad = false
        sandbox.trace(.stateLoaded(activationId: stored.activationId, counter: nil))
    }
}
