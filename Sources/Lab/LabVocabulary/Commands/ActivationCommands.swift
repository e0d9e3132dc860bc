// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    static let activationCommands: [any Command.Type] = [
        CreateActivation.self, PersistActivation.self, FetchActivationStatus.self, CanStartActivation.self,
        HasPendingActivation.self, HasValidActivation.self, ActivationIdentifier.self, ActivationFingerprint.self,
        ExternalPendingOperation.self, RemoveActivation.self, RemoveActivationLocal.self, ParseActivationCode.self,
        CreateActivationWithRecoveryCode.self, CreateCustomActivation.self, CreateOpenIDActivation.self,
        StartLegacyActivation.self, CompleteLegacyActivation.self,
    ]

    static let recoveryCommands: [any Command.Type] = [
        HasActivationRecoveryData.self, ActivationRecoveryData.self, ConfirmRecoveryCode.self,
    ]
}

public struct CreateActivation: Command {
    public static let info = CommandInfo(
        "createActivation", of: .fullApps, "Exchanges keys with the server, using an activation code.")
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
        "persistActivation", of: .fullApps, "Protects the new activation with a password and stores it.")
    @Field(.password, limit: "at least 4 bytes") public var password: Secret
    @Field("Adds the biometry factor; no dialog opens.") public var biometry: Bool = false
    public init() {}
}

public struct FetchActivationStatus: Command {
    public static let info = CommandInfo(
        "fetchActivationStatus", of: .fullApps,
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
        @Field("Whether the server offers protocol 4 to the activation; SDK 2.0 only.")
        public var isProtocolUpgradeAvailable: Bool?
        @Field("False when the application no longer supports the algorithms of the activation; SDK 2.0 only.")
        public var isAlgorithmSupported: Bool?
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
        "activationFingerprint", of: .fullApps,
        "Returns the eight digits by which user and server recognise the activation.")
    public typealias Result = String?
    public init() {}
}

public struct ExternalPendingOperation: Command {
    public static let info = CommandInfo(
        "externalPendingOperation", of: .fullApps,
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
        "removeActivation", of: .fullApps,
        "Removes the activation from the server and, when that succeeded, from the device.")
    @Field(.password) public var password: Secret
    public init() {}
}

public struct RemoveActivationLocal: Command {
    public static let info = CommandInfo(
        "removeActivationLocal", of: .fullApps, "Deletes the activation on the device; the server is not notified.")
    public init() {}
}

public struct ParseActivationCode: Command {
    public static let info = CommandInfo(
        "parseActivationCode", of: .fullApps,
        "Splits an activation code from its signature; nothing when it is mistyped.")
    @Field("The code, with or without its signature.") public var activationCode: String

    public struct Parts: FieldObject {
        @Field("The code without its signature.") public var activationCode: String
        @Field("Base64 of the signature that followed it.") public var activationSignature: String?
        public init() {}
    }
    public typealias Result = Parts?
    public init() {}
}

public struct CreateActivationWithRecoveryCode: Command {
    public static let info = CommandInfo(
        "createActivationWithRecoveryCode", of: .app,
        "Exchanges keys with the server, using a recovery code in place of a lost activation.")
    @Field("The recovery code, with or without the prefix `R:`.") public var recoveryCode: String
    @Field("The PUK that belongs to the code.", limit: "10 digits") public var puk: Secret
    @Field(.activationName) public var name: String?
    public typealias Result = CreateActivation.Result
    public init() {}
}

public struct CreateCustomActivation: Command {
    public static let info = CommandInfo(
        "createCustomActivation", of: .fullApps,
        "Exchanges keys with the server, which identifies the user by the app's attributes.")
    @Field("What the server identifies the user by.", limit: "texts") public var identityAttributes: [String: JSONValue]
    @Field(.activationName) public var name: String?
    @Field(.extras) public var extras: String?
    @Field(.customAttributes) public var customAttributes: [String: JSONValue]?
    public typealias Result = CreateActivation.Result
    public init() {}
}

public struct CreateOpenIDActivation: Command {
    public static let info = CommandInfo(
        "createOpenIDActivation", of: .fullApps,
        "Exchanges keys with the server, which redeems a code of an OpenID Connect provider.")
    @Field("The provider as the server knows it.") public var providerId: String
    @Field("Authorization code that the provider has issued.") public var code: String
    @Field("Nonce of the authorization request.") public var nonce: String
    @Field("PKCE verifier of the authorization request.") public var codeVerifier: String?
    @Field(.activationName) public var name: String?
    public typealias Result = CreateActivation.Result
    public init() {}
}

public struct StartLegacyActivation: Command {
    public static let info = CommandInfo(
        "startLegacyActivation", of: .app,
        "Makes the keys of an activation as an SDK of the protocol V2 left it behind, for /lab/seed of the server.")

    public struct Result: FieldObject {
        @Field("Base64 of the device's public key, for /lab/seed.") public var devicePublicKey: String
        public init() {}
    }
    public init() {}
}

public struct CompleteLegacyActivation: Command {
    public static let info = CommandInfo(
        "completeLegacyActivation", of: .app,
        "Stores the activation of the protocol V2 as the app's own, to be upgraded.")
    @Field("Identifier from the answer of /lab/seed.") public var activationId: String
    @Field("Base64 of the server's public key, from the same answer.") public var serverPublicKey: String
    @Field(.password, limit: "at least 4 bytes") public var password: Secret
    public init() {}
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
