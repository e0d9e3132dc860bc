// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import Foundation
import LabPoints
import PowerAuthProtocol
package import SimulatedDevice

/// Access to one session for the SDK itself: ``PowerAuthCoreSessionProvider`` with errors, the token
/// lock, external pending operations and the queue of signed requests (sharing.md, sections 2 and 7).
///
/// Thread rule: every function may be called from any thread; a task belongs to the thread that opened
/// it and must not be kept open across an asynchronous call.
package protocol SessionInterface: PowerAuthCoreSessionProvider, TokenStoreLock {
    /// Runs `body` as a read task.
    /// - Throws: the error of `body`, or an `NSError` of ``PowerAuthErrorDomain`` with the code
    ///   `invalidActivationState` when the state cannot be loaded (or stored, when a write task was nested).
    func read<T>(_ body: (PowerAuthCoreSession) throws -> T) throws -> T

    /// Runs `body` as a write task. The state is stored also when `body` throws, because a failed step
    /// leaves the session changed on purpose.
    /// - Throws: the error of `body`, or an `NSError` of ``PowerAuthErrorDomain`` with the code
    ///   `invalidActivationState` when the state cannot be loaded or stored. In the latter case the session holds the
    ///   stored state again.
    func write<T>(_ body: (PowerAuthCoreSession) throws -> T) throws -> T

    /// The critical operation of another application, or nil. Always nil without activation sharing.
    var externalPendingOperation: PowerAuthExternalPendingOperation? { get }

    /// Announces that this application starts a critical operation. Call inside a write task, after the
    /// session left its resting state: the operation ends by itself when a task finds it back there.
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
    package func readTask<T>(session body: (PowerAuthCoreSession) -> T?) -> T? { reported { try read(body) } ?? nil }

    @discardableResult
    package func writeTask<T>(session body: (PowerAuthCoreSession) -> T?) -> T? { reported { try write(body) } ?? nil }

    @discardableResult
    package func readBoolTask(session body: (PowerAuthCoreSession) -> Bool) -> Bool {
        reported { try read(body) } ?? false
    }

    @discardableResult
    package func writeBoolTask(session body: (PowerAuthCoreSession) -> Bool) -> Bool {
        reported { try write(body) } ?? false
    }

    package func readVoidTask(session body: (PowerAuthCoreSession) -> Void) { _ = reported { try read(body) } }
    package func writeVoidTask(session body: (PowerAuthCoreSession) -> Void) { _ = reported { try write(body) } }

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

/// Chooses and opens the session interface for a configuration (sharing.md, section 3.7, steps 5 and 6).
package enum SessionInterfaceFactory {
    /// Opens the interface: the shared one when the configuration has a sharing part, else the default one.
    /// - Parameters:
    ///   - session: the session, not loaded yet.
    ///   - configuration: the SDK's own copy, checked before. A missing shared memory identifier is filled in.
    ///   - services: the keychain services of the SDK object.
    ///   - installation: the check for a reinstallation, made before the state is loaded.
    ///   - sandbox: the device.
    package static func make(
        session: PowerAuthCoreSession, configuration: PowerAuthConfiguration, services: KeychainServices,
        installation: InstallationCheck, sandbox: Sandbox
    ) throws(InvalidConfiguration) -> any SessionInterface {
        if let group = services.status.accessGroup, !sandbox.identity.keychainAccessGroups.contains(group),
            !sandbox.keeps(.uncheckedEntitlement)
        {
            // Otherwise every store would fail later, with the activation lost at the next start (sharing.md, D23).
            throw .keychainAccessGroupNotEntitled(group)
        }
        let store = SessionStateStore(
            keychain: services.status, account: configuration.instanceId, records: installation.records)
        guard let sharing = configuration.sharingConfiguration else {
            return try DefaultSessionInterface(
                session: session, store: store, installation: installation, sandbox: sandbox)
        }
        if sharing.sharedMemoryIdentifier == nil {
            sharing.sharedMemoryIdentifier = SharedNames.computedMemoryIdentifier(instanceId: configuration.instanceId)
        }
        return try SharedSessionInterface(
            session: session, store: store, sharing: sharing, instanceId: configuration.instanceId,
            installation: installation, sandbox: sandbox)
    }
}

/// What can be asked about an activation without touching it (sdk.md, section 5.21).
///
/// Every call is a complete read task: with activation sharing it takes the lock between processes and
/// sees the newest state.
public protocol PowerAuthSessionStatusProvider: AnyObject {
    /// True when there is no activation and none was started.
    func canStartActivation() -> Bool
    /// True when an activation was started in this process and is not persisted.
    func hasPendingActivation() -> Bool
    /// True when a persisted activation exists.
    func hasValidActivation() -> Bool
    /// True when a protocol upgrade was started and not finished.
    func hasPendingProtocolUpgrade() -> Bool
    /// True when the activation uses an older protocol than the SDK.
    func hasProtocolUpgradeAvailable() -> Bool
    /// Identifier of the activation, or nil. Not nil already while pending, once the server has answered.
    var activationIdentifier: String? { get }
}

/// Locked access to the low-level session (sdk.md, section 5.21).
///
/// Tasks run synchronously on the calling thread and may be nested on it. The state is stored when the
/// outermost task ends, provided that one of the nested tasks was a write task and the bytes changed.
/// When the stored state cannot be reached or written, a task gives nil or false.
public protocol PowerAuthCoreSessionProvider: PowerAuthSessionStatusProvider {
    /// Empties the session, as a write task.
    func resetSession()
    /// Runs `body` with the session for reading; its result, or nil when the state is out of reach.
    @discardableResult
    func readTask<T>(session body: (PowerAuthCoreSession) -> T?) -> T?
    /// Runs `body` with the session for writing; its result, or nil when the state could not be stored.
    @discardableResult
    func writeTask<T>(session body: (PowerAuthCoreSession) -> T?) -> T?
    /// As ``readTask(session:)`` with a Boolean result; false when the state is out of reach.
    @discardableResult
    func readBoolTask(session body: (PowerAuthCoreSession) -> Bool) -> Bool
    /// As ``writeTask(session:)`` with a Boolean result; false when the state could not be stored.
    @discardableResult
    func writeBoolTask(session body: (PowerAuthCoreSession) -> Bool) -> Bool
    /// As ``readTask(session:)`` without a result.
    func readVoidTask(session body: (PowerAuthCoreSession) -> Void)
    /// As ``writeTask(session:)`` without a result.
    func writeVoidTask(session body: (PowerAuthCoreSession) -> Void)
    /// Runs `block` outside of any task: at once when the calling thread is in none, otherwise on `queue` once the task
    /// is over.
    func executeOutside(ofTask block: @escaping () -> Void, queue: DispatchQueue)
}
