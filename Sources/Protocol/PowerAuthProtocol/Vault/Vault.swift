public import Foundation

/// The vault key in transport and what is kept under it (protocol.md, section 13).
public enum Vault {
    /// `encryptedVaultEncryptionKey`, 32 bytes, as the server sends it.
    /// - Throws: never in practice; a key is always one block.
    public static func wrap(_ vaultKey: VaultKey, transportKey: TransportKey) throws -> Data {
        try AESCBC.encryptSecret(vaultKey.bytes, key: transportKey.bytes, padding: .pkcs7)
    }

    /// Reads the server's answer.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for data that is not whole blocks
    ///   (protocol.md, section 22, item 6) or a key that is not 16 bytes, ``ProtocolError/decryptionFailed``.
    public static func unwrap(_ data: Data, transportKey: TransportKey) throws -> VaultKey {
        try VaultKey(AESCBC.decryptSecret(data, key: transportKey.bytes, padding: .pkcs7))
    }

    /// `KEY_ENCRYPTION(index)`, a key for the application.
    public static func encryptionKey(_ vaultKey: VaultKey, index: UInt64) -> VaultDerivedKey {
        KDF.derive(vaultKey, index: index)
    }

    /// Protects a secret at rest: `C_DEVICE_PRIVATE`, `C_RECOVERY`.
    /// - Throws: never in practice; any size can be padded.
    public static func seal(_ secret: SecretBytes, vaultKey: VaultKey) throws -> Data {
        try AESCBC.encryptSecret(secret, key: vaultKey.bytes, padding: .pkcs7)
    }

    /// Opens a secret at rest.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for data that is not whole blocks
    ///   (protocol.md, section 22, item 6), ``ProtocolError/decryptionFailed``.
    public static func open(_ data: Data, vaultKey: VaultKey) throws -> SecretBytes {
        try AESCBC.decryptSecret(data, key: vaultKey.bytes, padding: .pkcs7)
    }

    /// `C_DEVICE_PRIVATE` of a device key.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of memory.
    public static func seal(_ deviceKey: PrivateKey, vaultKey: VaultKey) throws -> Data {
        try seal(deviceKey.scalar(), vaultKey: vaultKey)
    }

    /// The device key behind `C_DEVICE_PRIVATE`.
    /// - Throws: as ``open(_:vaultKey:)``, and ``ProtocolError/invalidKey(_:)`` when a wrong vault key
    ///   happened to leave valid padding.
    public static func openDeviceKey(_ data: Data, vaultKey: VaultKey) throws -> PrivateKey {
        try PrivateKey(scalar: open(data, vaultKey: vaultKey), field: "device private key")
    }

    /// `C_RECOVERY` of recovery data.
    /// - Throws: never in practice; any size can be padded.
    public static func seal(_ recovery: RecoveryData, vaultKey: VaultKey) throws -> Data {
        try seal(recovery.encoded(), vaultKey: vaultKey)
    }

    /// The recovery data behind `C_RECOVERY`; code and PUK are validated again.
    /// - Throws: as ``open(_:vaultKey:)``, also for content of another form.
    public static func openRecovery(_ data: Data, vaultKey: VaultKey) throws -> RecoveryData {
        try RecoveryData(encoded: open(data, vaultKey: vaultKey))
    }

    /// The keys of the activation again, with which biometry can be added.
    ///
    /// The derived vault key must be the received one, which proves that the stored data and the server's
    /// answer belong together.
    /// - Throws: as ``openDeviceKey(_:vaultKey:)``, and ``ProtocolError/decryptionFailed`` for a mismatch.
    public static func recoverKeys(
        encryptedDeviceKey: Data, vaultKey: VaultKey, serverPublicKey: PublicKey
    ) throws -> DerivedKeys {
        let deviceKey = try openDeviceKey(encryptedDeviceKey, vaultKey: vaultKey)
        let keys = DerivedKeys(masterSecret: try .derive(private: deviceKey, public: serverPublicKey))
        guard keys.vault == vaultKey else { throw ProtocolError.decryptionFailed }
        return keys
    }
}
