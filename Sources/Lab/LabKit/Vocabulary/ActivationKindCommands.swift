extension Vocabulary {
    /// Commands that start an activation by other means than an activation code.
    static let activationKindCommands: [any Command.Type] = [
        ParseActivationCode.self, CreateActivationWithRecoveryCode.self, CreateCustomActivation.self,
        CreateOpenIDActivation.self,
    ]
}

public struct ParseActivationCode: Command {
    public static let info = CommandInfo(
        "parseActivationCode", of: .app, "Splits an activation code from its signature; nothing when it is mistyped.")
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
        "createCustomActivation", of: .app,
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
        "createOpenIDActivation", of: .app,
        "Exchanges keys with the server, which redeems a code of an OpenID Connect provider.")
    @Field("The provider as the server knows it.") public var providerId: String
    @Field("Authorization code that the provider has issued.") public var code: String
    @Field("Nonce of the authorization request.") public var nonce: String
    @Field("PKCE verifier of the authorization request.") public var codeVerifier: String?
    @Field(.activationName) public var name: String?
    public typealias Result = CreateActivation.Result

    public init() {}
}
