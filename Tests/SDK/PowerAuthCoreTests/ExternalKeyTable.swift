// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import Testing

@testable import PowerAuthCore

/// Whether an activation uses an external encryption key, and which one its session has (protocol.md, section 14).
enum ExternalKeySituation: CaseIterable, Sendable {
    case unusedAndMissing, unusedAndSet, usedAndRight, usedAndWrong, usedAndMissing

    static let right = Data(repeating: 0x50, count: 16)
    static let wrong = Data(repeating: 0x51, count: 16)

    var isUsed: Bool { self != .unusedAndMissing && self != .unusedAndSet }

    /// What the session has.
    var key: Data? {
        switch self {
        case .unusedAndMissing, .usedAndMissing: nil
        case .unusedAndSet, .usedAndRight: Self.right
        case .usedAndWrong: Self.wrong
        }
    }
}

/// How an activation came to use its key.
enum ExternalKeyOrigin: CaseIterable, Sendable {
    /// The key was there before the activation.
    case setBefore
    /// It was added to the activation with its biometry.
    case added
    /// One was removed and another one added.
    case addedAgain
}

/// What a use of the factor keys ends with.
enum ExternalKeyOutcome: Equatable, Sendable {
    case works
    /// Nothing is computed, and nothing has changed.
    case refused
    /// It cannot be noticed here, and the server, or who has the right key, refuses what was computed.
    case wrong
}

/// A call of a session in whose place the external key matters, or must not matter.
enum ExternalKeyUse: Hashable, Sendable, CustomStringConvertible {
    case sign(SignatureType)
    case signOffline(SignatureType)
    case changeUserPassword, addBiometryFactor, removeBiometryFactor
    case deriveCryptographicKey, signWithDeviceKey, activationRecoveryData, decodeActivationStatus, signWithHmacKey
    case eciesEncryptor

    static let all: [ExternalKeyUse] =
        SignatureType.allCases.map { .sign($0) } + SignatureType.allCases.map { .signOffline($0) } + [
            .changeUserPassword, .addBiometryFactor, .removeBiometryFactor, .deriveCryptographicKey,
            .signWithDeviceKey, .activationRecoveryData, .decodeActivationStatus, .signWithHmacKey, .eciesEncryptor,
        ]

    /// The method of the session.
    var method: String {
        switch self {
        case .sign, .signOffline: "signHttpRequestData"
        case .changeUserPassword: "changeUserPassword"
        case .addBiometryFactor: "addBiometryFactor"
        case .removeBiometryFactor: "removeBiometryFactor"
        case .deriveCryptographicKey: "deriveCryptographicKey"
        case .signWithDeviceKey, .signWithHmacKey: "signData"
        case .activationRecoveryData: "activationRecoveryData"
        case .decodeActivationStatus: "decodeActivationStatus"
        case .eciesEncryptor: "eciesEncryptor"
        }
    }

    var description: String {
        switch self {
        case .sign(let type): "sign with \(type.rawValue)"
        case .signOffline(let type): "sign offline with \(type.rawValue)"
        default: method
        }
    }

    /// Whether a key of knowledge or biometry is unlocked or locked.
    private var needsKey: Bool {
        switch self {
        case .sign(let type), .signOffline(let type): !type.factors.isDisjoint(with: [.knowledge, .biometry])
        case .changeUserPassword, .addBiometryFactor: true
        default: false
        }
    }

    func outcome(in situation: ExternalKeySituation) -> ExternalKeyOutcome {
        guard needsKey else { return .works }
        return switch situation {
        case .unusedAndMissing, .usedAndRight: .works
        case .unusedAndSet, .usedAndMissing: .refused
        case .usedAndWrong: .wrong
        }
    }
}

/// A session of an activation with biometry, as an application has it after a restart.
struct ExternalKeySession {
    let fixture: ClientFixture
    let session: PowerAuthCoreSession
    private let situation: ExternalKeySituation

    init(_ situation: ExternalKeySituation, _ origin: ExternalKeyOrigin) throws {
        self.situation = situation
        let recovery = PowerAuthCoreRecoveryData(recoveryCode: "EZEJG-RD4GK-7OLKN-MYGBQ", puk: "7165461507")
        let isBefore = situation.isUsed && origin == .setBefore
        fixture = try ClientFixture(externalEncryptionKey: isBefore ? ExternalKeySituation.right : nil)
        try fixture.activate(biometry: true, recovery: recovery)
        if situation.isUsed, !isBefore {
            if origin == .addedAgain {
                try #require(fixture.session.addExternalEncryptionKey(ExternalKeySituation.wrong) == .ok)
                try #require(fixture.session.removeExternalEncryptionKey() == .ok)
            }
            try #require(fixture.session.addExternalEncryptionKey(ExternalKeySituation.right) == .ok)
        }
        session = try Self.restarted(fixture, fixture.session, situation.key)
    }

