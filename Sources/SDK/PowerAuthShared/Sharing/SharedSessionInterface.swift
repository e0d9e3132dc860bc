// SPDX-License-Identifier: Apache-2.0

package import Dispatch
package import Foundation
import LabPoints
import PowerAuthProtocol
package import SimulatedDevice

/// The session of applications that share one activation (sharing.md, sections 7 and 8).
///
/// Three file locks and one piece of memory order the applications:
///
///     lock       kind                     held
///     queue      blocking                 for one signed request, including its time on the network
///     status     recursive, blocking      for one outermost task
///     operation  only ever tried          from start to end of a critical operation
///
/// A thread takes them in this order and never waits for the queue lock inside a task.
///
/// Thread rule: that of ``SessionInterface``.
package final class SharedSessionInterface: BracketedSessionInterface, @unchecked Sendable {
    // Safe: every mutable property, `stored`, `operation` and the content of `memory` are touched only while the
    // status lock is held (in-process mutex and file lock).

    let sandbox: Sandbox
    let stored: StoredSession
    let memory: SharedMemory
    let statusLock: SharedLock
    let operation: ExternalOperation
    private let queueLock: SharedFileLock
    private let queueReport: LockReport
    private let originalSaveOrder: Bool
    /// The counters that this process is in step with; nil if it is not in step, regardless of the memory.
    private var stateModifyCounter: UInt64?
    private var tokenModifyCounter: UInt64?
    private var tokenChangeIsAnnounced = false
    private var taskDepth = 0
    private var savesAtEnd = false

    private var shared: SharedData { memory.data }

    /// Opens locks and memory, and loads the state.
    /// - Parameters:
    ///   - session: the session, not loaded yet.
    ///   - store: where its state lives.
    ///   - sharing: a valid configuration.
    ///   - instanceId: the instance identifier that all sharing applications use.
    ///   - installation: the check for a reinstallation, made under the status lock before the state is loaded.
    ///   - sandbox: the device.
    package init(
        session: PowerAuthCoreSession, store: SessionStateStore, sharing: PowerAuthSharingConfiguration,
        instanceId: String, installation: InstallationCheck, sandbox: Sandbox
    ) throws(InvalidConfiguration) {
        let names = SharedNames(
            instanceId: instanceId, appGroup: sharing.appGroup, memoryIdentifier: sharing.sharedMemoryIdentifier)
        let container = try AppGroupContainer(appGroup: sharing.appGroup, sandbox: sandbox)
        let status = try container.opened(names.statusLock) {
            try SharedLock(report: LockReport(.status, sandbox: sandbox), locate: $0)
        }
        let operationLock = try container.opened(names.operationLock, SharedFileLock.init(locate:))
        queueLock = try container.opened(names.queueLock, SharedFileLock.init(locate:))
        queueReport = LockReport(.queue, sandbox: sandbox)
        do {
            try status.lock()
        } catch {
            throw .lockFileUnavailable(path: status.path, reason: error.description)
        }
        defer { status.unlock() }
        memory = try SharedMemory(names: names, container: container, statusLock: status, sandbox: sandbox)
        self.sandbox = sandbox
        statusLock = status
        originalSaveOrder = sandbox.keeps(.counterAfterSave)
        stored = StoredSession(session: session, store: store, sandbox: sandbox)
        operation = ExternalOperation(
            memory: memory, lock: operationLock, applicationId: sharing.appIdentifier, sandbox: sandbox)
        operation.clearIfOwnerIsGone()
        try installation.run { try countRemoval() }
        // When the keychain cannot be read now, the counters differ and the first task tries again.
        try? load()
    }

    // MARK: Tokens

    package func lockTokenStore() throws -> Bool {
        try enter(write: true)
        return tokenModifyCounter != shared.tokenModifyCounter
    }

    package func tokenStoreWillChange() {
        guard !tokenChangeIsAnnounced else { return }
        memory.writableData.countTokenChange()
        tokenChangeIsAnnounced = true
        try? sandbox.pass(.tokenCounterBumped)
    }

    package func unlockTokenStore() {
        tokenModifyCounter = shared.tokenModifyCounter
        tokenChangeIsAnnounced = false
        do {
            try leave()
        } catch {
            PowerAuthLog.write("ERROR: \(error.localizedDescription)")
        }
    }

    // MARK: External pending operation

    package var externalPendingOperation: PowerAuthExternalPendingOperation? { readTask { _ in operation.ofOthers() } }

    package func startExternalPendingOperation(_ type: PowerAuthExternalPendingOperationType) throws {
        try write { _ in try operation.start(type) }
    }

    package func abandonExternalPendingOperation(_ type: PowerAuthExternalPendingOperationType) {
        readVoidTask { _ in operation.abandon(type) }
    }

    // MARK: Work outside of tasks

    package func addOperation(_ operation: any SerialOperation, toSharedQueue queue: SerialOperationQueue) {
        if statusLock.withLocalLock({ $0 > 0 }) {
            PowerAuthLog.write(
                "ERROR: Adding operation to shared queue from session task can lead to interprocess deadlock.")
        }
        queue.add(
            operation,
            around: SerialOperationQueue.Bracket(
                enter: { [self] in
                    do {
                        try queueReport.take()
                        queueReport.willAsk()
                        if try !queueLock.tryLock() {
                            queueReport.requested()
                            try queueLock.lock()
                        }
                    } catch {
                        // Without the lock it could use the same counter as a request of another application.
                        throw NSError.queueLockFailure(error, path: queueLock.path)
                    }
                    queueReport.taken()
                },
                leave: { [self] in
                    queueReport.released { try? queueLock.unlock() }
                }))
    }

    package func executeOutsideOfTask(queue: DispatchQueue, _ block: @escaping @Sendable () -> Void) {
        guard statusLock.withLocalLock({ $0 > 0 }) else { return block() }
        queue.async { [self] in
            // The task that asked holds the mutex until it is over.
            statusLock.withLocalLock { _ in }
            block()
        }
    }

    // MARK: Tasks

    package var session: PowerAuthCoreSession { stored.session }

    package func enter(write: Bool) throws(NSError) {
        do {
            try statusLock.lock()
        } catch {
            PowerAuthLog.criticalWarning(error.description)
            throw .stateFailure(error)
        }
        taskDepth += 1
        if taskDepth == 1 {
            do {
                try rejoin()
                if stateModifyCounter != shared.stateModifyCounter { try load() }
            } catch {
                release()
                throw .stateFailure(error)
            }
        }
        if write { savesAtEnd = true }
    }

    package func leave() throws(NSError) {
        defer { release() }
        guard taskDepth == 1 else { return }
        var failure: NSError?
        if savesAtEnd {
            savesAtEnd = false
            do {
                try rejoin()
            } catch {
                // Without memory there is nothing to count in; the next task finds the stored state again.
                stateModifyCounter = nil
                throw .stateFailure(error)
            }
            do {
                try save()
            } catch {
                failure = .stateFailure(error)
                // The session must not continue with a state that no other process can see.
                stateModifyCounter = nil
                try? load()
            }
        }
        operation.endOfTask(session: stored.session)
        if let failure { throw failure }
    }

    private func release() {
        taskDepth -= 1
        statusLock.unlock()
    }

    // MARK: State

    /// Continues with the memory and the locks that the other applications use now, and with their state.
    private func rejoin() throws(InvalidConfiguration) {
        guard try memory.rejoin(statusLock) else { return }
        tokenModifyCounter = nil
        // A session that holds the stored state stays: loading would end an activation that is pending in it.
        let isInStep = stateModifyCounter != nil && stored.isUpToDate
        stateModifyCounter = isInStep ? shared.stateModifyCounter : nil
        operation.publishAgain()
    }

    private func load() throws(StoredSession.Unavailable) {
        try stored.load()
        stateModifyCounter = shared.stateModifyCounter
        let id = stored.activationId
        sandbox.trace(
            .stateLoaded,
            [
                .hasActivation: .boolean(id != nil), .activationId: id.map(TraceValue.text),
                .changeCounter: stateModifyCounter.map { .whole($0) },
            ])
    }

    /// Stores a changed state and counts the change.
    ///
    /// Counted first: if the process dies before the keychain was written, the others load once too often. The original
    /// writes first, so that after a crash in between the others take an old signature counter for current (sharing.md,
    /// D7).
    private func save() throws {
        guard let state = stored.changes() else { return }
        if !originalSaveOrder { try countChange() }
        try sandbox.pass(.stateSave)
        if originalSaveOrder { stored.saveUnchecked(state) } else { try stored.save(state) }
        try sandbox.pass(.stateSaved)
        if originalSaveOrder { try countChange() }
        stateModifyCounter = shared.stateModifyCounter
        sandbox.trace(
            .stateSaved,
            [
                .stateLength: .whole(state.count), .activationId: stored.activationId.map(TraceValue.text),
                .changeCounter: stateModifyCounter.map { .whole($0) },
            ])
    }

    private func countChange() throws {
        try sandbox.pass(.counterBumped)
        memory.writableData.countStateChange()
        sandbox.trace(.counterBumped, [.changeCounter: .whole(shared.stateModifyCounter)])
    }

    /// Counts that state and tokens are about to be removed. Counted first, as a change is: the others check once too
    /// often if the process dies before the removal.
    private func countRemoval() throws {
        try countChange()
        memory.writableData.countTokenChange()
    }
}

extension NSError {
    /// The error of a request that cannot have its turn among those of the other applications (sharing.md, D12).
    fileprivate static func queueLockFailure(_ cause: any Error, path: String) -> NSError {
        .powerAuth(
            .invalidActivationState,
            "The lock '\(path)', which orders signed requests between applications, cannot be taken: \(cause). "
                + "The request was not sent; try again.", underlying: cause)
    }
}
