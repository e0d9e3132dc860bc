extension Vocabulary {
    /// Commands that give an app an activation that no server of today hands out.
    static let legacyActivationCommands: [any Command.Type] = [
        StartLegacyActivation.self, CompleteLegacyActivation.self,
    ]
}

/// `startLegacyActivation`: the device's half of an activation of the protocol V2, for `/lab/seed` of the server.
public enum StartLegacyActivation: Command {
    /// Answer of `startLegacyActivation`.
    public struct Result: Codable, Sendable {
        /// Base64 of the device's public key.
        public var devicePublicKey: String

        /// Creates the answer.
        public init(devicePublicKey: String) {
            self.devicePublicKey = devicePublicKey
        }
    }

    public typealias Arguments = NoArguments
    public static let name = "startLegacyActivation"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary =
        "Makes the keys of an activation as an SDK of the protocol V2 left it behind; the server gets it from /lab/seed."
    public static let result: FieldType = .object([
        .init("devicePublicKey", .text, "Base64 of the device's public key, for /lab/seed.")
    ])
}

/// `completeLegacyActivation`: stores an activation of the protocol V2.
public enum CompleteLegacyActivation: Command {
    /// Arguments of `completeLegacyActivation`.
    public struct Arguments: Codable, Sendable {
        /// Identifier of the activation.
        public var activationId: String
        /// Base64 of the server's public key.
        public var serverPublicKey: String
        /// The password.
        public var password: Secret

        /// Creates the arguments.
        public init(activationId: String, serverPublicKey: String, password: Secret) {
            self.activationId = activationId
            self.serverPublicKey = serverPublicKey
            self.password = password
        }
    }

    public typealias Result = NoResult
    public static let name = "completeLegacyActivation"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Stores the activation of the protocol V2 as the app's own, to be upgraded."
    public static let fields: [Field] = [
        .required("activationId", .text, "Identifier from the answer of /lab/seed."),
        .required("serverPublicKey", .text, "Base64 of the server's public key, from the same answer."),
        .required("password", .secret, limit: "at least 4 bytes", "Password of the knowledge factor."),
    ]
}
