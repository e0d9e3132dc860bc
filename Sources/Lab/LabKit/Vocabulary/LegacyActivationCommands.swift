extension Vocabulary {
    /// Commands that give an app an activation that no server of today hands out.
    static let legacyActivationCommands: [any Command.Type] = [
        StartLegacyActivation.self, CompleteLegacyActivation.self,
    ]
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
