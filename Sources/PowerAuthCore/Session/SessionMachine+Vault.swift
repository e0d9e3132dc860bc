internal import Foundation
internal import PowerAuthProtocol

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
        return try encryptionFailure { try RecoveryRecord.decrypt(encrypted, vaultKey: vault) }
    }
}

/// Private encoding of recovery data: two counted strings, encrypted with the vault key.
enum RecoveryRecord {
    static func encrypt(_ data: PowerAuthCoreRecoveryData, vaultKey: VaultKey) throws -> Data {
        var plain = Data()
        for text in [data.recoveryCode, data.puk] {
            // The texts were validated: they have 23 and 10 bytes.
            plain.append(CountEncoding.encode(text.utf8.count)!)
            plain.append(contentsOf: text.utf8)
        }
        defer { wipe(&plain) }
        return try Vault.seal(SecretBytes(plain), vaultKey: vaultKey)
    }

    static func decrypt(_ encrypted: Data, vaultKey: VaultKey) throws -> PowerAuthCoreRecoveryData {
        var plain = try Vault.open(encrypted, vaultKey: vaultKey).rawData
        defer { wipe(&plain) }
        var reader = CountedReader(plain)
        guard let code = reader.counted(), let puk = reader.counted(), reader.remaining == 0 else {
            throw ProtocolError.decryptionFailed
        }
        return PowerAuthCoreRecoveryData(
            recoveryCode: try RecoveryCode(String(decoding: code, as: UTF8.self), allowsPrefix: false).text,
            puk: try RecoveryPuk(String(decoding: puk, as: UTF8.self)).text)
    }
}
