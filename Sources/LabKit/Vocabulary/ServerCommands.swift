extension Vocabulary {
    /// Commands of the server's back office.
    static let serverCommands: [any Command.Type] = [
        InitActivation.self, CommitActivation.self, ActivationStatus.self, BlockActivation.self,
        UnblockActivation.self, RemoveServerActivation.self, VerifySignature.self, ValidateToken.self,
    ]
}

/// `initActivation`: the back office creates an activation and its code (server.md, section 7.1).
public enum InitActivation: Command {
    /// Arguments of `initActivation`.
    public struct Arguments: Codable, Sendable {
        /// User that the activation belongs to.
        public var userId: String?
        /// Failed attempts after which the activation is blocked.
        public var maxFailureCount: Int?
        /// Additional one-time password expected from the app.
        public var activationOtp: Secret?

        /// Creates the arguments.
        public init(userId: String? = nil, maxFailureCount: Int? = nil, activationOtp: Secret? = nil) {
            self.userId = userId
            self.maxFailureCount = maxFailureCount
            self.activationOtp = activationOtp
        }
    }

    /// Answer of `initActivation`.
    public struct Result: Codable, Sendable {
        /// Identifier of the new activation.
        public var activationId: String
        /// Code that the user types or scans.
        public var activationCode: String
        /// Base64 signature of the code by the master server key.
        public var activationSignature: String
        /// User that the activation belongs to.
        public var userId: String
        /// Application of the activation.
        public var applicationId: String

        /// Creates the answer.
        public init(
            activationId: String, activationCode: String, activationSignature: String, userId: String,
            applicationId: String
        ) {
            self.activationId = activationId
            self.activationCode = activationCode
            self.activationSignature = activationSignature
            self.userId = userId
            self.applicationId = applicationId
        }
    }

    public static let name = "initActivation"
    public static let actors: Set<ActorKind> = [.server]
    public static let summary = "Creates an activation and the code that starts it."
    public static let fields: [Field] = [
        .optional("userId", .text, default: "alice", "User that the activation belongs to."),
        .optional("maxFailureCount", .integer, default: 5, "Failed attempts after which it is blocked."),
        .optional(
            "activationOtp", .secret, "Additional one-time password that the app must present in the key exchange."),
    ]
    public static let result: FieldType = .object([
        .init("activationId", .text, "Identifier of the new activation."),
        .init("activationCode", .text, "Code that the user types or scans."),
        .init("activationSignature", .text, "Base64 signature of the code by the master server key."),
        .init("userId", .text, "User that the activation belongs to."),
        .init("applicationId", .text, "Application of the activation."),
    ])
}

/// The identifier of an activation, as most back-office commands take it.
public struct ActivationReference: Codable, Sendable {
    /// Identifier of the activation.
    public var activationId: String

    /// Creates the arguments.
    public init(activationId: String) {
        self.activationId = activationId
    }

    static let fields: [Field] = [.required("activationId", .text, "Identifier of the activation.")]
}

/// `commitActivation`: the back office confirms a key exchange (server.md, section 7.6).
public enum CommitActivation: Command {
    public typealias Arguments = ActivationReference
    public typealias Result = NoResult
    public static let name = "commitActivation"
    public static let actors: Set<ActorKind> = [.server]
    public static let summary = "Confirms a key exchange, after which the activation is active."
    public static let fields = ActivationReference.fields
}

/// `activationStatus`: what the server knows about an activation (server.md, section 7.7).
public enum ActivationStatus: Command {
    public typealias Arguments = ActivationReference

    /// Answer of `activationStatus`.
    public struct Result: Codable, Sendable {
        /// Identifier of the activation.
        public var activationId: String
        /// `CREATED`, `PENDING_COMMIT`, `ACTIVE`, `BLOCKED` or `REMOVED`.
        public var activationStatus: String
        /// Why it is blocked.
        public var blockedReason: String?
        /// Name given by the app.
        public var activationName: String?
        /// User that the activation belongs to.
        public var userId: String
        /// Failed attempts so far.
        public var failedAttempts: Int
        /// Failed attempts after which it is blocked.
        public var maxFailedAttempts: Int
        /// Number of signatures accepted plus skipped so far.
        public var counter: Int
        /// Eight digits, the same as in the app.
        public var devicePublicKeyFingerprint: String?
        /// Platform reported by the app, lower case.
        public var platform: String?
        /// Machine name reported by the app.
        public var deviceInfo: String?
        /// Number of tokens that exist for the activation.
        public var tokens: Int

