extension Vocabulary {
    /// Commands of an app that talks to its own server through WultraPowerAuthNetworking.
    static let networkingCommands: [any Command.Type] = [Post.self, SetAcceptLanguage.self]
}

// networking.md, sections 2.4 and 2.6
public struct Post: Command {
    public static let info = CommandInfo(
        "post", of: .app,
        "Sends a request through the networking SDK: plain, signed when `uriId` is given, with a token when `token` is."
    )
    @Field("Path of the endpoint below the base URL.") public var path: String
    @Field("Content of `requestObject`; without it the body is `{}`.") public var requestObject: JSONValue?
    @Field("Makes it a signed endpoint with this URI identifier.") public var uriId: String?
    @Field("Makes it an endpoint with the token of this name, which is created if it does not exist.")
    public var token: String?
    @Field(.addedPassword) public var password: Secret?
    @Field(.addedBiometry) public var biometry: Bool = false
    @Field(.encryptionScope) public var encryption: SendRequest.Encryption?
    @Field("HTTP headers added to the request.", limit: "texts") public var headers: [String: String]?
    @Field("Longest time of the whole exchange; the configured one when left out.", limit: .length)
    public var timeoutInterval: LabDuration?
    @Field("Cancels the request as soon as it has been handed over.") public var cancel: Bool = false

    public struct Result: FieldObject {
        @Field("What the server answered with.") public var responseObject: JSONValue?
        @Field(.statusCode) public var statusCode: Int?
        @Field("Whether the answer came encrypted.") public var encrypted: Bool
        public init() {}
    }

    public init() {}
}

public struct SetAcceptLanguage: Command {
    public static let info = CommandInfo(
        "setAcceptLanguage", of: .app, "Sets the language in which the server answers the app's next requests.")
    @Field("Value of the header `Accept-Language`, such as `cs`.") public var language: String

    public init() {}
}
