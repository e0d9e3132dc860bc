extension Vocabulary {
    /// Commands about the biometry factor of an activation.
    static let biometryCommands: [any Command.Type] = [
        BiometryInfo.self, AddBiometryFactor.self, HasBiometryFactor.self, RemoveBiometryFactor.self,
        BiometrySignature.self, AuthenticateUsingBiometry.self,
    ]
}

/// `biometryInfo`: what biometry the app can use.
public enum BiometryInfo: Command {
    public typealias Arguments = NoArguments

    /// What biometry the app can use.
    public struct Result: Codable, Sendable {
        /// Whether it can be used now.
        public var canUse: Bool
        /// `notSupported`, `notAvailable`, `notEnrolled`, `lockout` or `available`.
        public var currentStatus: String
        /// `none`, `touchID` or `faceID`.
        public var biometryType: String

        /// Creates the answer.
        public init(canUse: Bool, currentStatus: String, biometryType: String) {
            self.canUse = canUse
            self.currentStatus = currentStatus
            self.biometryType = biometryType
        }
    }

    public static let name = "biometryInfo"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Tells what biometry the device has and whether it can be used now."
    public static let result: FieldType = .object([
        .init("canUse", .boolean, "Whether it can be used now."),
        .init(
            "currentStatus", .choice(["notSupported", "notAvailable", "notEnrolled", "lockout", "available"]),
            "Why it can or cannot be used."),
        .init("biometryType", .choice(["none", "touchID", "faceID"]), "The sensor."),
    ])
}

/// `addBiometryFactor`: adds, or replaces, the biometry factor.
public enum AddBiometryFactor: Command {
    /// Arguments of `addBiometryFactor`.
    public struct Arguments: Codable, Sendable {
        /// The password in use.
        public var password: Secret

        /// Creates the arguments.
        public init(password: Secret) {
            self.password = password
        }
    }

    public typealias Result = NoResult
    public static let name = "addBiometryFactor"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Adds, or replaces, the biometry factor after the server has confirmed the password."
    public static let fields: [Field] = [.required("password", .secret, "Password of the knowledge factor.")]
}

/// `hasBiometryFactor`: whether the activation has a biometry factor.
public enum HasBiometryFactor: Command {
    public typealias Arguments = NoArguments
    public typealias Result = Bool
    public static let name = "hasBiometryFactor"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Tells whether the activation has a biometry factor whose key is on this device."
    public static let result: FieldType = .boolean
}

/// `removeBiometryFactor`: removes the biometry factor from the device.
public enum RemoveBiometryFactor: Command {
    public typealias Arguments = NoArguments
    public typealias Result = Bool
    public static let name = "removeBiometryFactor"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Removes the biometry factor; true whenever there is an activation."
    public static let result: FieldType = .boolean
}

/// What a signature with biometry needs.
public struct BiometrySignatureArguments: Codable, Sendable {
    /// Text of the dialog.
    public var prompt: String?
    /// HTTP method.
    public var method: String?
    /// URI identifier agreed with the server.
    public var uriId: String
    /// Body of the request, as UTF-8 text.
    public var body: String?

    /// Creates the arguments.
    public init(prompt: String? = nil, method: String? = nil, uriId: String, body: String? = nil) {
        self.prompt = prompt
        self.method = method
        self.uriId = uriId
        self.body = body
    }

    static func fields(prompt: Field) -> [Field] {
        [
            .required("uriId", .text, "URI identifier agreed with the server."),
            .optional(
                "method", .choice(["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"]), default: "POST", "HTTP method."),
            .optional("body", .text, "Body of the request."), prompt,
        ]
    }
}

/// `biometrySignature`: the authorization header of a request, with possession and biometry.
public enum BiometrySignature: Command {
    public typealias Arguments = BiometrySignatureArguments
    public typealias Result = HTTPHeader
    public static let name = "biometrySignature"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary =
        "Computes the authorization header of a request with possession and biometry; waits for the user's answer."
    public static let fields: [Field] = BiometrySignatureArguments.fields(
        prompt: .optional("prompt", .text, "Text of the dialog; without it the system's dialog opens without a text."))
    public static let result = HTTPHeader.type
}

/// `authenticateUsingBiometry`: credentials in advance, and a signature made with them.
public enum AuthenticateUsingBiometry: Command {
    public typealias Arguments = BiometrySignatureArguments
    public typealias Result = HTTPHeader
    public static let name = "authenticateUsingBiometry"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary =
        "Asks the user for biometry in advance, then computes the authorization header of a request with the result."
    public static let fields: [Field] = BiometrySignatureArguments.fields(
        prompt: .optional("prompt", .text, default: "Authenticate", "Text of the dialog."))
    public static let result = HTTPHeader.type
}