        /// Creates the answer.
        public init(
            activationId: String, activationStatus: String, blockedReason: String?, activationName: String?,
            userId: String, failedAttempts: Int, maxFailedAttempts: Int, counter: Int,
            devicePublicKeyFingerprint: String?, platform: String?, deviceInfo: String?, tokens: Int
        ) {
            self.activationId = activationId
            self.activationStatus = activationStatus
            self.blockedReason = blockedReason
            self.activationName = activationName
            self.userId = userId
            self.failedAttempts = failedAttempts
            self.maxFailedAttempts = maxFailedAttempts
            self.counter = counter
            self.devicePublicKeyFingerprint = devicePublicKeyFingerprint
            self.platform = platform
            self.deviceInfo = deviceInfo
            self.tokens = tokens
        }
    }

    public static let name = "activationStatus"
    public static let actors: Set<ActorKind> = [.server]
    public static let summary = "Returns what the server knows about an activation."
    public static let fields = ActivationReference.fields
    public static let result: FieldType = .object([
        .init("activationId", .text, "Identifier of the activation."),
        .init(
            "activationStatus", .choice(["CREATED", "PENDING_COMMIT", "ACTIVE", "BLOCKED", "REMOVED"]), "State."),
        .init("blockedReason", .optional(.text), "Why it is blocked."),
        .init("activationName", .optional(.text), "Name given by the app."),
        .init("userId", .text, "User that the activation belongs to."),
        .init("failedAttempts", .integer, "Failed attempts so far."),
        .init("maxFailedAttempts", .integer, "Failed attempts after which it is blocked."),
        .init("counter", .integer, "Number of signatures accepted plus skipped so far."),
        .init("devicePublicKeyFingerprint", .optional(.text), "Eight digits, the same as in the app."),
        .init("platform", .optional(.text), "Platform reported by the app."),
        .init("deviceInfo", .optional(.text), "Machine name reported by the app."),
        .init("tokens", .integer, "Number of tokens that exist for the activation."),
    ])
}

/// `blockActivation`: the back office blocks an active activation (server.md, section 7.8).
public enum BlockActivation: Command {
    /// Arguments of `blockActivation`.
    public struct Arguments: Codable, Sendable {
        /// Identifier of the activation.
        public var activationId: String
        /// Why it is blocked.
        public var reason: String?

        /// Creates the arguments.
        public init(activationId: String, reason: String? = nil) {
            self.activationId = activationId
            self.reason = reason
        }
    }

    public typealias Result = NoResult
    public static let name = "blockActivation"
    public static let actors: Set<ActorKind> = [.server]
    public static let summary = "Blocks an active activation."
    public static let fields: [Field] = [
        .required("activationId", .text, "Identifier of the activation."),
        .optional("reason", .text, default: "NOT_SPECIFIED", "Why it is blocked."),
    ]
}

/// `unblockActivation`: the back office unblocks an activation (server.md, section 7.8).
public enum UnblockActivation: Command {
    public typealias Arguments = ActivationReference
    public typealias Result = NoResult
    public static let name = "unblockActivation"
    public static let actors: Set<ActorKind> = [.server]
    public static let summary = "Unblocks an activation and clears its failed attempts."
    public static let fields = ActivationReference.fields
}

/// `removeActivation` of the back office (server.md, section 7.8).
public enum RemoveServerActivation: Command {
    public typealias Arguments = ActivationReference
    public typealias Result = NoResult
    public static let name = "removeActivation"
    public static let actors: Set<ActorKind> = [.server]
    public static let summary = "Removes an activation for good."
    public static let fields = ActivationReference.fields
}

