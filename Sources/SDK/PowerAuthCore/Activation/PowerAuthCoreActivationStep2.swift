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

    init(activationFingerprint: String) {
        self.activationFingerprint = activationFingerprint
    }
}
