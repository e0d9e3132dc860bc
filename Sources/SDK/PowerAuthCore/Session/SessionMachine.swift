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
        /// An activation of protocol 4, pending or not.
        case version4(StateV4)
    }

    /// The server's temporary key of one scope. Kept in memory only.
    struct TemporaryKey: Sendable {
        let publicKey: Data
        let id: String
    }

    let configuration: MobileSdkConfiguration
    /// Nil for a session that speaks protocol 3 alone.
    let version4: ConfigurationV4?
    var externalEncryptionKey: ExternalEncryptionKey?
    var temporaryKeys: [PowerAuthCoreEciesEncryptorScope: TemporaryKey] = [:]
    var temporaryKeysV4: [PowerAuthCoreEciesEncryptorScope: TemporaryKeyV4] = [:]
    private(set) var state: State

    init(setup: PowerAuthCoreSessionSetup) {
        configuration = setup.parsed
        version4 = try? ConfigurationV4(setup)
        state = version4 == nil && !setup.suites.isEmpty ? .invalid : .empty
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
        if case .empty = newState { temporaryKeysV4[.activation] = nil }
        state = newState
    }

    /// Forgets the activation; with `full`, also the temporary key of the application scope.
    mutating func reset(full: Bool) {
        enter(.empty)
        guard full else { return }
        temporaryKeys[.application] = nil
        temporaryKeysV4[.application] = nil
    }

    func activated() throws(PowerAuthCoreErrorCode) -> ActivationRecord {
        guard case .activated(let record) = state else { throw .wrongState }
        return record
    }

    mutating func update(_ record: ActivationRecord) { enter(.activated(record)) }

    // MARK: Persistence

    /// Bytes to persist; a pending activation counts as no activation.
    func serializedState() -> Data { SessionStateCoding.encode(activation: storedActivation) }

    private var storedActivation: StoredActivation? {
        switch state {
        case .activated(let record): .version3(record)
        case .version4(.activated(let record)): .version4(record)
        case .invalid, .empty, .waitingForResponse, .waitingForCompletion, .version4: nil
        }
    }

    /// Replaces the state by what was read from persisted bytes. Unusable bytes leave the session without an
    /// activation.
    mutating func loadState(_ decoded: Result<StoredActivation?, ProtocolError>) throws(PowerAuthCoreErrorCode) {
        guard !isInvalid else { throw .wrongState }
        guard case .success(let record) = decoded else {
            enter(.empty)
            throw .wrongParam
        }
        if record?.activationId != activationIdentifier {
            // A key obtained for another activation would make the next encrypted request fail.
            temporaryKeys[.activation] = nil
        }
        if record?.version4?.devicePublicKeys != (try? recordV4())?.devicePublicKeys {
            // The same for the keys of protocol 4, which an upgrade that begins again replaces.
            temporaryKeysV4[.activation] = nil
        }
        switch record {
        case nil: enter(.empty)
        case .version3(let record): enter(.activated(record))
        case .version4(let record): enter(.version4(.activated(record)))
        }
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
        case .version4(let state): state.isPending
        case .invalid, .empty, .activated: false
        }
    }

    var hasValidActivation: Bool {
        switch state {
        case .activated: true
        case .version4(let state): !state.isPending
        case .invalid, .empty, .waitingForResponse, .waitingForCompletion: false
        }
    }

    var protocolVersion: PowerAuthCoreProtocolVersion {
        if case .version4 = state { return .NA }
        return (try? activated())?.protocolVersion ?? .V3
    }

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
        case .version4(let state): state.activationId
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
        case .version4(let state): return state.fingerprint
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