/// `verifySignature`: an application's backend lets the server check a request (server.md, section 8.1).
public enum VerifySignature: Command {
    /// Arguments of `verifySignature`.
    public struct Arguments: Codable, Sendable {
        /// Value of the `X-PowerAuth-Authorization` header.
        public var header: String
        /// HTTP method of the request.
        public var method: String
        /// URI identifier agreed with the app.
        public var uriId: String
        /// Body of the request, as UTF-8 text.
        public var body: String?

        /// Creates the arguments.
        public init(header: String, method: String, uriId: String, body: String? = nil) {
            self.header = header
            self.method = method
            self.uriId = uriId
            self.body = body
        }
    }

    /// Answer of `verifySignature`.
    public struct Result: Codable, Sendable {
        /// Whether the signature is valid.
        public var signatureValid: Bool
        /// State of the activation afterwards.
        public var activationStatus: String?
        /// Identifier of the activation.
        public var activationId: String
        /// User of the activation.
        public var userId: String?
        /// Factors of the signature, for example `POSSESSION_KNOWLEDGE`.
        public var signatureType: String
        /// Attempts left before the activation is blocked.
        public var remainingAttempts: Int?

        /// Creates the answer.
        public init(
            signatureValid: Bool, activationStatus: String?, activationId: String, userId: String?,
            signatureType: String, remainingAttempts: Int?
        ) {
            self.signatureValid = signatureValid
            self.activationStatus = activationStatus
            self.activationId = activationId
            self.userId = userId
            self.signatureType = signatureType
            self.remainingAttempts = remainingAttempts
        }
    }

    public static let name = "verifySignature"
    public static let actors: Set<ActorKind> = [.server]
    public static let summary = "Checks the signature of a request, as an application's backend would."
    public static let fields: [Field] = [
        .required("header", .text, "Value of the X-PowerAuth-Authorization header."),
        .required("method", .choice(["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"]), "HTTP method."),
        .required("uriId", .text, "URI identifier agreed with the app."),
        .optional("body", .text, "Body of the request."),
    ]
    public static let result: FieldType = .object([
        .init("signatureValid", .boolean, "Whether the signature is valid."),
        .init("activationStatus", .optional(.text), "State of the activation afterwards."),
        .init("activationId", .text, "Identifier of the activation."),
        .init("userId", .optional(.text), "User of the activation."),
        .init("signatureType", .text, "Factors of the signature."),
        .init("remainingAttempts", .optional(.integer), "Attempts left before the activation is blocked."),
    ])
}

/// `validateToken`: an application's backend lets the server check a token header (server.md, section 9.2).
public enum ValidateToken: Command {
    /// Arguments of `validateToken`.
    public struct Arguments: Codable, Sendable {
        /// Value of the `X-PowerAuth-Token` header.
        public var header: String

        /// Creates the arguments.
        public init(header: String) {
            self.header = header
        }
    }

    /// Answer of `validateToken`.
    public struct Result: Codable, Sendable {
        /// Whether the header is valid.
        public var tokenValid: Bool
        /// State of the activation.
        public var activationStatus: String?
        /// Identifier of the activation.
        public var activationId: String?
        /// User of the activation.
        public var userId: String?
        /// Factors with which the token was created.
        public var signatureType: String?

        /// Creates the answer.
        public init(
            tokenValid: Bool, activationStatus: String?, activationId: String?, userId: String?,
            signatureType: String?
        ) {
            self.tokenValid = tokenValid
            self.activationStatus = activationStatus
            self.activationId = activationId
            self.userId = userId
            self.signatureType = signatureType
        }
    }

    public static let name = "validateToken"
    public static let actors: Set<ActorKind> = [.server]
    public static let summary = "Checks a token header, as an application's backend would."
    public static let fields: [Field] = [.required("header", .text, "Value of the X-PowerAuth-Token header.")]
    public static let result: FieldType = .object([
        .init("tokenValid", .boolean, "Whether the header is valid."),
        .init("activationStatus", .optional(.text), "State of the activation."),
        .init("activationId", .optional(.text), "Identifier of the activation."),
        .init("userId", .optional(.text), "User of the activation."),
        .init("signatureType", .optional(.text), "Factors with which the token was created."),
    ])
}
