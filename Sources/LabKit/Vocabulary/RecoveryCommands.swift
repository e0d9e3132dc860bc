extension Vocabulary {
    /// Commands about recovery codes.
    static let recoveryCommands: [any Command.Type] = [
        HasActivationRecoveryData.self, ActivationRecoveryData.self, ConfirmRecoveryCode.self,
    ]
}

/// Recovery code and PUK, as the user would write them down.
public struct RecoveryDescription: Codable, Sendable {
    /// The code, without the prefix `R:`.
    public var recoveryCode: String
    /// The PUK, ten digits.
    public var puk: Secret

    /// Creates the description.
    public init(recoveryCode: String, puk: Secret) {
        self.recoveryCode = recoveryCode
        self.puk = puk
    }

    static let type: FieldType = .object([
        .init("recoveryCode", .text, "The code, without the prefix `R:`."),
        .init("puk", .secret, "The PUK, ten digits."),
    ])
}

/// `hasActivationRecoveryData`: whether recovery data came with the activation.
public enum HasActivationRecoveryData: Command {
    public typealias Arguments = NoArguments
    public typealias Result = Bool
    public static let name = "hasActivationRecoveryData"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Tells whether recovery data came with the activation."
    public static let result: FieldType = .boolean
}

/// `activationRecoveryData`: the recovery data that came with the activation.
public enum ActivationRecoveryData: Command {
    /// Arguments of `activationRecoveryData`.
    public struct Arguments: Codable, Sendable {
        /// The password in use.
        public var password: Secret

        /// Creates the arguments.
        public init(password: Secret) {
            self.password = password
        }
    }

    public typealias Result = RecoveryDescription
    public static let name = "activationRecoveryData"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Decrypts the recovery data of the activation, with a key that only the server keeps."
    public static let fields: [Field] = [.required("password", .secret, "Password of the knowledge factor.")]
    public static let result = RecoveryDescription.type
}

/// `confirmRecoveryCode`: makes a code from a recovery postcard usable.
public enum ConfirmRecoveryCode: Command {
    /// Arguments of `confirmRecoveryCode`.
    public struct Arguments: Codable, Sendable {
        /// The code, with or without the prefix `R:`.
        public var recoveryCode: String
        /// The password in use.
        public var password: Secret

        /// Creates the arguments.
        public init(recoveryCode: String, password: Secret) {
            self.recoveryCode = recoveryCode
            self.password = password
        }
    }

    /// Answer of `confirmRecoveryCode`.
    public struct Result: Codable, Sendable {
        /// Whether it had been confirmed before.
        public var alreadyConfirmed: Bool

        /// Creates the answer.
        public init(alreadyConfirmed: Bool) {
            self.alreadyConfirmed = alreadyConfirmed
        }
    }

    public static let name = "confirmRecoveryCode"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Confirms a recovery code that came by post, after which it can be used."
    public static let fields: [Field] = [
        .required("recoveryCode", .text, "The code, with or without the prefix `R:`."),
        .required("password", .secret, "Password of the knowledge factor."),
    ]
    public static let result: FieldType = .object([
        .init("alreadyConfirmed", .boolean, "Whether it had been confirmed before.")
    ])
}
