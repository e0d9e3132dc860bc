extension Vocabulary {
    /// Commands that start an activation by other means than an activation code.
    static let activationKindCommands: [any Command.Type] = [
        ParseActivationCode.self, CreateActivationWithRecoveryCode.self, CreateCustomActivation.self,
        CreateOpenIDActivation.self,
    ]
}

/// `parseActivationCode`: checks a code that the user has typed or scanned.
public enum ParseActivationCode: Command {
    /// Arguments of `parseActivationCode`.
    public struct Arguments: Codable, Sendable {
        /// The code, with or without its signature.
        public var activationCode: String

        /// Creates the arguments.
        public init(activationCode: String) {
            self.activationCode = activationCode
        }
    }

    /// The parts of a code.
    public struct Parts: Codable, Sendable {
        /// The code without its signature.
        public var activationCode: String
        /// Base64 of the signature that followed it.
        public var activationSignature: String?

        /// Creates the answer.
        public init(activationCode: String, activationSignature: String?) {
            self.activationCode = activationCode
            self.activationSignature = activationSignature
        }
    }

    public typealias Result = Parts?
    public static let name = "parseActivationCode"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Splits an activation code from its signature; nothing when it is mistyped."
    public static let fields: [Field] = [
        .required("activationCode", .text, "The code, with or without its signature.")
    ]
    public static let result: FieldType = .optional(
        .object([
            .init("activationCode", .text, "The code without its signature."),
            .init("activationSignature", .optional(.text), "Base64 of the signature that followed it."),
        ]))
}

/// `createActivationWithRecoveryCode`: the key exchange with a recovery code and its PUK.
public enum CreateActivationWithRecoveryCode: Command {
    /// Arguments of `createActivationWithRecoveryCode`.
    public struct Arguments: Codable, Sendable {
        /// The recovery code, with or without the prefix `R:`.
        public var recoveryCode: String
        /// The PUK, ten digits.
        public var puk: Secret
        /// Name of the activation shown to the user.
        public var name: String?

        /// Creates the arguments.
        public init(recoveryCode: String, puk: Secret, name: String? = nil) {
            self.recoveryCode = recoveryCode
            self.puk = puk
            self.name = name
        }
    }

    public typealias Result = CreateActivation.Result
    public static let name = "createActivationWithRecoveryCode"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Exchanges keys with the server, using a recovery code in place of a lost activation."
    public static let fields: [Field] = [
        .required("recoveryCode", .text, "The recovery code, with or without the prefix `R:`."),
        .required("puk", .secret, limit: "10 digits", "The PUK that belongs to the code."),
        .optional("name", .text, "Name of the activation shown to the user."),
    ]
    public static let result = CreateActivation.result
}

/// `createCustomActivation`: the key exchange with attributes that prove who the user is.
public enum CreateCustomActivation: Command {
    /// Arguments of `createCustomActivation`.
    public struct Arguments: Codable, Sendable {
        /// What the application's server identifies the user by.
        public var identityAttributes: [String: JSONValue]
        /// Name of the activation shown to the user.
        public var name: String?
        /// Free text for the server.
        public var extras: String?
        /// Further values for the application's server.
        public var customAttributes: [String: JSONValue]?

        /// Creates the arguments.
        public init(
            identityAttributes: [String: JSONValue], name: String? = nil, extras: String? = nil,
            customAttributes: [String: JSONValue]? = nil
        ) {
            self.identityAttributes = identityAttributes
            self.name = name
            self.extras = extras
            self.customAttributes = customAttributes
        }
    }

    public typealias Result = CreateActivation.Result
    public static let name = "createCustomActivation"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Exchanges keys with the server, which identifies the user by the app's attributes."
    public static let fields: [Field] = [
        .required("identityAttributes", .map, limit: "texts", "What the server identifies the user by."),
        .optional("name", .text, "Name of the activation shown to the user."),
        .optional("extras", .text, "Free text for the server."),
        .optional("customAttributes", .map, "Further values for the application's server."),
    ]
    public static let result = CreateActivation.result
}

/// `createOpenIDActivation`: the key exchange with a code of an OpenID Connect provider.
public enum CreateOpenIDActivation: Command {
    /// Arguments of `createOpenIDActivation`.
    public struct Arguments: Codable, Sendable {
        /// The provider as the server knows it.
        public var providerId: String
        /// The authorization code that the provider has issued.
        public var code: String
        /// The nonce of the authorization request.
        public var nonce: String
        /// The PKCE verifier of the authorization request.
        public var codeVerifier: String?
        /// Name of the activation shown to the user.
        public var name: String?

        /// Creates the arguments.
        public init(
            providerId: String, code: String, nonce: String, codeVerifier: String? = nil, name: String? = nil
        ) {
            self.providerId = providerId
            self.code = code
            self.nonce = nonce
            self.codeVerifier = codeVerifier
            self.name = name
        }
    }

    public typealias Result = CreateActivation.Result
    public static let name = "createOpenIDActivation"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Exchanges keys with the server, which redeems a code of an OpenID Connect provider."
    public static let fields: [Field] = [
        .required("providerId", .text, "The provider as the server knows it."),
        .required("code", .text, "Authorization code that the provider has issued."),
        .required("nonce", .text, "Nonce of the authorization request."),
        .optional("codeVerifier", .text, "PKCE verifier of the authorization request."),
        .optional("name", .text, "Name of the activation shown to the user."),
    ]
    public static let result = CreateActivation.result
}
