extension Vocabulary {
    /// Commands about keys and signatures that need the vault, and about the key of the app's own.
    static let vaultCommands: [any Command.Type] = [
        FetchEncryptionKey.self, SignData.self, SignJWT.self, VerifyServerSignedData.self,
        SetExternalEncryptionKey.self, AddExternalEncryptionKey.self, RemoveExternalEncryptionKey.self,
        HasExternalEncryptionKey.self,
    ]
}

/// `fetchEncryptionKey`: a key that only this activation and the server can know.
public enum FetchEncryptionKey: Command {
    /// Arguments of `fetchEncryptionKey`.
    public struct Arguments: Codable, Sendable {
        /// The password in use.
        public var password: Secret
        /// Number of the key.
        public var index: Int?

        /// Creates the arguments.
        public init(password: Secret, index: Int? = nil) {
            self.password = password
            self.index = index
        }
    }

    public typealias Result = Secret
    public static let name = "fetchEncryptionKey"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Fetches a key for the app's own data; equal numbers give equal keys."
    public static let fields: [Field] = [
        .required("password", .secret, "Password of the knowledge factor."),
        .optional("index", .integer, default: 0, limit: "0 or more", "Number of the key."),
    ]
    /// Base64 of 16 bytes.
    public static let result: FieldType = .secret
}

/// `signDataWithDevicePrivateKey`: an asymmetric signature of the device.
public enum SignData: Command {
    /// Arguments of `signDataWithDevicePrivateKey`.
    public struct Arguments: Codable, Sendable {
        /// The data, as UTF-8 text.
        public var data: String
        /// The password in use.
        public var password: Secret

        /// Creates the arguments.
        public init(data: String, password: Secret) {
            self.data = data
            self.password = password
        }
    }

    public typealias Result = String
    public static let name = "signDataWithDevicePrivateKey"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Signs data with the device's private key; the answer is Base64 of an ECDSA signature."
    public static let fields: [Field] = [
        .required("data", .text, "Data to sign."),
        .required("password", .secret, "Password of the knowledge factor."),
    ]
    public static let result: FieldType = .text
}

/// `signJwtWithDevicePrivateKey`: a token signed by the device.
public enum SignJWT: Command {
    /// Arguments of `signJwtWithDevicePrivateKey`.
    public struct Arguments: Codable, Sendable {
        /// The claims.
        public var claims: [String: JSONValue]
        /// The password in use.
        public var password: Secret

        /// Creates the arguments.
        public init(claims: [String: JSONValue], password: Secret) {
            self.claims = claims
            self.password = password
        }
    }

    public typealias Result = String
    public static let name = "signJwtWithDevicePrivateKey"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Signs claims with the device's private key; the answer is a compact JWT."
    public static let fields: [Field] = [
        .required("claims", .map, "Claims of the token."),
        .required("password", .secret, "Password of the knowledge factor."),
    ]
    public static let result: FieldType = .text
}

/// `verifyServerSignedData`: whether data come from the server.
public enum VerifyServerSignedData: Command {
    /// Arguments of `verifyServerSignedData`.
    public struct Arguments: Codable, Sendable {
        /// The data, as UTF-8 text.
        public var data: String
        /// Base64 of the signature.
        public var signature: String
        /// Whether the application's master key signed, and not the activation's server key.
        public var masterKey: Bool?

        /// Creates the arguments.
        public init(data: String, signature: String, masterKey: Bool? = nil) {
            self.data = data
            self.signature = signature
            self.masterKey = masterKey
        }
    }

    public typealias Result = Bool
    public static let name = "verifyServerSignedData"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Tells whether data were signed by the server, for example those of an offline QR code."
    public static let fields: [Field] = [
        .required("data", .text, "Data that were signed."),
        .required("signature", .text, "Base64 of the signature."),
        .optional(
            "masterKey", .boolean, default: false, "Checks with the application's master key, not the activation's."),
    ]
    public static let result: FieldType = .boolean
}

/// The key of the app's own that additionally protects an activation.
public struct ExternalEncryptionKey: Codable, Sendable {
    /// Base64 of 16 bytes.
    public var key: Secret

    /// Creates the arguments.
    public init(key: Secret) {
        self.key = key
    }

    static let fields: [Field] = [.required("key", .secret, limit: "Base64 of 16 bytes", "The key.")]
}

/// `setExternalEncryptionKey`: provides the key to the SDK object.
public enum SetExternalEncryptionKey: Command {
    public typealias Arguments = ExternalEncryptionKey
    public typealias Result = NoResult
    public static let name = "setExternalEncryptionKey"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Provides the app's own key before an activation, or to one that is protected with it."
    public static let fields = ExternalEncryptionKey.fields
}

/// `addExternalEncryptionKey`: starts to protect the activation with the key.
public enum AddExternalEncryptionKey: Command {
    public typealias Arguments = ExternalEncryptionKey
    public typealias Result = NoResult
    public static let name = "addExternalEncryptionKey"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Starts to protect the activation with the app's own key."
    public static let fields = ExternalEncryptionKey.fields
}

/// `removeExternalEncryptionKey`: stops to protect the activation with the key.
public enum RemoveExternalEncryptionKey: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "removeExternalEncryptionKey"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Stops to protect the activation with the app's own key."
}

/// `hasExternalEncryptionKey`: whether a key is set.
public enum HasExternalEncryptionKey: Command {
    public typealias Arguments = NoArguments
    public typealias Result = Bool
    public static let name = "hasExternalEncryptionKey"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Tells whether a key of the app's own is set in the SDK object."
    public static let result: FieldType = .boolean
}
