// SPDX-License-Identifier: Apache-2.0

import Foundation
package import PowerAuthProtocol

/// One change of the password (protocol-4.md, section 12). The session changes with the server's answer; without one, client
/// and server have different keys, and the server accepts codes of both. Immutable. Thread rule: any thread.
package struct PasswordChangeV4: Sendable {
    /// What is sent, encrypted and with a code of the old password.
    package var request: SharedSecretRequest { secret.request }
    fileprivate let activationId: String
    fileprivate let secret: SharedSecretClient
    fileprivate let salt: Data
    fileprivate let encryption: FactorKeyEncryptionKey
}

/// One addition of a biometry factor (protocol-4.md, section 12). Immutable. Thread rule: any thread.
package struct BiometryAdditionV4: Sendable {
    /// What is sent, encrypted and with a code of possession and knowledge.
    package var request: SharedSecretRequest { secret.request }
    fileprivate let activationId: String
    fileprivate let secret: SharedSecretClient
    fileprivate let encryption: FactorKeyEncryptionKey
}

/// Password and biometry, which the server changes together with the device (protocol-4.md, section 12).
extension SessionMachine {
    /// - Throws: `wrongParam` for a password that does not have 4 to 512 bytes: the server must not change the key for it.
    func passwordChange(to password: PowerAuthCorePassword) throws(PowerAuthCoreErrorCode) -> PasswordChangeV4 {
        let record = try activatedV4()
        let salt = Random.nonZeroBytes(LabeledKDF.minimumSaltSize)
        guard let encryption = password.encryptionKey(salt: salt) else { throw .wrongParam }
        return try encryptionFailure {
            PasswordChangeV4(
                activationId: record.activationId, secret: try SharedSecretClient(suite: record.suite), salt: salt,
                encryption: encryption)
        }
    }

    mutating func finish(
        _ change: PasswordChangeV4, with response: SharedSecretResponse
    ) throws(PowerAuthCoreErrorCode) {
        var record = try activatedV4(is: change.activationId)
        let key = try encryptionFailure {
            try change.secret.secret(of: response).converted(to: KeyPurpose.Knowledge.self)
        }
        record.passwordSalt = change.salt
        record.knowledgeKey = FactorKeyWrapping.wrap(key, under: change.encryption)
        updateV4(record)
    }

    /// - Throws: `wrongParam` without a biometry unlock key, or with an unusable one.
    func biometryAddition(_ keys: UnlockKeys) throws(PowerAuthCoreErrorCode) -> BiometryAdditionV4 {
        let record = try activatedV4()
        guard let encryption = keys.biometryEncryption else { throw .wrongParam }
        return try encryptionFailure {
            BiometryAdditionV4(
                activationId: record.activationId, secret: try SharedSecretClient(suite: record.suite),
                encryption: encryption)
        }
    }

    mutating func finish(
        _ addition: BiometryAdditionV4, with response: SharedSecretResponse
    ) throws(PowerAuthCoreErrorCode) {
        var record = try activatedV4(is: addition.activationId)
        let key = try encryptionFailure {
            try addition.secret.secret(of: response).converted(to: KeyPurpose.Biometry.self)
        }
        record.biometryKey = FactorKeyWrapping.wrap(key, under: addition.encryption)
        updateV4(record)
    }

    /// Drops the biometry factor, once the server has dropped it.
    mutating func removeBiometryV4() throws(PowerAuthCoreErrorCode) {
        var record = try activatedV4()
        record.biometryKey = nil
        updateV4(record)
    }

    private func activatedV4(is activationId: String) throws(PowerAuthCoreErrorCode) -> ActivationRecordV4 {
        let record = try activatedV4()
        guard record.activationId == activationId else { throw .wrongState }
        return record
    }
}

/// The keys of the device that sign one by one.
package enum DeviceKeyV4: Sendable {
    /// The key on the curve; its signature is DER.
    case ecdsa
    /// The key of ML-DSA, in hybrid suites; its signature is raw.
    case mldsa
}

/// What needs a key of the vault, or proves what the server has written (protocol-4.md, sections 13 and 15).
extension SessionMachine {
    /// - Parameter vaultKey: `KEK_DEVICE_PRIVATE`, which the server gives out for a code.
    /// - Throws: `encryption` for another key, `wrongParam` for a key that the suite does not have.
    func deviceSignature(
        of data: Data, by key: DeviceKeyV4, vaultKey: Key256<KeyPurpose.DeviceKeyEncryption>
    ) throws(PowerAuthCoreErrorCode) -> Data {
        let keys = try devicePrivateKeys(vaultKey)
        let signature: Data?
        switch key {
        case .ecdsa: signature = try encryptionFailure { try keys.ec.sign(data) }
        case .mldsa: signature = try encryptionFailure { try keys.latticeSignature(of: data) }
        }
        guard let signature else { throw .wrongParam }
        return signature
    }

    /// - Returns: The payload with the signatures of all keys of the suite.
    func deviceJWS(
        payload: Data, vaultKey: Key256<KeyPurpose.DeviceKeyEncryption>
    ) throws(PowerAuthCoreErrorCode) -> JWS {
        let keys = try devicePrivateKeys(vaultKey)
        return try encryptionFailure { try JWS(payload: payload, keys: keys) }
    }

    /// - Returns: The request for a certificate of the curve's key, signed by it, in DER.
    func sign(
        _ request: CertificateRequest, vaultKey: Key256<KeyPurpose.DeviceKeyEncryption>
    ) throws(PowerAuthCoreErrorCode) -> Data {
        let keys = try devicePrivateKeys(vaultKey)
        return try encryptionFailure { try request.signed(by: keys.ec) }
    }

    private func devicePrivateKeys(
        _ vaultKey: Key256<KeyPurpose.DeviceKeyEncryption>
    ) throws(PowerAuthCoreErrorCode) -> SuitePrivateKeys {
        let record = try activatedV4()
        return try encryptionFailure {
            try SuitePrivateKeys(opening: record.devicePrivateKeys, with: vaultKey, suite: record.suite)
        }
    }

    /// - Throws: `encryption` for a payload that neither the application's master key nor the server of this activation has
    ///   authenticated.
    func verify(_ payload: OfflinePayloadV4, keys: UnlockKeys) throws(PowerAuthCoreErrorCode) {
        let masterKey = try configurationV4().masterKeys.ec
        let isGenuine =
            switch payload.key {
            case .master: payload.isSigned(by: masterKey)
            case .personalized: payload.isAuthentic(key: try activatedV4().utilityKeys(keys).personalizedData)
            }
        guard isGenuine else { throw .encryption }
    }
}
