// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// The states of an activation of protocol 4 (protocol-4.md, section 8). Only the last one is persisted.
enum StateV4: Sendable {
    /// The device's keys exist, the server has not answered.
    case waitingForResponse(KeyExchangeV4)
    /// The server answered, the keys are not locked yet.
    case waitingForCompletion(ExchangedKeysV4)
    /// The keys are locked, and the server does not know yet that the device has them. They stay at hand, so that a further
    /// attempt may lock them otherwise.
    case waitingForConfirmation(ActivationRecordV4, ExchangedKeysV4)
    /// There is an activation.
    case activated(ActivationRecordV4)

    var isPending: Bool {
        if case .activated = self { false } else { true }
    }

    var activationId: String? {
        switch self {
        case .waitingForResponse: nil
        case .waitingForCompletion(let exchanged): exchanged.activationId
        case .waitingForConfirmation(let record, _), .activated(let record): record.activationId
        }
    }

    var fingerprint: String? {
        switch self {
        case .waitingForResponse: nil
        case .waitingForCompletion(let exchanged): exchanged.fingerprint
        case .waitingForConfirmation(let record, _), .activated(let record): record.fingerprint
        }
    }
}

/// What a session needs to speak protocol 4.
struct ConfigurationV4: Sendable {
    /// The suite of new activations and of the application's temporary keys.
    let suite: CryptographySuite
    /// The master keys of ``suite``.
    let masterKeys: SuitePublicKeys
    let applicationSecret: ApplicationSecretKey

    /// - Throws: ``ProtocolError`` without a suite, or for a master key that is missing or unusable.
    init(_ setup: PowerAuthCoreSessionSetup) throws {
        guard let suite = setup.suites.first else { throw ProtocolError.missing(field: "suite") }
        let configuration = try SdkConfigurationV4(setup.configuration)
        self.suite = suite
        masterKeys = try configuration.masterKeys(suite: suite)
        applicationSecret = configuration.applicationSecret
    }
}

/// The device's half of the exchange at the start of an activation or an upgrade. Kept in memory only.
struct KeyExchangeV4: Sendable {
    let deviceKeys: SuitePrivateKeys
    let secret: SharedSecretClient

    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    init(suite: CryptographySuite) throws {
        deviceKeys = try .generate(suite: suite)
        secret = try SharedSecretClient(suite: suite)
    }

    /// The point of the device's key on the curve.
    var deviceKey: Data { deviceKeys.ec.publicKey.uncompressed }
}

/// The keys of both sides, before the device locks its own.
struct ExchangedKeysV4: Sendable {
    let activationId: String
    /// Eight digits that the user may compare with those the server shows.
    let fingerprint: String
    private let deviceKeys: SuitePrivateKeys
    private let serverKeys: SuitePublicKeys
    private let keys: ActivationKeys
    private let counter: HashBasedCounter

    /// - Throws: ``ProtocolError`` for keys, a salt or a cipher text that are not those of the suite.
    init(
        _ exchange: KeyExchangeV4, activationId: String, response: SharedSecretResponse,
        serverPublicKeys: EncodedSuiteKeys, counter: HashBasedCounter
    ) throws {
        self.activationId = activationId
        self.counter = counter
        deviceKeys = exchange.deviceKeys
        serverKeys = try SuitePublicKeys(serverPublicKeys, suite: exchange.secret.suite)
        keys = ActivationKeys(
            secret: try exchange.secret.secret(of: response).converted(to: KeyPurpose.ActivationSecret.self))
        fingerprint = Fingerprint.v4(
            device: exchange.deviceKeys.publicKeys, activationId: activationId, server: serverKeys)
    }

    /// The point of the device's key on the curve.
    var deviceKey: Data { deviceKeys.ec.publicKey.uncompressed }

    /// Locks the keys.
    /// - Parameters:
    ///   - counterByte: low byte of the server's counter, if it is known.
    ///   - unlock: possession unlock key and password; a biometry unlock key adds the biometry factor.
    /// - Throws: `wrongParam` for keys that are missing or unusable.
    func record(
        counterByte: UInt8?, lockedWith unlock: UnlockKeys
    ) throws(PowerAuthCoreErrorCode) -> ActivationRecordV4 {
        let salt = Random.nonZeroBytes(LabeledKDF.minimumSaltSize)
        let biometry = unlock.biometryEncryption
        guard let possession = unlock.deviceKeys?.possessionEncryption, let local = unlock.newLocalEncryption,
            let knowledge = unlock.knowledgeEncryption(salt: salt), !unlock.hasBiometryKey || biometry != nil
        else { throw .wrongParam }
        return try encryptionFailure {
            ActivationRecordV4(
                suite: deviceKeys.suite, activationId: activationId, counter: counter, counterByte: counterByte,
                passwordSalt: salt, possessionKey: FactorKeyWrapping.wrap(keys.possession, under: possession),
                knowledgeKey: FactorKeyWrapping.wrap(keys.knowledge, under: knowledge),
                biometryKey: biometry.map { FactorKeyWrapping.wrap(keys.biometry, under: $0) },
                utilityKey: try ActivationRecordV4.seal(keys.utility, under: local, activationId: activationId),
                serverPublicKeys: serverKeys.encoded, devicePublicKeys: deviceKeys.publicKeys.encoded,
                devicePrivateKeys: try deviceKeys.sealed(under: keys.deviceKeyEncryption))
        }
    }
}
