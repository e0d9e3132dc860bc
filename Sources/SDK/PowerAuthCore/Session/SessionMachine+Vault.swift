import Foundation
import PowerAuthProtocol

/// What needs the vault key, which only the server keeps (protocol.md, section 13).
extension SessionMachine {
    /// Decrypts the vault key received from the server.
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
                .sign(data, format: format == .ecdsaJose ? .jose : .der)
        }
    }

    func recoveryData(
        vaultKey: String, keys: UnlockKeys
    ) throws(PowerAuthCoreErrorCode) -> PowerAuthCoreRecoveryData {
        guard let encrypted = try activated().recoveryData else { throw .wrongState }
        let vault = try decryptVaultKey(vaultKey, keys: keys)
        let recovery = try encryptionFailure { try Vault.openRecovery(encrypted, vaultKey: vault) }
        return PowerAuthCoreRecoveryData(recoveryCode: recovery.code.text, puk: recovery.puk.text)
    }
}
