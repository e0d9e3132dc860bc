/// An activation or recovery code, as parsed by ``PowerAuthCoreOtpUtil``. Immutable, usable from any thread.
public final class PowerAuthCoreOtp: Sendable {
    /// The code itself, 23 characters, without the signature and without the `R:` prefix.
    public let activationCode: String
    /// Base64 of the code's signature (DER); `nil` if the code came without one.
    public let activationSignature: String?

    init(activationCode: String, activationSignature: String?) {
        self.activationCode = activationCode
        self.activationSignature = activationSignature
    }
}
