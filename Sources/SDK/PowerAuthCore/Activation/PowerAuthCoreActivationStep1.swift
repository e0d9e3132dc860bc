/// Input of ``PowerAuthCoreSession/startActivation(_:)``. A plain holder. Thread rule: one thread at a time.
public final class PowerAuthCoreActivationStep1Param {
    /// Activation code with its optional signature; `nil` for activations that do not use a code.
    public var activationCode: PowerAuthCoreOtp?

    /// Makes the parameters.
    public init(activationCode: PowerAuthCoreOtp? = nil) {
        self.activationCode = activationCode
    }
}

/// Output of ``PowerAuthCoreSession/startActivation(_:)``. Immutable. Thread rule: any thread.
public final class PowerAuthCoreActivationStep1Result: Sendable {
    /// Base64 of the device's compressed public key (33 bytes).
    public let devicePublicKey: String

    init(devicePublicKey: String) {
        self.devicePublicKey = devicePublicKey
    }
}
