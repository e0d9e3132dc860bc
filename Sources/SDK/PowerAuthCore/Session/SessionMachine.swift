// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// The state machine behind ``PowerAuthCoreSession``: a value with the rules of protocol.md, section 16, but without
/// locks, logs and vendor names. Every refusal is an error code.
///
/// The extensions in the other files hold the calls, one subject a file.
struct SessionMachine: Sendable {
    /// States of a session. A pending activation lives in memory only.
    enum State: Sendable {
        /// The setup cannot be used. This state is final.
        case invalid
        /// No activation.
        case empty
        /// The device key pair exists, the server has not answered ("Activation1").
        case waitingForResponse(PrivateKey)
        /// The server answered, the keys are not locked yet ("Activation2").
        case waitingForCompletion(PendingActivation)
        /// There is an activation.
        case activated(ActivationRecord)
    }

    /// The server's temporary key of one scope. Kept in memory only.
    struct TemporaryKey: Sendable {
        let publicKey: Data
        let id: String
    }

    let configuration: MobileSdkConfiguration
    var externalEncryptionKey: ExternalEncryptionKey?
    var temporaryKeys: [PowerAuthCoreEciesEncryptorScope: TemporaryKey] = [:]
    private(set) var state: State

    init(setup: PowerAuthCoreSessionSetup) {
        configuration = setup.parsed
        state = .empty
        if let key = setup.externalEncryptionKey, !key.isEmpty {
            externalEncryptionKey = try? ExternalEncryptionKey(key)
            if externalEncryptionKey == nil { state = .invalid }
        }
    }

    // MARK: Transitions

    /// Enters `state`. Every way to *Empty* drops the activation's temporary key; *Invalid* is never left.
    mutating func enter(_ newState: State) {
        if case .invalid = state { return }
        if case .empty = newState { temporaryKeys[.activation] = nil }
        state = newState
    }

    /// Forgets the activation; with `full`, also the temporary key of the application scope.
    mutating func reset(full: Bool) {
        enter(.empty)
        if full { temporaryKeys[.application] = nil }
    }

    func activated() throws(PowerAuthCoreErrorCode) -> ActivationRecord {
        guard case .activated(let record) = state else { throw .wrongState }
        return record
    }

    mutating func update(_ record: ActivationRecord) { enter(.activated(record)) }

    // MARK: Persistence

    /// Bytes to persist; a pending activation counts as no activation.
    func serializedState() -> Data { SessionStateCoding.encode(try? activated()) }

    /// Replaces the state by what was read from persisted bytes. Unusable bytes leave the session without an
    /// activation.
    mutating func loadState(_ decoded: Result<ActivationRecord?, ProtocolError>) throws(PowerAuthCoreErrorCode) {
        guard !isInvalid else { throw .wrongState }
        guard case .success(let record) = decoded else {
            enter(.empty)
            throw .wrongParam
        }
        if record?.activationId != activationIdentifier {
            // A key obtained for another activation would make the next encrypted request fail.
            temporaryKeys[.activation] = nil
        }
        enter(record.map(State.activated) ?? .empty)
    }

    // MARK: Questions

    var isInvalid: Bool {
        if case .invalid = state { true } else { false }
    }

    var canStartActivation: Bool {
        if case .empty = state { true } else { false }
    }

    var hasPendingActivation: Bool {
        switch state {
        case .waitingForResponse, .waitingForCompletion: true
        case .invalid, .empty, .activated: false
        }
    }

    var hasValidActivation: Bool {
        if case .activated = state { true } else { false }
    }

    var protocolVersion: PowerAuthCoreProtocolVersion { (try? activated())?.protocolVersion ?? .V3 }

    var hasProtocolUpgradeAvailable: Bool {
        guard let record = try? activated() else { return false }
        return record.protocolVersion == .V2 && record.pendingUpgradeVersion == .NA
    }

    var hasPendingProtocolUpgrade: Bool { pendingUpgradeVersion != .NA }
    var pendingUpgradeVersion: PowerAuthCoreProtocolVersion { (try? activated())?.pendingUpgradeVersion ?? .NA }
    var hasRecoveryData: Bool { (try? activated())?.recoveryData != nil }

    var activationIdentifier: String? {
        switch state {
        case .waitingForCompletion(let pending): pending.exchange.activationId
        case .activated(let record): record.activationId
        case .invalid, .empty, .waitingForResponse: nil
        }
    }

    var activationFingerprint: String? {
        switch state {
        case .waitingForCompletion(let pending): return pending.exchange.fingerprint
        case .activated(let record):
            guard let deviceKey = try? PublicKey(encoded: record.devicePublicKey) else { return nil }
            guard record.protocolVersion == .V3 else { return Fingerprint.v2(device: deviceKey) }
            guard let serverKey = try? PublicKey(encoded: record.serverPublicKey) else { return nil }
            return Fingerprint.v3(device: deviceKey, activationId: record.activationId, server: serverKey)
        case .invalid, .empty, .waitingForResponse: return nil
        }
    }
}

/// Runs cryptography and reports any failure of it as ``PowerAuthCoreErrorCode/encryption``.
func encryptionFailure<Result>(_ body: () throws -> Result) throws(PowerAuthCoreErrorCode) -> Result {
    do {
        return try body()
    } catch {
        throw .encryption
    }
}
