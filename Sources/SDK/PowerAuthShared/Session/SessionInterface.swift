package import Dispatch
import Foundation

/// Access to one session for the SDK itself: ``PowerAuthCoreSessionProvider`` with errors, the token
/// lock, external pending operations and the queue of signed requests (sharing.md, sections 2 and 7).
///
/// Thread rule: every function may be called from any thread; a task belongs to the thread that opened
/// it and must not be kept open across an asynchronous call.
package protocol SessionInterface: PowerAuthCoreSessionProvider, TokenStoreLock {
    /// Runs `body` as a read task.
    ///
    /// - Throws: the error of `body`, or an `NSError` of ``PowerAuthErrorDomain`` with the code
    ///   `invalidActivationState` when the state cannot be loaded (or stored, when a write task was nested).
    func read<T>(_ body: (PowerAuthCoreSession) throws -> T) throws -> T

    /// Runs `body` as a write task. The state is stored also when `body` throws, because a failed step
    /// leaves the session changed on purpose.
    ///
    /// - Throws: the error of `body`, or an `NSError` of ``PowerAuthErrorDomain`` with the code
    ///   `invalidActivationState` when the state cannot be loaded or stored. In the latter case the session holds the
    ///   stored state again.
    func write<T>(_ body: (PowerAuthCoreSession) throws -> T) throws -> T

    /// The critical operation of another application, or nil. Always nil without activation sharing.
    var externalPendingOperation: PowerAuthExternalPendingOperation? { get }

    /// Announces that this application starts a critical operation. Call inside a write task, after the
    /// session left its resting state: the operation ends by itself when a task finds it back there.
    ///
    /// - Throws: `NSError` with the code `externalPendingOperation` when another application is in the middle of one,
    ///   `operationCancelled` when this object already runs one.
    func startExternalPendingOperation(_ type: PowerAuthExternalPendingOperationType) throws

    /// Gives up the critical operation of this type, if this object runs one: the session is not at rest again, and
    /// the next caller takes the work up.
    func abandonExternalPendingOperation(_ type: PowerAuthExternalPendingOperationType)

    /// Adds a unit of work to `queue`; with activation sharing it runs under the lock that orders signed
    /// requests between processes (sharing.md, section 7.9).
    func addOperation(_ operation: any SerialOperation, toSharedQueue queue: SerialOperationQueue)

    /// Runs `block` at once when the calling thread is in no task, otherwise on `queue` once the task is
    /// over (sharing.md, section 7.8).
    func executeOutsideOfTask(queue: DispatchQueue, _ block: @escaping @Sendable () -> Void)
}

extension SessionInterface {
    package func canStartActivation() -> Bool { readBoolTask { $0.canStartActivation } }

    package func hasPendingActivation() -> Bool { readBoolTask { $0.hasPendingActivation } }

    package func hasValidActivation() -> Bool { readBoolTask { $0.hasValidActivation } }

    package func hasPendingProtocolUpgrade() -> Bool { readBoolTask { $0.hasPendingProtocolUpgrade } }

    package func hasProtocolUpgradeAvailable() -> Bool { readBoolTask { $0.hasProtocolUpgradeAvailable } }

    package var activationIdentifier: String? { readTask { $0.activationIdentifier } }

    package func resetSession() { writeVoidTask { $0.resetSession(false) } }

    @discardableResult
    package func readTask<T>(session body: (PowerAuthCoreSession) -> T?) -> T? {
        reported { try read(body) } ?? nil
    }

    @discardableResult
    package func writeTask<T>(session body: (PowerAuthCoreSession) -> T?) -> T? {
        reported { try write(body) } ?? nil
    }

    @discardableResult
    package func readBoolTask(session body: (PowerAuthCoreSession) -> Bool) -> Bool {
        reported { try read(body) } ?? false
    }

    @discardableResult
    package func writeBoolTask(session body: (PowerAuthCoreSession) -> Bool) -> Bool {
        reported { try write(body) } ?? false
    }

    package func readVoidTask(session body: (PowerAuthCoreSession) -> Void) {
        _ = reported { try read(body) }
    }

    package func writeVoidTask(session body: (PowerAuthCoreSession) -> Void) {
        _ = reported { try write(body) }
    }

    package func executeOutside(ofTask block: @escaping () -> Void, queue: DispatchQueue) {
        let block = Callback(block)
        executeOutsideOfTask(queue: queue) { block(()) }
    }

    /// The vendor's task functions have no error to return, so a failure is at least logged.
    private func reported<T>(_ task: () throws -> T) -> T? {
        do {
            return try task()
        } catch {
            PowerAuthLog.write("Session task failed: \((error as NSError).localizedDescription)")
            return nil
        }
    }
}
