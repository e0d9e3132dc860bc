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
