// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Status and counter synchronisation (protocol.md, section 12).
extension SessionMachine {
    mutating func decodeStatus(
        challenge: String, encryptedBlob: String, nonce: String, keys: UnlockKeys
    ) throws(PowerAuthCoreErrorCode) -> PowerAuthCoreActivationStatus {
        var record = try activated()
        guard !challenge.isEmpty, !encryptedBlob.isEmpty, !nonce.isEmpty else { throw .wrongParam }
        let transportKey = try transportKey(keys)
        let blob = try encryptionFailure {
            let exchange = try StatusBlob.Exchange(
                challenge: StrictBase64.decode(challenge, field: "challenge"),
                nonce: StrictBase64.decode(nonce, field: "nonce"))
            return try StatusBlob(
                decrypting: StrictBase64.decode(encryptedBlob, field: "encryptedStatusBlob"),
                transportKey: transportKey, exchange: exchange)
        }
        var counterState = PowerAuthCoreCounterState.OK
        if case .hash(let counter, let byte) = record.counter {
            let outcome = CounterSynchronization.decide(
                counter: counter, byte: byte, blob: blob, transportKey: transportKey)
            switch outcome {
            case .ok: counterState = .OK
            case .updated(let counter, let byte):
                counterState = .updated
                record.counter = .hash(counter, byte: byte)
                update(record)
            case .calculateSignature: counterState = .calculateSignature
            case .deadlock: counterState = .invalid
            }
        }
        return PowerAuthCoreActivationStatus(blob, counterState: counterState)
    }
}

extension PowerAuthCoreActivationStatus {
    /// A counter that cannot be synchronised turns an active activation into a deadlocked one. Other states stay, because
    /// the user should learn that the server blocked or removed the activation.
    fileprivate convenience init(_ blob: StatusBlob, counterState: PowerAuthCoreCounterState) {
        // The raw values of both enumerations are those of the blob, so that each state has a counterpart.
        let received = PowerAuthCoreActivationState(rawValue: Int(blob.state.rawValue))!
        func version(_ number: UInt8) -> PowerAuthCoreProtocolVersion {
            PowerAuthCoreProtocolVersion(rawValue: Int(number)) ?? .NA
        }
        self.init(
            state: received == .active && counterState == .invalid ? .deadlock : received,
            failCount: UInt32(blob.failedAttempts), maxFailCount: UInt32(blob.maxFailedAttempts),
            currentActivationVersion: version(blob.currentVersion),
            upgradeActivationVersion: version(blob.upgradeVersion), counterState: counterState,
            lookAheadCount: UInt32(blob.counter?.lookAhead ?? 0),
            offersVersion4: received == .active && blob.currentVersion == 3 && blob.upgradeVersion == 4)
    }
}

/// Upgrade of a V2 activation (protocol.md, section 15).
extension SessionMachine {
    mutating func startProtocolUpgrade() throws(PowerAuthCoreErrorCode) {
        var record = try activated()
        guard record.protocolVersion == .V2 else { throw .wrongState }
        record.pendingUpgradeVersion = .V3
        update(record)
    }

    mutating func applyProtocolUpgrade(counterData: String) throws(PowerAuthCoreErrorCode) {
        var record = try activated()
        guard record.protocolVersion == .V2, record.pendingUpgradeVersion == .V3 else { throw .wrongState }
        guard let bytes = StrictBase64.decode(counterData), let data = try? CounterData(bytes) else {
            throw .wrongParam
        }
        record.counter = .hash(data, byte: nil)
        update(record)
    }

    mutating func finishProtocolUpgrade() throws(PowerAuthCoreErrorCode) {
        var record = try activated()
        guard record.protocolVersion == .V3, record.pendingUpgradeVersion == .V3 else { throw .wrongState }
        record.pendingUpgradeVersion = .NA
        update(record)
    }
}
