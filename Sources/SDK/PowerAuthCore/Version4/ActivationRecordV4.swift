// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// What a session keeps of an activation of protocol 4, and all that is persisted of it (protocol-4.md, section 4).
///
/// Factor keys are wrapped, the other keys sealed; nothing in here is a plain key. `KEY_ACTIVATION_SECRET` is forgotten.
struct ActivationRecordV4: Equatable, Sendable {
    let suite: CryptographySuite
    let activationId: String
    var counter: HashBasedCounter
    /// The low byte of the server's counter, if it is known.
    var counterByte: UInt8?
    /// Salt of the password, 32 bytes.
    var passwordSalt: Data
    /// Wrapped factor keys, 48 bytes each; no biometry key without a biometry factor.
    let possessionKey: Data
    var knowledgeKey: Data
    var biometryKey: Data?
    /// The derivation key of the branch `util`, sealed under the device's key for local data.
    let utilityKey: Data
    let serverPublicKeys: EncodedSuiteKeys
    let devicePublicKeys: EncodedSuiteKeys
    /// The device's private keys, sealed under `KEK_DEVICE_PRIVATE`.
    let devicePrivateKeys: Data

    mutating func advanceCounter() {
        counter = counter.next()
        counterByte = counterByte.map { $0 &+ 1 }
    }

    /// Requires an acceptable size of every field that has one; data from outside are used only then. Whether a public key
    /// is one is checked where it is used.
    /// - Throws: ``ProtocolError`` naming the field.
    func validate() throws(ProtocolError) {
        guard !activationId.isEmpty else { throw .missing(field: "activation id") }
        guard passwordSalt.count >= LabeledKDF.minimumSaltSize else {
            throw .invalidLength(
                field: "password salt", expected: "\(LabeledKDF.minimumSaltSize) bytes or more",
                actual: passwordSalt.count)
        }
        let keys = [
            ("possession key", possessionKey), ("knowledge key", knowledgeKey),
            ("biometry key", biometryKey ?? possessionKey),
        ]
        for (field, key) in keys where key.count != FactorKeyWrapping.size {
            throw .invalidLength(field: field, expected: "\(FactorKeyWrapping.size) bytes", actual: key.count)
        }
        for (field, keys) in [("server public keys", serverPublicKeys), ("device public keys", devicePublicKeys)]
        where keys.ecdsa.isEmpty || (keys.mldsa == nil) != (suite.name.lattice == nil) {
            throw .invalidFormat(field: field, reason: "they are not those of \(suite.name.rawValue)")
        }
        guard !utilityKey.isEmpty else { throw .missing(field: "utility key") }
        guard !devicePrivateKeys.isEmpty else { throw .missing(field: "device private keys") }
    }
}

/// The keys behind a record, each with the key that opens it.
extension ActivationRecordV4 {
    /// Eight digits of the public keys; nil for keys that cannot be used.
    var fingerprint: String? {
        guard let device = try? SuitePublicKeys(devicePublicKeys, suite: suite),
            let server = try? SuitePublicKeys(serverPublicKeys, suite: suite)
        else { return nil }
        return Fingerprint.v4(device: device, activationId: activationId, server: server)
    }

    /// The keys for requests without a factor.
    /// - Throws: `wrongParam` without a key of the device, `encryption` for another device's.
    func utilityKeys(_ keys: UnlockKeys) throws(PowerAuthCoreErrorCode) -> UtilityKeys {
        guard let device = keys.deviceKeys else { throw .wrongParam }
        return try encryptionFailure {
            let bytes = try AEAD.openSecret(
                utilityKey, key: device.localEncryption, keyContext: Data(), associatedData: Data(activationId.utf8))
            return UtilityKeys(derivationKey: try Key256(bytes))
        }
    }

    /// The counterpart of ``utilityKeys(_:)``.
    static func seal(
        _ utility: UtilityKeys, under key: Key256<KeyPurpose.LocalEncryption>, activationId: String
    ) throws -> Data {
        let secret = SecretBytes(count: 32) { output in
            utility.derivationKey.withUnsafeBytes { output.copyMemory(from: $0) }
        }
        return try AEAD.seal(secret, key: key, keyContext: Data(), associatedData: Data(activationId.utf8))
    }

