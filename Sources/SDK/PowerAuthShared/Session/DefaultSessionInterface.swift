// SPDX-License-Identifier: Apache-2.0

package import Dispatch
package import Foundation
import LabPoints
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
            sandbox.trace(
                .stateSaved,
                [.stateLength: .whole(state.count), .activationId: stored.activationId.map(TraceValue.text)])
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
        let id = stored.activationId
        sandbox.trace(.stateLoaded, [.hasActivation: .boolean(id != nil), .activationId: id.map(TraceValue.text)])
    }
}

/// A session interface whose tasks are brackets around the session: one function opens a task, one ends it.
///
/// Thread rule: that of ``SessionInterface``.
package protocol BracketedSessionInterface: SessionInterface {
    /// The session with its stored state; to be touched inside a task only.
    var session: PowerAuthCoreSession { get }

    /// Opens a task, which may be one inside another.
    /// - Parameter write: the state is stored when the outermost task ends.
    /// - Throws: `invalidActivationState` when the state is out of reach; then nothing was opened.
    func enter(write: Bool) throws(NSError)

    /// Ends the task.
    /// - Throws: `invalidActivationState` when the state could not be stored; the task is over nevertheless.
    func leave() throws(NSError)
}

extension BracketedSessionInterface {
    package func read<T>(_ body: (PowerAuthCoreSession) throws -> T) throws -> T { try run(write: false, body) }
    package func write<T>(_ body: (PowerAuthCoreSession) throws -> T) throws -> T { try run(write: true, body) }

    private func run<T>(write: Bool, _ body: (PowerAuthCoreSession) throws -> T) throws -> T {
        try enter(write: write)
        let result = Result { try body(session) }
        do {
            try leave()
        } catch {
            // A failed body is the more telling of two errors.
            if case .success = result { throw error }
        }
        return try result.get()
    }
}
