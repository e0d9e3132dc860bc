import PowerAuthProtocol

/// An activation or recovery code, as parsed by ``PowerAuthCoreOtpUtil``. Immutable. Thread rule: any thread.
public final class PowerAuthCoreOtp: Sendable {
    /// The code itself, 23 characters, without the signature and without the `R:` prefix.
    public var activationCode: String { code.text }
    /// Base64 of the code's signature (DER); `nil` if the code came without one.
    public let activationSignature: String?

    /// What the text was parsed to; nothing below reads the text again.
    let code: ActivationCode

    init(_ code: ActivationCode, signature: String?) {
        self.code = code
        activationSignature = signature
    }
}
