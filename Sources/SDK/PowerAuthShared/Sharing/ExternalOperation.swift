// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import PowerAuthProtocol
import SimulatedDevice

/// The critical operation that one of the sharing applications may run (sharing.md, section 8).
///
/// Its owner holds the operation lock; the memory contains owner and operation. Thread rule: one thread at a time; the
/// session interface calls it under the status lock.
final class ExternalOperation {
    private let memory: SharedMemory
    private let lock: SharedFileLock
    private let applicationId: String
    private let sandbox: Sandbox
    private let report: LockReport
    private let keepsStaleInformation: Bool

    /// What this object runs itself.
    private struct Owned {
        let type: PowerAuthExternalPendingOperationType
        let ticket: UInt64
    }

    private var owned: Owned?

    init(memory: SharedMemory, lock: SharedFileLock, applicationId: String, sandbox: Sandbox) {
        self.memory = memory
        self.lock = lock
        self.applicationId = applicationId
        self.sandbox = sandbox
        report = LockReport(.operation, sandbox: sandbox)
        keepsStaleInformation = sandbox.keeps(.staleExternalOperation)
    }

    /// The lock is released with the object; the announcement stays, as that of a dead owner (sharing.md, section 8.5).
    deinit {
        if owned != nil { release() }
    }

    private var shared: SharedData { memory.data }

    /// The operation of another application, or nil.
    func ofOthers() -> PowerAuthExternalPendingOperation? {
        if owns { return nil }
        clearIfOwnerIsGone()
        return published
    }

    /// Takes the operation lock and publishes the operation and its owner. An upgrade that this object has announced
    /// continues.
    func start(_ type: PowerAuthExternalPendingOperationType) throws {
        let isOwner = owns
        if isOwner, type == .protocolUpgrade, owned?.type == type { return }
        guard !isOwner else {
            throw NSError.powerAuth(
                .operationCancelled, "Internal error: External pending operation is already started")
        }
        // An armed failure has no meaning here: the lock is only tried, and one that is not free is another app's.
        try? report.take()
        guard try tryLock() else { throw refusal }
        report.taken()
        if shared.operationType != 0 { repaired() }
        publish(type)
        try sandbox.pass(.operationStarted)
        sandbox.trace(
            .operationStarted, [.operationType: .text(String(describing: type)), .application: .text(applicationId)])
    }

    /// Publishes the own operation again, in memory that does not know of it: the one that did is lost.
    func publishAgain() {
        guard let owned, shared.operationType == 0, (try? tryLock()) == true else { return }
        publish(owned.type)
    }

    private func publish(_ type: PowerAuthExternalPendingOperationType) {
        let shared = memory.writableData
        owned = Owned(type: type, ticket: shared.countOperation())
        shared.operationType = Int64(type.rawValue)
        shared.operationStart = now
        shared.operationApplication = applicationId
    }

    /// Ends the own operation if the session shows that it is over, else reports that its owner lives.
    func endOfTask(session: PowerAuthCoreSession) {
        guard owns, let owned else { return }
        let isOver =
            switch owned.type {
            case .activation: !session.hasPendingActivation
            case .protocolUpgrade: !session.hasPendingProtocolUpgrade
            }
        guard isOver else {
            memory.writableData.operationStart = now
            return
        }
        end(owned)
    }

    /// Ends the own operation of a type although the session is in the middle of it: others may take it up.
    func abandon(_ type: PowerAuthExternalPendingOperationType) {
        guard owns, let owned, owned.type == type else { return }
        end(owned)
    }

    private func end(_ operation: Owned) {
        owned = nil
        clear()
        sandbox.trace(
            .operationFinished,
            [.operationType: .text(String(describing: operation.type)), .application: .text(applicationId)])
    }

    /// Clears what a dead owner left behind: the kernel has released its lock, so the lock can be taken. The
    /// original reports the dead owner until the next start (sharing.md, D1 and D2).
    func clearIfOwnerIsGone() {
        guard !keepsStaleInformation, owned == nil, shared.operationType != 0 else { return }
        try? report.take()
        guard (try? tryLock()) == true else { return }
        report.taken()
        clear()
        repaired()
    }

    /// Takes the announcement back, then gives the lock to the others.
    private func clear() {
        memory.writableData.clearOperation()
        try? sandbox.pass(.operationCleared)
        release()
    }

    private func tryLock() throws -> Bool {
        report.willAsk()
        return try lock.tryLock()
    }

    private func release() { report.released { try? lock.unlock() } }
    private func repaired() {
        sandbox.trace(.memoryRepaired, [.memory: .text(memory.name), .damage: .word(MemoryDamage.deadOwner)])
    }

    /// True while this object runs the operation. Ownership is lost when the memory names another owner, or when the
    /// lock's file was replaced and another application holds the new one; then the lock is released (sharing.md, D13).
    private var owns: Bool {
        guard let owned else { return false }
        if shared.operationType == Int64(owned.type.rawValue), shared.operationTicket == owned.ticket,
            (try? tryLock()) == true
        {
            return true
        }
        PowerAuthLog.write("ERROR: External pending operation has been taken over.")
        self.owned = nil
        release()
        return false
    }

    private var published: PowerAuthExternalPendingOperation? {
        guard let type = PowerAuthExternalPendingOperationType(rawValue: Int(shared.operationType)),
            let application = shared.operationApplication
        else { return nil }
        return PowerAuthExternalPendingOperation(type: type, applicationId: application)
    }

    private var refusal: NSError {
        guard let published else {
            return .powerAuth(
                .externalPendingOperation,
                "Other application does critical operation, but no additional information is provided.")
        }
        return .powerAuth(
            .externalPendingOperation, userInfo: [PowerAuthErrorInfoKey_ExternalPendingOperation: published])
    }

    private var now: Double { sandbox.clock.now().timeIntervalSince1970 }
}

/// The kinds of operation that only one of the sharing applications may do at a time (sharing.md, section 8.1).
public enum PowerAuthExternalPendingOperationType: Int, Sendable {
    /// An activation was started and not persisted yet.
    case activation = 1
    /// The protocol of the activation is being upgraded.
    case protocolUpgrade = 2
}

/// A critical operation that another application is doing. Immutable. Thread rule: any thread.
public final class PowerAuthExternalPendingOperation: Sendable {
    /// What the other application does.
    public let externalOperationType: PowerAuthExternalPendingOperationType
    /// The `appIdentifier` of the application that started it.
    public let externalApplicationId: String

    package init(type: PowerAuthExternalPendingOperationType, applicationId: String) {
        externalOperationType = type
        externalApplicationId = applicationId
    }
}