    private static func restarted(
        _ fixture: ClientFixture, _ session: PowerAuthCoreSession, _ key: Data?
    ) throws -> PowerAuthCoreSession {
        let setup = try #require(PowerAuthCoreSessionSetup(configuration: try fixture.server.configuration))
        setup.externalEncryptionKey = key
        let restarted = try #require(PowerAuthCoreSession(sessionSetup: setup, timeService: fixture.time))
        try #require(restarted.deserializeState(session.serializedState()))
        return restarted
    }

    func perform(_ use: ExternalKeyUse) throws -> ExternalKeyOutcome {
        let before = session.serializedState()
        let outcome = try attempt(use)
        if outcome == .refused {
            #expect(session.serializedState() == before, "\(use) is refused and changed something")
        }
        return outcome
    }

    private func attempt(_ use: ExternalKeyUse) throws -> ExternalKeyOutcome {
        let vaultKey = try fixture.server.encryptedVaultKey()
        switch use {
        case .sign(let type): return try signature(type)
        case .signOffline(let type): return try offlineSignature(type)
        case .changeUserPassword:
            let changed = session.changeUserPassword(
                PowerAuthCorePassword(string: ClientFixture.password),
                newPassword: PowerAuthCorePassword(string: "new1"))
            return changed ? try byRightKey(.possessionKnowledge, password: "new1") : .refused
        case .addBiometryFactor:
            let isAdded = session.addBiometryFactor(vaultKey, keys: fixture.keys(biometry: true))
            return isAdded ? try byRightKey(.possessionBiometry) : .refused
        case .removeBiometryFactor: return session.removeBiometryFactor() ? .works : .refused
        case .deriveCryptographicKey:
            let key = session.deriveCryptographicKey(fromVaultKey: vaultKey, keys: fixture.keys(), keyIndex: 7)
            return key == nil ? .refused : .works
        case .signWithDeviceKey:
            let signature = session.signData(
                withDevicePrivateKey: vaultKey, keys: fixture.keys(), data: Data("data".utf8), format: .default)
            return signature == nil ? .refused : .works
        case .activationRecoveryData:
            return session.activationRecoveryData(vaultKey, keys: fixture.keys()) == nil ? .refused : .works
        case .decodeActivationStatus:
            let challenge = PowerAuthCoreSession.generateActivationStatusChallenge()
            let status = session.decodeActivationStatus(
                try fixture.server.status(challenge: challenge), keys: fixture.keys(password: nil))
            return status == nil ? .refused : .works
        case .eciesEncryptor:
            let point = StrictBase64.encode(fixture.server.serverKey.publicKey.uncompressed)
            try #require(session.setPublicKey(forEciesScope: .activation, publicKey: point, publicKeyId: "key"))
            let encryptor = session.eciesEncryptor(
                for: .activation, keys: fixture.keys(password: nil), sharedInfo1: "/pa/generic/activation")
            return encryptor == nil ? .refused : .works
        case .signWithHmacKey:
            let data = PowerAuthCoreSignedData(
                signingDataKey: .hmac_Activation, data: Data("data".utf8), signature: Data())
            return session.signData(withHmacKey: data, keys: fixture.keys()) ? .works : .refused
        }
    }

    private func signature(_ type: SignatureType, password: String = ClientFixture.password) throws
        -> ExternalKeyOutcome
    {
        try Self.signature(session, fixture, type, password: password)
    }

    private static func signature(
        _ session: PowerAuthCoreSession, _ fixture: ClientFixture, _ type: SignatureType, password: String
    ) throws -> ExternalKeyOutcome {
        let signature = session.signHttpRequestData(
            PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test"),
            keys: fixture.keys(password: password, biometry: true), factor: factor(type))
        guard let signature else { return .refused }
        return try fixture.server.verify(signature) ? .works : .wrong
    }

    private func offlineSignature(_ type: SignatureType) throws -> ExternalKeyOutcome {
        let nonce = SymmetricSignature.randomNonce()
        let counter = fixture.server.counter
        let signature = session.signHttpRequestData(
            PowerAuthCoreHTTPRequestData(
                method: "POST", uri: "/test", body: Data(), offlineNonce: nonce, offlineSignatureSize: 8),
            keys: fixture.keys(biometry: true), factor: Self.factor(type))
        guard let signature else { return .refused }
        let expected = try SymmetricSignature.offline(
            keys: SignatureKeys(#require(fixture.server.keys), factors: type.factors), counter: counter, uriId: "/test",
            nonce: nonce, body: Data())
        return signature.signature == expected ? .works : .wrong
    }

    /// Whether a factor that was just stored signs for who has the right key.
    private func byRightKey(
        _ type: SignatureType, password: String = ClientFixture.password
    ) throws -> ExternalKeyOutcome {
        let right = try Self.restarted(fixture, session, situation.isUsed ? ExternalKeySituation.right : nil)
        return try Self.signature(right, fixture, type, password: password)
    }

    private static func factor(_ type: SignatureType) -> PowerAuthCoreSignatureFactor {
        PowerAuthCoreSignatureFactor(rawValue: UInt(type.factors.rawValue))
    }
}
