// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// What a session keeps of a completed activation, and all that is persisted (protocol.md, section 16.3).
///
/// Factor keys are stored locked; nothing in here is a plain key.
struct ActivationRecord: Equatable, Sendable {
    /// The signature counter, whose form gives the protocol version of the activation.
    enum Counter: Equatable, Sendable {
        /// Numeric counter of protocol V2.
        case numeric(UInt64)
        /// Hash-based counter of protocol V3, with the low byte of the server's counter if it is known.
        case hash(CounterData, byte: UInt8?)
    }

    /// Size of a locked factor key and of the salt, in bytes.
    static let keySize = 16
    /// Iterations of PBKDF2; stored data with fewer are refused.
    static let passwordIterations: UInt32 = 10_000

    var counter: Counter
    let activationId: String
    var passwordIterations = Self.passwordIterations
    /// Salt of the password, 16 bytes.
    var passwordSalt: Data
    /// `C_POSSESSION`, 16 bytes.
    var possessionKey: Data
    /// `C_KNOWLEDGE`, 16 bytes.
    var knowledgeKey: Data
    /// `C_BIOMETRY`, 16 bytes; `nil` without a biometry factor.
    var biometryKey: Data?
    /// `C_TRANSPORT`, 16 bytes.
    var transportKey: Data
    /// Server's public key of the activation, 33 or 65 bytes.
    let serverPublicKey: Data
    /// Device's public key, 33 bytes; empty in very old data.
    let devicePublicKey: Data
    /// `C_DEVICE_PRIVATE`.
    let devicePrivateKey: Data
    /// `C_RECOVERY`; `nil` if the server issued no recovery data.
    var recoveryData: Data?
    var usesExternalEncryptionKey = false
    var pendingUpgradeVersion = PowerAuthCoreProtocolVersion.NA
    /// The keys of protocol 4 that the server has answered with. They are not in use before the upgrade is confirmed
    /// (protocol-4.md, section 14).
    var upgrade: ActivationRecordV4?

    var protocolVersion: PowerAuthCoreProtocolVersion {
        switch counter {
        case .numeric: .V2
        case .hash: .V3
        }
    }

    var counterData: CounterData {
        switch counter {
        case .numeric(let value): CounterData(legacyCounter: value)
        case .hash(let data, _): data
        }
    }

    mutating func advanceCounter() {
        switch counter {
        case .numeric(let value): counter = .numeric(value &+ 1)
        case .hash(let data, let byte): counter = .hash(data.next(), byte: byte.map { $0 &+ 1 })
        }
    }

    /// Requires an acceptable size of every field; data from outside are used only then.
    /// - Throws: ``ProtocolError`` naming the field.
    func validate() throws(ProtocolError) {
        guard passwordIterations >= Self.passwordIterations else {
            throw .invalidFormat(field: "password iterations", reason: "fewer than \(Self.passwordIterations)")
        }
        let keys = [
            ("password salt", passwordSalt), ("possession key", possessionKey), ("knowledge key", knowledgeKey),
            ("transport key", transportKey), ("biometry key", biometryKey ?? possessionKey),
        ]
        for (field, key) in keys where key.count != Self.keySize {
            throw .invalidLength(field: field, expected: "\(Self.keySize) bytes", actual: key.count)
        }
        guard !activationId.isEmpty else { throw .missing(field: "activation id") }
        guard !serverPublicKey.isEmpty else { throw .missing(field: "server public key") }
        guard !devicePrivateKey.isEmpty else { throw .missing(field: "device private key") }
    }
}

/// An activation as an SDK of the protocol V2 left it behind, for showing its upgrade (protocol.md, section 15).
///
/// Servers no longer issue such activations, so it is made with the current key exchange and gets the numeric
/// counter afterwards; the server's half is set by its own means. Thread rule: one thread at a time.
package final class LegacyActivation {
    /// Base64 of the device's public key, 33 bytes.
    package let devicePublicKey: String
    private let session: PowerAuthCoreSession
    /// The session keeps no reference of its own. It makes no encryptor, so the time is never read.
    private let timeService: SynchronizedTime

    /// Makes the keys of the device.
    /// - Parameter setup: Constants of the application.
    /// - Returns: `nil` if the setup is unusable.
    package init?(setup: PowerAuthCoreSessionSetup) {
        let timeService = SynchronizedTime { 0 }
        guard let session = PowerAuthCoreSession(sessionSetup: setup, timeService: timeService),
            let started = session.startActivation(PowerAuthCoreActivationStep1Param())
        else { return nil }
        self.session = session
        self.timeService = timeService
        devicePublicKey = started.devicePublicKey
    }

    /// Completes the activation, once.
    /// - Parameters:
    ///   - activationId: Identifier of the activation on the server.
    ///   - serverPublicKey: Base64 of the server's public key.
    ///   - keys: Possession unlock key and password.
    /// - Returns: What ``PowerAuthCoreSession/deserializeState(_:)`` takes; `nil` if a parameter is unusable.
    package func state(activationId: String, serverPublicKey: String, keys: PowerAuthCoreSignatureUnlockKeys) -> Data? {
        let answer = PowerAuthCoreActivationStep2Param(
            activationId: activationId, serverPublicKey: serverPublicKey,
            ctrData: StrictBase64.encode(Random.bytes(16)))
        guard session.validateActivationResponse(answer) != nil, session.completeActivation(keys),
            var record = try? SessionStateCoding.decode(session.serializedState())
        else { return nil }
        record.counter = .numeric(0)
        return SessionStateCoding.encode(record)
    }
}

/// A snapshot of the caller's ``PowerAuthCoreSignatureUnlockKeys``, with the rules for their content (protocol.md,
/// section 14.1).
struct UnlockKeys: Sendable {
    private let possessionKey: Data?
    private let transportKey: Data?
    let biometryKey: Data?
    let password: PowerAuthCorePassword?

    init(_ keys: PowerAuthCoreSignatureUnlockKeys) {
        possessionKey = keys.possessionUnlockKey
        transportKey = keys.transportUnlockKey ?? keys.possessionUnlockKey
        biometryKey = keys.biometryUnlockKey
        password = keys.userPassword
    }

    var hasBiometryKey: Bool { biometryKey != nil }

    /// The possession unlock key, which unlocks the transport key too; `nil` if it is missing, does not have 16 bytes or is
    /// all zero.
    var possession: UnlockKey? { possessionKey.flatMap { try? UnlockKey(validating: $0) } }
    /// The key that protects the transport key of a new activation, under the same rules.
    var transport: UnlockKey? { transportKey.flatMap { try? UnlockKey(validating: $0) } }
    /// The biometry unlock key under the same rules.
    var biometry: UnlockKey? { biometryKey.flatMap { try? UnlockKey(validating: $0) } }

    /// The key derived from the password; `nil` if it is missing or shorter than 4 bytes.
    func knowledge(salt: Data, iterations: UInt32 = ActivationRecord.passwordIterations) -> UnlockKey? {
        password.flatMap {
            try? UnlockKey.knowledge(password: $0.plainBytes(), salt: salt, iterations: Int(iterations))
        }
    }
}