    /// The keys of a code's factors. A wrong password or biometry key gives a wrong key, which the server refuses.
    /// - Throws: `wrongState` for a factor that the activation does not have, `wrongParam` without the key of one.
    func factorKeys(
        _ factors: SignatureFactors, _ keys: UnlockKeys
    ) throws(PowerAuthCoreErrorCode) -> AuthenticationKeys {
        AuthenticationKeys(
            possession: try Self.unwrap(
                possessionKey, under: keys.deviceKeys?.possessionEncryption, if: factors.contains(.possession)),
            knowledge: try Self.unwrap(
                knowledgeKey, under: keys.knowledgeEncryption(salt: passwordSalt), if: factors.contains(.knowledge)),
            biometry: try Self.unwrap(biometryKey, under: keys.biometryEncryption, if: factors.contains(.biometry)))
    }

    private static func unwrap<Purpose>(
        _ wrapped: Data?, under kek: @autoclosure () -> FactorKeyEncryptionKey?, if isUsed: Bool
    ) throws(PowerAuthCoreErrorCode) -> Key256<Purpose>? {
        guard isUsed else { return nil }
        guard let wrapped else { throw .wrongState }
        guard let kek = kek() else { throw .wrongParam }
        let key: Key256<Purpose> = try encryptionFailure { try FactorKeyWrapping.unwrap(wrapped, under: kek) }
        return key
    }

    /// The record with the knowledge key wrapped for another password, for a pending upgrade: version 3 changes passwords on
    /// the device alone. A wrong old password destroys the key, as there.
    func locked(
        with newPassword: PowerAuthCorePassword, insteadOf oldPassword: PowerAuthCorePassword
    ) throws(PowerAuthCoreErrorCode) -> ActivationRecordV4 {
        let salt = Random.nonZeroBytes(LabeledKDF.minimumSaltSize)
        guard let old = oldPassword.encryptionKey(salt: passwordSalt), let new = newPassword.encryptionKey(salt: salt)
        else { throw .wrongParam }
        let key: Key256<KeyPurpose.Knowledge> = try encryptionFailure {
            try FactorKeyWrapping.unwrap(knowledgeKey, under: old)
        }
        var record = self
        record.passwordSalt = salt
        record.knowledgeKey = FactorKeyWrapping.wrap(key, under: new)
        return record
    }
}

/// What a session persists: an activation of either generation.
enum StoredActivation: Equatable, Sendable {
    /// An activation of protocol 3 or older, also with a pending upgrade to protocol 4.
    case version3(ActivationRecord)
    /// A confirmed activation of protocol 4.
    case version4(ActivationRecordV4)

    var activationId: String {
        switch self {
        case .version3(let record): record.activationId
        case .version4(let record): record.activationId
        }
    }

    /// The part that belongs to protocol 4.
    var version4: ActivationRecordV4? {
        switch self {
        case .version3(let record): record.upgrade
        case .version4(let record): record
        }
    }
}

/// Keys of the device, of a password and of biometry in protocol 4 (protocol-4.md, section 4).
extension UnlockKeys {
    /// Made of the possession unlock key, which identifies the device; nil if that key is missing or unusable.
    var deviceKeys: DeviceKeys? { possession.map { DeviceKeys(deviceData: $0.secret) } }

    /// Seals the local data of a new activation, see ``PowerAuthCoreSignatureUnlockKeys/transportUnlockKey``.
    var newLocalEncryption: Key256<KeyPurpose.LocalEncryption>? {
        transport.map { DeviceKeys(deviceData: $0.secret).localEncryption }
    }

    /// Nil if there is no password, or it does not have 4 to 512 bytes.
    func knowledgeEncryption(salt: Data) -> FactorKeyEncryptionKey? {
        password.flatMap { $0.encryptionKey(salt: salt) }
    }

    /// Made of a biometry unlock key of 16 or 32 bytes that are not all zero; nil without one.
    var biometryEncryption: FactorKeyEncryptionKey? {
        guard let biometryKey, biometryKey.contains(where: { $0 != 0 }) else { return nil }
        return try? FactorKeyEncryptionKey.biometry(SecretBytes(biometryKey))
    }
}

extension PowerAuthCorePassword {
    /// The key of protocol 4 that wraps the knowledge factor; nil unless the password has 4 to 512 bytes.
    /// - Parameter salt: 32 bytes or more.
    func encryptionKey(salt: Data) -> FactorKeyEncryptionKey? {
        try? FactorKeyEncryptionKey.knowledge(password: plainBytes(), salt: salt)
    }
}

extension UnlockKey {
    /// The 16 bytes in wiped memory.
    fileprivate var secret: SecretBytes {
        SecretBytes(count: 16) { output in withUnsafeBytes { output.copyMemory(from: $0) } }
    }
}
