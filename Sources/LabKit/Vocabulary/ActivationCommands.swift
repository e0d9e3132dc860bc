extension Vocabulary {
    /// Commands about the life of an activation.
    static let activationCommands: [any Command.Type] = [
        CreateActivation.self, PersistActivation.self, FetchActivationStatus.self, CanStartActivation.self,
        HasPendingActivation.self, HasValidActivation.self, ActivationIdentifier.self, ActivationFingerprint.self,
        ExternalPendingOperation.self, RemoveActivation.self, RemoveActivationLocal.self,
    ]
}

/// `createActivation`: the key exchange with an activation code.
public enum CreateActivation: Command {
    /// Arguments of `createActivation`.
    public struct Arguments: Codable, Sendable {
        /// The activation code, with or without its signature.
        public var activationCode: String
        /// Name of the activation shown to the user.
        public var name: String?
        /// Free text for the server.
        public var extras: String?
        /// Additional one-time password.
        public var additionalActivationOtp: Secret?
        /// Further values for the application's server.
        public var customAttributes: [String: JSONValue]?

        /// Creates the arguments.
        public init(
            activationCode: String, name: String? = nil, extras: String? = nil,
            additionalActivationOtp: Secret? = nil, customAttributes: [String: JSONValue]? = nil
        ) {
            self.activationCode = activationCode
            self.name = name
            self.extras = extras
            self.additionalActivationOtp = additionalActivationOtp
            self.customAttributes = customAttributes
        }
    }

    /// Answer of `createActivation`.
    public struct Result: Codable, Sendable {
        /// Eight decimal digits that both sides show to the user.
        public var activationFingerprint: String
        /// Recovery code and PUK, if the server issued them.
        public var activationRecovery: RecoveryDescription?
        /// Values from the application's server.
        public var customAttributes: JSONValue?
        /// Claims about the user, if the server sent them.
        public var userInfo: JSONValue?

        /// Creates the answer.
        public init(
            activationFingerprint: String, activationRecovery: RecoveryDescription?, customAttributes: JSONValue?,
            userInfo: JSONValue?
        ) {
            self.activationFingerprint = activationFingerprint
            self.activationRecovery = activationRecovery
            self.customAttributes = customAttributes
            self.userInfo = userInfo
        }
    }

    public static let name = "createActivation"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Exchanges keys with the server, using an activation code."
    public static let fields: [Field] = [
        .required("activationCode", .text, "Activation code, with or without its signature."),
        .optional("name", .text, "Name of the activation shown to the user."),
        .optional("extras", .text, "Free text for the server."),
        .optional("additionalActivationOtp", .secret, "Additional one-time password."),
        .optional("customAttributes", .map, "Further values for the application's server."),
    ]
    public static let result: FieldType = .object([
        .init("activationFingerprint", .text, "Eight decimal digits, the same on the server."),
        .init(
            "activationRecovery", .optional(RecoveryDescription.type),
            "Recovery code and PUK, if the server issued them."),
        .init("customAttributes", .optional(.map), "Values from the application's server."),
        .init("userInfo", .optional(.map), "Claims about the user, if the server sent them."),
    ])
}

/// `persistActivation`: protects the new activation with a password and stores it.
public enum PersistActivation: Command {
    /// Arguments of `persistActivation`.
    public struct Arguments: Codable, Sendable {
        /// The password, at least four bytes of UTF-8.
        public var password: Secret
        /// Whether biometry protects it too.
        public var biometry: Bool?

        /// Creates the arguments.
        public init(password: Secret, biometry: Bool? = nil) {
            self.password = password
            self.biometry = biometry
        }
    }

    public typealias Result = NoResult
    public static let name = "persistActivation"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Protects the new activation with a password and stores it."
    public static let fields: [Field] = [
        .required("password", .secret, limit: "at least 4 bytes", "Password of the knowledge factor."),
        .optional("biometry", .boolean, default: false, "Adds the biometry factor; no dialog opens."),
    ]
}

/// `fetchActivationStatus`: asks the server and synchronises the signature counter.
public enum FetchActivationStatus: Command {
    public typealias Arguments = NoArguments

    /// Answer of `fetchActivationStatus`.
    public struct Result: Codable, Sendable {
        /// `created`, `pendingCommit`, `active`, `blocked`, `removed` or `deadlock`.
        public var state: String
        /// Failed attempts so far.
        public var failCount: Int
        /// Attempts after which the activation is blocked.
        public var maxFailCount: Int
        /// Attempts left while active, else 0.
        public var remainingAttempts: Int
        /// Values from the application's server.
        public var customObject: JSONValue?

