// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// What needs the vault key, which only the server keeps (protocol.md, section 13).
extension SessionMachine {
    func decryptVaultKey(_ encrypted: String, keys: UnlockKeys) throws(PowerAuthCoreErrorCode) -> VaultKey {
        _ = try activated()
        guard !encrypted.isEmpty else { throw .wrongParam }
        let transportKey = try transportKey(keys)
        return try encryptionFailure {
            try Vault.unwrap(
                StrictBase64.decode(encrypted, field: "encryptedVaultEncryptionKey"), transportKey: transportKey)
        }
    }

    func deriveKey(index: UInt64, vaultKey: String, keys: UnlockKeys) throws(PowerAuthCoreErrorCode) -> Data {
        Vault.encryptionKey(try decryptVaultKey(vaultKey, keys: keys), index: index).rawData
    }

    func signWithDeviceKey(
        _ data: Data, vaultKey: String, keys: UnlockKeys, format: PowerAuthCoreSignatureFormat
    ) throws(PowerAuthCoreErrorCode) -> Data {
        let record = try activated()
        let vault = try decryptVaultKey(vaultKey, keys: keys)
        return try encryptionFailure {
            try Vault.openDeviceKey(record.devicePrivateKey, vaultKey: vault)
                .sign(data, format: format == .ECDSA_JOSE ? .jose : .der)
        }
    }

    func signWithDeviceKey(
        _ request: CertificateRequest, vaultKey: String, keys: UnlockKeys
    ) throws(PowerAuthCoreErrorCode) -> Data {
        let record = try activated()
        let vault = try decryptVaultKey(vaultKey, keys: keys)
        return try encryptionFailure {
            try request.signed(by: Vault.openDeviceKey(record.devicePrivateKey, vaultKey: vault))
        }
    }

    func recoveryData(vaultKey: String, keys: UnlockKeys) throws(PowerAuthCoreErrorCode) -> PowerAuthCoreRecoveryData {
        guard let encrypted = try activated().recoveryData else { throw .wrongState }
        let vault = try decryptVaultKey(vaultKey, keys: keys)
        let recovery = try encryptionFailure { try Vault.openRecovery(encrypted, vaultKey: vault) }
        return PowerAuthCoreRecoveryData(recoveryCode: recovery.code.text, puk: recovery.puk.text)
    }
}

/// What an encryptor needs from a session.
struct EncryptionMaterial: Sendable {
    let publicKey: Data
    let temporaryKeyId: String
    /// `S2base` of protocol.md, section 7.1.
    let sharedInfo2: Data
    /// `nil` for the application scope.
    let activationId: String?
}

/// Temporary keys and encryptors (protocol.md, sections 7.1, 8 and 16.2).
extension SessionMachine {
    mutating func setTemporaryKey(
        _ publicKey: String, id: String, for scope: PowerAuthCoreEciesEncryptorScope
    ) throws(PowerAuthCoreErrorCode) {
        guard !isInvalid else { throw .wrongState }
        if scope == .activation { _ = try activated() }
        guard let key = StrictBase64.decode(publicKey), !key.isEmpty, !id.isEmpty else { throw .wrongParam }
        temporaryKeys[scope] = TemporaryKey(publicKey: key, id: id)
    }

    mutating func removeTemporaryKey(for scope: PowerAuthCoreEciesEncryptorScope) { temporaryKeys[scope] = nil }

    func encryptionMaterial(
        for scope: PowerAuthCoreEciesEncryptorScope, keys: UnlockKeys?
    ) throws(PowerAuthCoreErrorCode) -> EncryptionMaterial {
        guard !isInvalid else { throw .wrongState }
        let secretText = configuration.applicationSecretText
        switch scope {
        case .application:
            guard let key = temporaryKeys[scope] else { throw .wrongState }
            return EncryptionMaterial(
                publicKey: key.publicKey, temporaryKeyId: key.id,
                sharedInfo2: SharedInfo2.application(secretText), activationId: nil)
        case .activation:
            let record = try activated()
            guard let key = temporaryKeys[scope] else { throw .wrongState }
            guard let keys, keys.possession != nil else { throw .encryption }
            return EncryptionMaterial(
                publicKey: key.publicKey, temporaryKeyId: key.id,
                sharedInfo2: SharedInfo2.activation(try transportKey(keys), secretText),
                activationId: record.activationId)
        }
    }
}
