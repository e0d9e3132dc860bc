/// What a successful key exchange brings (sdk.md, section 5.17). Immutable. Thread rule: any thread.
public final class PowerAuthActivationResult: @unchecked Sendable {
    // Safe to share: the attributes hold only values that the JSON parser made, which are never mutated.

    /// Eight digits that the user may compare with those the server shows.
    public let activationFingerprint: String
    /// Recovery code and PUK, if the server issued them.
    public let activationRecovery: PowerAuthActivationRecoveryData?
    /// Attributes from the application's server.
    public let customAttributes: [String: Any]?
    /// Claims about the user, if the server sent them.
    public let userInfo: PowerAuthUserInfo?

    init(
        fingerprint: String, recovery: PowerAuthActivationRecoveryData?, customAttributes: [String: Any]?,
        userInfo: PowerAuthUserInfo?
    ) {
        activationFingerprint = fingerprint
        activationRecovery = recovery
        self.customAttributes = customAttributes
        self.userInfo = userInfo
    }
}

/// Recovery code and PUK for the user to keep (sdk.md, section 5.13). Immutable. Thread rule: any thread.
public final class PowerAuthActivationRecoveryData: Sendable {
    /// Recovery code without the prefix `R:`.
    public let recoveryCode: String
    /// PUK, ten digits.
    public let puk: String

    init(_ data: PowerAuthCoreRecoveryData) {
        recoveryCode = data.recoveryCode
        puk = data.puk
    }
}
