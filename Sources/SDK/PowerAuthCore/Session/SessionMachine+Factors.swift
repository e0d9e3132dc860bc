// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Password, biometry and external encryption key (protocol.md, section 14).
extension SessionMachine {
    func transportKey(_ keys: UnlockKeys) throws(PowerAuthCoreErrorCode) -> TransportKey {
        let record = try activated()
        guard let unlock = keys.possession else { throw .wrongParam }
        return try encryptionFailure { try FactorKeyProtection.recover(record.transportKey, unlockKey: unlock) }
    }

    mutating func changePassword(
        from oldPassword: PowerAuthCorePassword, to newPassword: PowerAuthCorePassword
    ) throws(PowerAuthCoreErrorCode) {
        var record = try activated()
        try requireMatchingExternalKey(record)
        let salt = Random.nonZeroBytes(UnlockKey.saltSize)
        let (locked, eek) = (record.knowledgeKey, externalEncryptionKey)
        let (oldSalt, oldIterations) = (record.passwordSalt, Int(record.passwordIterations))
        record.knowledgeKey = try encryptionFailure {
            let oldUnlock = try UnlockKey.knowledge(
                password: oldPassword.plainBytes(), salt: oldSalt, iterations: oldIterations)
            let newUnlock = try UnlockKey.knowledge(password: newPassword.plainBytes(), salt: salt)
            let key: KnowledgeKey = try FactorKeyProtection.recover(locked, unlockKey: oldUnlock, externalKey: eek)
            return try FactorKeyProtection.protect(key, unlockKey: newUnlock, externalKey: eek)
        }
        record.passwordSalt = salt
        record.passwordIterations = ActivationRecord.passwordIterations
        if let upgrade = record.upgrade {
            record.upgrade = try upgrade.locked(with: newPassword, insteadOf: oldPassword)
        }
        update(record)
    }

    func hasBiometryFactor() throws(PowerAuthCoreErrorCode) -> Bool {
        switch state {
        case .version4(.activated(let record)), .version4(.waitingForConfirmation(let record, _)):
            record.biometryKey != nil
        default: try activated().biometryKey != nil
        }
    }

    mutating func removeBiometryFactor() throws(PowerAuthCoreErrorCode) {
        var record = try activated()
        record.biometryKey = nil
        record.upgrade?.biometryKey = nil
        update(record)
    }

    mutating func addBiometryFactor(vaultKey: String, keys: UnlockKeys) throws(PowerAuthCoreErrorCode) {
        var record = try activated()
        // A pending upgrade has no key that could be locked for it.
        guard record.upgrade == nil else { throw .wrongState }
        guard let biometryUnlock = keys.biometry else { throw .wrongParam }
        let vault = try decryptVaultKey(vaultKey, keys: keys)
        try requireMatchingExternalKey(record)
        let (encryptedDeviceKey, encodedServerKey, eek) = (
            record.devicePrivateKey, record.serverPublicKey, externalEncryptionKey
        )
        record.biometryKey = try encryptionFailure {
            let derived = try Vault.recoverKeys(
                encryptedDeviceKey: encryptedDeviceKey, vaultKey: vault,
                serverPublicKey: PublicKey(encoded: encodedServerKey))
            return try FactorKeyProtection.protect(derived.biometry, unlockKey: biometryUnlock, externalKey: eek)
        }
        update(record)
    }

    // MARK: External encryption key

    mutating func setExternalEncryptionKey(_ data: Data) throws(PowerAuthCoreErrorCode) {
        guard !isInvalid else { throw .wrongState }
        // Protocol 4 has no such key.
        if case .version4 = state { throw .wrongState }
        // A key that was set before is compared, even if the activation needs none (sdk.md, section 5.14).
        if let current = externalEncryptionKey {
            guard let key = try? ExternalEncryptionKey(data), current == key else { throw .wrongParam }
            return
        }
        if let record = try? activated(), !record.usesExternalEncryptionKey { throw .wrongState }
        guard let key = try? ExternalEncryptionKey(data) else { throw .wrongParam }
        externalEncryptionKey = key
    }

    mutating func addExternalEncryptionKey(_ data: Data) throws(PowerAuthCoreErrorCode) {
        let record = try activated()
        guard !record.usesExternalEncryptionKey, externalEncryptionKey == nil, record.upgrade == nil else {
            throw .wrongState
        }
        guard let key = try? ExternalEncryptionKey(data) else { throw .wrongParam }
        update(
            try encryptionFailure {
                var record = record
                record.knowledgeKey = try FactorKeyProtection.wrap(record.knowledgeKey, externalKey: key)
                record.biometryKey = try record.biometryKey.map { try FactorKeyProtection.wrap($0, externalKey: key) }
                record.usesExternalEncryptionKey = true
                return record
            })
        externalEncryptionKey = key
    }

    mutating func removeExternalEncryptionKey() throws(PowerAuthCoreErrorCode) {
        let record = try activated()
        guard record.usesExternalEncryptionKey, let key = externalEncryptionKey else { throw .wrongState }
        update(
            try encryptionFailure {
                var record = record
                record.knowledgeKey = try FactorKeyProtection.unwrap(record.knowledgeKey, externalKey: key)
                record.biometryKey = try record.biometryKey.map { try FactorKeyProtection.unwrap($0, externalKey: key) }
                record.usesExternalEncryptionKey = false
                return record
            })
        externalEncryptionKey = nil
    }
}
