// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands of the server's back office.
    static let serverCommands: [any Command.Type] = [
        InitActivation.self, CommitActivation.self, ActivationStatus.self, BlockActivation.self,
        UnblockActivation.self, RemoveServerActivation.self, VerifySignature.self, ValidateToken.self,
    ]
}

// server.md, section 7.1
public struct InitActivation: Command {
    public static let info = CommandInfo(
        "initActivation", of: .server, "Creates an activation and the code that starts it.")
    @Field(.userId) public var userId: String = "alice"
    @Field("Failed attempts after which it is blocked; the application's setting decides when left out.")
    public var maxFailureCount: Int?
    @Field("Additional one-time password that the app must present in the key exchange.")
    public var activationOtp: Secret?

    public struct Result: FieldObject {
        @Field("Identifier of the new activation.") public var activationId: String
        @Field("Code that the user types or scans.") public var activationCode: String
        @Field("Base64 signature of the code by the master server key.") public var activationSignature: String
        @Field(.userId) public var userId: String
        @Field("Application of the activation.") public var applicationId: String
        public init() {}
    }
    public init() {}
}

// server.md, section 7.6
public struct CommitActivation: Command {
    public static let info = CommandInfo(
        "commitActivation", of: .server, "Confirms a key exchange, after which the activation is active.")
    @Field(.activationId) public var activationId: String
    public init() {}
}

// server.md, section 7.7
public struct ActivationStatus: Command {
    public static let info = CommandInfo(
        "activationStatus", of: .server, "Returns what the server knows about an activation.")
    @Field(.activationId) public var activationId: String

    public enum State: String, Choice {
        case created = "CREATED"
        case pendingCommit = "PENDING_COMMIT"
        case active = "ACTIVE"
        case blocked = "BLOCKED"
        case removed = "REMOVED"
    }

    public struct Result: FieldObject {
        @Field(.activationId) public var activationId: String
        @Field(.activationState) public var activationStatus: State
        @Field(.blockedReason) public var blockedReason: String?
        @Field("Name given by the app.") public var activationName: String?
        @Field(.userId) public var userId: String
        @Field(.failedAttempts) public var failedAttempts: Int
        @Field(.maxFailedAttempts) public var maxFailedAttempts: Int
        @Field("Number of signatures accepted plus skipped so far.") public var counter: Int
        @Field("Eight digits, the same as in the app.") public var devicePublicKeyFingerprint: String?
        @Field("Platform reported by the app.") public var platform: String?
        @Field("Machine name reported by the app.") public var deviceInfo: String?
        @Field("Number of tokens that exist for the activation.") public var tokens: Int
        public init() {}
    }
    public init() {}
}

// server.md, section 7.8
public struct BlockActivation: Command {
    public static let info = CommandInfo("blockActivation", of: .server, "Blocks an active activation.")
    @Field(.activationId) public var activationId: String
    @Field(.blockedReason) public var reason: String = "NOT_SPECIFIED"
    public init() {}
}

// server.md, section 7.8
public struct UnblockActivation: Command {
    public static let info = CommandInfo(
        "unblockActivation", of: .server, "Unblocks an activation and clears its failed attempts.")
    @Field(.activationId) public var activationId: String
    public init() {}
}

// server.md, section 7.8
public struct RemoveServerActivation: Command {
    public static let info = CommandInfo("removeActivation", of: .server, "Removes an activation for good.")
    @Field(.activationId) public var activationId: String
    public init() {}
}

// server.md, section 8.1
public struct VerifySignature: Command {
    public static let info = CommandInfo(
        "verifySignature", of: .server, "Checks the signature of a request, as an application's backend would.")
    @Field("Value of the X-PowerAuth-Authorization header.") public var header: String
    @Field(.httpMethod) public var method: RequestMethod
    @Field(.uriId) public var uriId: String
    @Field(.requestBody) public var body: String?

    public struct Result: FieldObject {
        @Field("Whether the signature is valid.") public var signatureValid: Bool
        @Field("State of the activation afterwards.") public var activationStatus: String?
        @Field(.activationId) public var activationId: String
        @Field(.userId) public var userId: String?
        @Field("Factors of the signature.") public var signatureType: String
        @Field(.remainingAttempts) public var remainingAttempts: Int?
        public init() {}
    }
    public init() {}
}

// server.md, section 9.2
public struct ValidateToken: Command {
    public static let info = CommandInfo(
        "validateToken", of: .server, "Checks a token header, as an application's backend would.")
    @Field("Value of the X-PowerAuth-Token header.") public var header: String

    public struct Result: FieldObject {
        @Field("Whether the header is valid.") public var tokenValid: Bool
        @Field(.activationState) public var activationStatus: String?
        @Field(.activationId) public var activationId: String?
        @Field(.userId) public var userId: String?
        @Field("Factors with which the token was created.") public var signatureType: String?
        public init() {}
    }
    public init() {}
}
