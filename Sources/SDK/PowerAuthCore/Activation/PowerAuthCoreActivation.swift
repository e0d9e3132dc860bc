// SPDX-License-Identifier: Apache-2.0

/// State of an activation, as the server reports it or as the core concludes.
public enum PowerAuthCoreActivationState: Int, Sendable {
    /// The record exists on the server, no key exchange yet.
    case created = 1
    /// Keys are exchanged, the server waits for a commit.
    case pendingCommit = 2
    /// The activation can be used.
    case active = 3
    /// Too many failed attempts, or blocked by the server.
    case blocked = 4
    /// Removed on the server.
    case removed = 5
    /// The signature counters of client and server are too far apart to be repaired. Local only, never sent.
    case deadlock = 128
}

/// What the comparison of the signature counters found (protocol.md, section 12.3).
public enum PowerAuthCoreCounterState: Int, Sendable {
    /// The counters were not compared.
    case NA = 0
    /// Client and server agree, or the server will catch up by itself.
    case OK = 1
    /// The local counter was repaired; the session must be saved.
    case updated = 2
    /// The client is ahead so far that a signature should be sent now.
    case calculateSignature = 3
    /// The counters can no longer be synchronised.
    case invalid = 4
}

/// Encrypted status as received from the server. A plain holder. Thread rule: one thread at a time.
public final class PowerAuthCoreEncryptedActivationStatus {
    /// Base64 of the 16-byte challenge sent with the request.
    public var challenge: String
    /// Base64 of the 32-byte blob.
    public var encryptedStatusBlob: String
    /// Base64 of the 16-byte nonce sent with the response.
    public var nonce: String

    /// Makes the input of ``PowerAuthCoreSession/decodeActivationStatus(_:keys:)``.
    public init(challenge: String, encryptedStatusBlob: String, nonce: String) {
        self.challenge = challenge
        self.encryptedStatusBlob = encryptedStatusBlob
        self.nonce = nonce
    }
}

/// Decoded status of an activation. Immutable. Thread rule: any thread.
public final class PowerAuthCoreActivationStatus: Sendable {
    /// State of the activation.
    public let state: PowerAuthCoreActivationState
    /// Failed attempts since the last successful one.
    public let failCount: UInt32
    /// Failed attempts after which the server blocks the activation.
    public let maxFailCount: UInt32
    /// Protocol version of the activation on the server.
    public let currentActivationVersion: PowerAuthCoreProtocolVersion
    /// Highest version the server can upgrade the activation to.
    public let upgradeActivationVersion: PowerAuthCoreProtocolVersion
    /// Result of the counter comparison.
    public let counterState: PowerAuthCoreCounterState
    /// Number of counter values the server tries, 1 to 64.
    public let lookAheadCount: UInt32
    /// `true` if the server offers protocol 4 to an active activation of protocol 3.
    package let offersVersion4: Bool

    init(
        state: PowerAuthCoreActivationState, failCount: UInt32, maxFailCount: UInt32,
        currentActivationVersion: PowerAuthCoreProtocolVersion, upgradeActivationVersion: PowerAuthCoreProtocolVersion,
        counterState: PowerAuthCoreCounterState, lookAheadCount: UInt32, offersVersion4: Bool = false
    ) {
        self.state = state
        self.failCount = failCount
        self.maxFailCount = maxFailCount
        self.currentActivationVersion = currentActivationVersion
        self.upgradeActivationVersion = upgradeActivationVersion
        self.counterState = counterState
        self.lookAheadCount = lookAheadCount
        self.offersVersion4 = offersVersion4
    }

    /// Attempts left before the server blocks the activation; 0 unless the activation is active.
    public var remainingAttempts: UInt32 {
        state == .active && maxFailCount >= failCount ? maxFailCount - failCount : 0
    }

    /// `true` if the server offers a newer protocol than the activation uses.
    public var isProtocolUpgradeAvailable: Bool {
        state == .active && currentActivationVersion.rawValue < upgradeActivationVersion.rawValue
    }

    /// `true` if a signature should be sent to the server to bring the counters closer together.
    public var isSignatureCalculationRecommended: Bool { state == .active && counterState == .calculateSignature }
    /// `true` if decoding changed the session, which must then be saved.
    public var needsSerializeSessionState: Bool { counterState == .updated }
}

/// Input of ``PowerAuthCoreSession/startActivation(_:)``. A plain holder. Thread rule: one thread at a time.
public final class PowerAuthCoreActivationStep1Param {
    /// Activation code with its optional signature; `nil` for activations that do not use a code.
    public var activationCode: PowerAuthCoreOtp?

    /// Makes the parameters.
    public init(activationCode: PowerAuthCoreOtp? = nil) { self.activationCode = activationCode }
}

/// Output of ``PowerAuthCoreSession/startActivation(_:)``. Immutable. Thread rule: any thread.
public final class PowerAuthCoreActivationStep1Result: Sendable {
    /// Base64 of the device's compressed public key (33 bytes).
    public let devicePublicKey: String

    init(devicePublicKey: String) { self.devicePublicKey = devicePublicKey }
}

/// The server's answer to a key exchange, input of ``PowerAuthCoreSession/validateActivationResponse(_:)``.
/// A plain holder. Thread rule: one thread at a time.
public final class PowerAuthCoreActivationStep2Param {
    /// Identifier the server gave to the activation; not empty.
    public var activationId: String
    /// Base64 of the server's public key for this activation.
    public var serverPublicKey: String
    /// Base64 of the initial counter data (16 bytes).
    public var ctrData: String
    /// Recovery code and PUK, if the server issued them.
    public var activationRecovery: PowerAuthCoreRecoveryData?

    /// Makes the parameters.
    public init(
        activationId: String, serverPublicKey: String, ctrData: String,
        activationRecovery: PowerAuthCoreRecoveryData? = nil
    ) {
        self.activationId = activationId
        self.serverPublicKey = serverPublicKey
        self.ctrData = ctrData
        self.activationRecovery = activationRecovery
    }
}

/// Output of ``PowerAuthCoreSession/validateActivationResponse(_:)``. Immutable. Thread rule: any thread.
public final class PowerAuthCoreActivationStep2Result: Sendable {
    /// Eight digits that the user may compare with those the server shows (protocol.md, section 6.4).
    public let activationFingerprint: String

    init(activationFingerprint: String) { self.activationFingerprint = activationFingerprint }
}

/// Recovery code and PUK that let the user replace a lost activation. Immutable. Thread rule: any thread.
public final class PowerAuthCoreRecoveryData: Sendable {
    /// Recovery code without the `R:` prefix.
    public let recoveryCode: String
    /// PUK, ten digits.
    public let puk: String

    /// Keeps the two values; they are validated where they are used.
    public init(recoveryCode: String, puk: String) {
        self.recoveryCode = recoveryCode
        self.puk = puk
    }
}