        /// Creates the answer.
        public init(
            state: String, failCount: Int, maxFailCount: Int, remainingAttempts: Int, customObject: JSONValue?
        ) {
            self.state = state
            self.failCount = failCount
            self.maxFailCount = maxFailCount
            self.remainingAttempts = remainingAttempts
            self.customObject = customObject
        }
    }

    public static let name = "fetchActivationStatus"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Asks the server for the activation's state and synchronises the signature counter."
    public static let result: FieldType = .object([
        .init(
            "state", .choice(["created", "pendingCommit", "active", "blocked", "removed", "deadlock"]),
            "State of the activation."),
        .init("failCount", .integer, "Failed attempts so far."),
        .init("maxFailCount", .integer, "Attempts after which the activation is blocked."),
        .init("remainingAttempts", .integer, "Attempts left while active, else 0."),
        .init("customObject", .optional(.map), "Values from the application's server."),
    ])
}

/// `canStartActivation`: whether no activation exists or is under way in this process.
public enum CanStartActivation: Command {
    public typealias Arguments = NoArguments
    public typealias Result = Bool
    public static let name = "canStartActivation"
    public static let actors: Set<ActorKind> = [.app, .appExtension, .watchApp]
    public static let summary = "Tells whether no activation exists or is under way in this process."
    public static let result: FieldType = .boolean
}

/// `hasPendingActivation`: whether an activation was started here and not yet persisted.
public enum HasPendingActivation: Command {
    public typealias Arguments = NoArguments
    public typealias Result = Bool
    public static let name = "hasPendingActivation"
    public static let actors: Set<ActorKind> = [.app, .appExtension, .watchApp]
    public static let summary = "Tells whether an activation was started in this process and not yet persisted."
    public static let result: FieldType = .boolean
}

/// `hasValidActivation`: whether an activation is stored.
public enum HasValidActivation: Command {
    public typealias Arguments = NoArguments
    public typealias Result = Bool
    public static let name = "hasValidActivation"
    public static let actors: Set<ActorKind> = [.app, .appExtension, .watchApp]
    public static let summary = "Tells whether an activation is stored and can be used."
    public static let result: FieldType = .boolean
}

/// `activationIdentifier`: the identifier of the activation, if there is one.
public enum ActivationIdentifier: Command {
    public typealias Arguments = NoArguments
    public typealias Result = String?
    public static let name = "activationIdentifier"
    public static let actors: Set<ActorKind> = [.app, .appExtension, .watchApp]
    public static let summary = "Returns the identifier of the activation."
    public static let result: FieldType = .optional(.text)
}

/// `activationFingerprint`: the eight digits that both sides show.
public enum ActivationFingerprint: Command {
    public typealias Arguments = NoArguments
    public typealias Result = String?
    public static let name = "activationFingerprint"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Returns the eight digits by which user and server recognise the activation."
    public static let result: FieldType = .optional(.text)
}

/// `externalPendingOperation`: what another app of the vendor is in the middle of.
public enum ExternalPendingOperation: Command {
    public typealias Arguments = NoArguments

    /// An operation that another app has started.
    public struct Operation: Codable, Equatable, Sendable {
        /// `activation` or `protocolUpgrade`.
        public var externalOperationType: String
        /// The application identifier of the app that started it.
        public var externalApplicationId: String

        /// Creates the answer.
        public init(externalOperationType: String, externalApplicationId: String) {
            self.externalOperationType = externalOperationType
            self.externalApplicationId = externalApplicationId
        }
    }

    public typealias Result = Operation?
    public static let name = "externalPendingOperation"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Returns the critical operation that another app of the vendor is in the middle of."
    public static let result: FieldType = .optional(
        .object([
            .init("externalOperationType", .choice(["activation", "protocolUpgrade"]), "Kind of the operation."),
            .init("externalApplicationId", .text, "Application identifier of the app that started it."),
        ]))
}

/// `removeActivation`: removes the activation from the server and then from the device.
public enum RemoveActivation: Command {
    /// Arguments of `removeActivation`.
    public struct Arguments: Codable, Sendable {
        /// The password.
        public var password: Secret

        /// Creates the arguments.
        public init(password: Secret) {
            self.password = password
        }
    }

    public typealias Result = NoResult
    public static let name = "removeActivation"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Removes the activation from the server and, when that succeeded, from the device."
    public static let fields: [Field] = [.required("password", .secret, "Password of the knowledge factor.")]
}

/// `removeActivationLocal`: forgets the activation on the device only.
public enum RemoveActivationLocal: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "removeActivationLocal"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Forgets the activation on the device; the server is not told."
}
