// SPDX-License-Identifier: Apache-2.0

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

/// Factor keys on the device: one unauthenticated block each, so that a wrong password is not detected
/// locally (protocol.md, sections 6.2 and 14).
public enum FactorKeyProtection {
    /// `C_POSSESSION`, `C_TRANSPORT`, `C_KNOWLEDGE` or `C_BIOMETRY`, 16 bytes.
    /// - Parameters:
    ///   - externalKey: the application's EEK for knowledge and biometry; never for possession and transport.
    /// - Throws: never in practice; a key is always one block.
    public static func protect<Purpose>(
        _ key: SymmetricKey<Purpose>, unlockKey: UnlockKey, externalKey: ExternalEncryptionKey? = nil
    ) throws -> Data {
        var inner = Data(count: 16)
        inner.withUnsafeMutableBytes { output in
            key.withUnsafeBytes { AESCBC.block(.encrypt, $0, key: unlockKey.bytes, into: output) }
        }
        guard let externalKey else { return inner }
        return try wrap(inner, externalKey: externalKey)
    }

    /// The factor key, or a wrong one if the unlock key is wrong.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` unless `data` has 16 bytes.
    public static func recover<Purpose>(
        _ data: Data, unlockKey: UnlockKey, externalKey: ExternalEncryptionKey? = nil,
        as purpose: Purpose.Type = Purpose.self
    ) throws -> SymmetricKey<Purpose> {
        let inner = try externalKey.map { try unwrap(data, externalKey: $0) } ?? data
        try requireBlock(inner)
        return SymmetricKey { output in
            inner.withUnsafeBytes { AESCBC.block(.decrypt, $0, key: unlockKey.bytes, into: output) }
        }
    }

    /// Puts the EEK layer around a protected key.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` unless `data` has 16 bytes.
    public static func wrap(_ data: Data, externalKey: ExternalEncryptionKey) throws -> Data {
        try requireBlock(data)
        return try AESCBC.encrypt(data, key: externalKey, padding: .none)
    }

    /// Takes the EEK layer off a protected key.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` unless `data` has 16 bytes.
    public static func unwrap(_ data: Data, externalKey: ExternalEncryptionKey) throws -> Data {
        try requireBlock(data)
        return try AESCBC.decrypt(data, key: externalKey, padding: .none)
    }

    private static func requireBlock(_ data: Data) throws {
        guard data.count == 16 else {
            throw ProtocolError.invalidLength(field: "protected factor key", expected: "16 bytes", actual: data.count)
        }
    }
}

extension SymmetricKey where Purpose == KeyPurpose.Unlock {
    /// Iterations of the password derivation.
    public static let passwordIterations = 10_000
    /// Size of the password's salt in bytes.
    public static let saltSize = 16
    /// Fewest bytes of a password.
    public static let minimumPasswordSize = 4

    /// The possession unlock key of a device: the first half of the hash of its identifier.
    public static func possession(deviceIdentifier: String) -> Self {
        var hash = Digest.sha256(Data(deviceIdentifier.utf8))
        defer { wipe(&hash) }
        return Self { output in hash.withUnsafeBytes { output.copyMemory(from: .init(rebasing: $0[..<16])) } }
    }

    /// The knowledge unlock key of a password.
    /// - Parameters:
    ///   - password: UTF-8 bytes, at least 4.
    ///   - salt: 16 random bytes, stored beside the key.
    ///   - iterations: stored beside the key, at least 10 000.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)``,
    ///   ``ProtocolError/invalidFormat(field:reason:)``.
    public static func knowledge(
        password: SecretBytes, salt: Data, iterations: Int = passwordIterations
    ) throws -> Self {
        guard password.count >= minimumPasswordSize else {
            throw ProtocolError.invalidLength(field: "password", expected: "4 bytes or more", actual: password.count)
        }
        guard iterations >= passwordIterations else {
            throw ProtocolError.invalidFormat(field: "iterations", reason: "must be 10000 or more")
        }
        return try KDF.pbkdf2(password: password, salt: salt, iterations: iterations)
    }

    /// A possession or biometry unlock key given by the application: 16 bytes that are not all zero
    /// (protocol.md, section 14.1).
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)``,
    ///   ``ProtocolError/invalidFormat(field:reason:)``.
    public init(validating data: Data, field: String = "unlock key") throws {
        guard data.count == 16 else {
            throw ProtocolError.invalidLength(field: field, expected: "16 bytes", actual: data.count)
        }
        try self.init(data)
        guard !isAllZero else { throw ProtocolError.invalidFormat(field: field, reason: "all bytes are zero") }
    }
}
