extension Vocabulary {
    /// Commands about recovery codes.
    static let recoveryCommands: [any Command.Type] = [
        HasActivationRecoveryData.self, ActivationRecoveryData.self, ConfirmRecoveryCode.self,
    ]
}

/// Recovery code and PUK, as the user would write them down.
public struct RecoveryDescription: FieldObject {
    @Field("The code, without the prefix `R:`.") public var recoveryCode: String
    @Field("The PUK, ten digits.") public var puk: Secret

    public init() {}
}

public struct HasActivationRecoveryData: Command {
    public static let info = CommandInfo(
        "hasActivationRecoveryData", of: .app, "Checks whether recovery data came with the activation.")
    public typealias Result = Bool

    public init() {}
}

public struct ActivationRecoveryData: Command {
    public static let info = CommandInfo(
        "activationRecoveryData", of: .app,
        "Decrypts the recovery data of the activation, with a key that only the server keeps.")
    @Field(.password) public var password: Secret
    public typealias Result = RecoveryDescription

    public init() {}
}

public struct ConfirmRecoveryCode: Command {
    public static let info = CommandInfo(
        "confirmRecoveryCode", of: .app, "Confirms a recovery code that came by post, after which it can be used.")
    @Field("The code, with or without the prefix `R:`.") public var recoveryCode: String
    @Field(.password) public var password: Secret

    public struct Result: FieldObject {
        @Field("Whether it had been confirmed before.") public var alreadyConfirmed: Bool
        public init() {}
    }

    public init() {}
}
