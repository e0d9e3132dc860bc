// SPDX-License-Identifier: Apache-2.0

import Foundation
package import PowerAuthProtocol

/// A status of protocol 4 and what it did to the counter. Immutable. Thread rule: any thread.
package struct SynchronizedStatus: Sendable {
    /// What the server said.
    package let status: AuthenticatedStatus
    /// Result of the counter comparison; ``PowerAuthCoreCounterState/NA`` during an upgrade that is not confirmed, because
    /// the server still counts for protocol 3.
    package let counterState: PowerAuthCoreCounterState

    /// State of the activation. A counter that cannot be synchronised turns an active activation into a deadlocked one;
    /// other states stay, because the user should learn that the server blocked or removed the activation.
    package var state: PowerAuthCoreActivationState {
        if status.state == .active && counterState == .invalid { return .deadlock }
        return switch status.state {
        case .created: .created
        case .pendingCommit: .pendingCommit
        case .active: .active
        case .blocked: .blocked
        case .removed: .removed
        }
    }

    /// `true` if decoding changed the session, which must then be saved.
    package var needsSerializeSessionState: Bool { counterState == .updated }
}

/// Status and counter synchronisation (protocol-4.md, section 10).
extension SessionMachine {
    /// - Parameter activationStatus: Base64 of 80 bytes, as the server's decrypted answer has it.
    mutating func decodeStatusV4(
        _ activationStatus: String, keys: UnlockKeys
    ) throws(PowerAuthCoreErrorCode) -> SynchronizedStatus {
        var record = try recordV4()
        let utility = try record.utilityKeys(keys)
        let status = try encryptionFailure {
            try AuthenticatedStatus(
                StrictBase64.decode(activationStatus, field: "activationStatus"), key: utility.statusCode)
        }
        guard status.currentVersion == 4 else { return SynchronizedStatus(status: status, counterState: .NA) }
        let outcome = status.synchronization(
            counter: record.counter, byte: record.counterByte, key: utility.counterCode)
        let counterState: PowerAuthCoreCounterState
        switch outcome {
        case .ok: counterState = .OK
        case .updated(let counter, let byte):
            counterState = .updated
            record.counter = counter
            record.counterByte = byte
            updateV4(record)
        case .calculateCode: counterState = .calculateSignature
        case .deadlock: counterState = .invalid
        }
        return SynchronizedStatus(status: status, counterState: counterState)
    }
}
