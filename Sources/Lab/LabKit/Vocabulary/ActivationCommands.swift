extension Vocabulary {
    /// Commands about the life of an activation.
    static let activationCommands: [any Command.Type] = [
        CreateActivation.self, PersistActivation.self, FetchActivationStatus.self, CanStartActivation.self,
        HasPendingActivation.self, HasValidActivation.self, ActivationIdentifier.self, ActivationFingerprint.self,
        ExternalPendingOperation.self, RemoveActivation.self, RemoveActivationLocal.self,
    ]
}

public struct CreateActivation: Command {
    public static let info = CommandInfo(
        "createActivation", of: .app, "Exchanges keys with the server, using an activation code.")
    @Field("Activation code, with or without its signature.") public var activationCode: String
    @Field(.activationName) public var name: String?
    @Field(.extras) public var extras: String?
    @Field("Additional one-time password.") public var additionalActivationOtp: Secret?
    @Field(.customAttributes) public var customAttributes: [String: JSONValue]?

    public struct Result: FieldObject {
        @Field("Eight decimal digits, the same on the server.") public var activationFingerprint: String
        @Field("Recovery code and PUK, if the server issued them.") public var activationRecovery: RecoveryDescription?
        @Field(.customAnswer) public var customAttributes: [String: JSONValue]?
        @Field("Claims about the user, if the server sent them.") public var userInfo: [String: JSONValue]?
        public init() {}
    }

    public init() {}
}

public struct PersistActivation: Command {
    public static let info = CommandInfo(
        "persistActivation", of: .app, "Protects the new activation with a password and stores it.")
    @Field(.password, limit: "at least 4 bytes") public var password: Secret
    @Field("Adds the biometry factor; no dialog opens.") public var biometry: Bool = false

    public init() {}
}

public struct FetchActivationStatus: Command {
    public static let info = CommandInfo(
        "fetchActivationStatus", of: .app,
        "Asks the server for the activation's state and synchronises the signature counter.")

    public enum State: String, Choice {
        case created, pendingCommit, active, blocked, removed, deadlock
    }

    public struct Result: FieldObject {
        @Field(.activationState) public var state: State
        @Field(.failedAttempts) public var failCount: Int
        @Field(.maxFailedAttempts) public var maxFailCount: Int
        @Field("Attempts left while active, else 0.") public var remainingAttempts: Int
        @Field(.customAnswer) public var customObject: [String: JSONValue]?
        public init() {}
    }

    public init() {}
}

public struct CanStartActivation: Command {
    public static let info = CommandInfo(
        "canStartActivation", of: .allApps, "Checks whether no activation exists or is under way in this process.")
    public typealias Result = Bool

    public init() {}
}

public struct HasPendingActivation: Command {
    public static let info = CommandInfo(
        "hasPendingActivation", of: .allApps,
        "Checks whether an activation was started in this process and not yet persisted.")
    public typealias Result = Bool

    public init() {}
}

public struct HasValidActivation: Command {
    public static let info = CommandInfo(
        "hasValidActivation", of: .allApps, "Checks whether an activation is stored and can be used.")
    public typealias Result = Bool

    public init() {}
}

public struct ActivationIdentifier: Command {
    public static let info = CommandInfo(
        "activationIdentifier", of: .allApps, "Returns the identifier of the activation.")
    public typealias Result = String?

    public init() {}
}

public struct ActivationFingerprint: Command {
    public static let info = CommandInfo(
        "activationFingerprint", of: .app,
        "Returns the eight digits by which user and server recognise the activation.")
    public typealias Result = String?

    public init() {}
}

public struct ExternalPendingOperation: Command {
    public static let info = CommandInfo(
        "externalPendingOperation", of: .app,
        "Returns the critical operation that another app of the vendor is in the middle of.")

    public enum Kind: String, Choice {
        case activation, protocolUpgrade
    }

    public struct Operation: FieldObject {
        @Field("Kind of the operation.") public var externalOperationType: Kind
        @Field("Application identifier of the app that started it.") public var externalApplicationId: String
        public init() {}
    }
    public typealias Result = Operation?

    public init() {}
}

public struct RemoveActivation: Command {
    public static let info = CommandInfo(
        "removeActivation", of: .app,
        "Removes the activation from the server and, when that succeeded, from the device.")
    @Field(.password) public var password: Secret

    public init() {}
}

public struct RemoveActivationLocal: Command {
    public static let info = CommandInfo(
        "removeActivationLocal", of: .app, "Deletes the activation on the device; the server is not notified.")
    public init() {}
}
