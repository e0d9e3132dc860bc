extension Vocabulary {
    /// Commands about what the server says of itself and of the user, and the app's own requests.
    static let serviceCommands: [any Command.Type] = [
        FetchUserInfo.self, FetchServerStatus.self, SynchronizeTime.self, SendRequest.self,
        SendRequestWithToken.self,
    ]
}

public struct FetchUserInfo: Command {
    public static let info = CommandInfo(
        "fetchUserInfo", of: .app, "Fetches the claims about the user from the server.")
    public typealias Result = [String: JSONValue]

    public init() {}
}

public struct FetchServerStatus: Command {
    public static let info = CommandInfo("fetchServerStatus", of: .app, "Asks the server for its time.")

    public struct Result: FieldObject {
        @Field("The server's time when it answered, in seconds since 1970.") public var serverTime: Double
        public init() {}
    }

    public init() {}
}

public struct SynchronizeTime: Command {
    public static let info = CommandInfo(
        "synchronizeTime", of: .app, "Measures how far the device's clock is off from the server's.")

    public struct Result: FieldObject {
        @Field("Seconds added to the device's time.") public var localTimeAdjustment: Double
        public init() {}
    }

    public init() {}
}

public struct SendRequest: Command {
    public static let info = CommandInfo(
        "sendRequest", of: .app,
        "Sends a request of the app's own, signed, authorised by a token and encrypted as asked.")
    @Field(.requestPath) public var path: String
    @Field(.httpMethod) public var method: ResourceMethod = .post
    @Field(.jsonBody) public var body: [String: JSONValue]?
    @Field("URI identifier to sign for; without it the request is not signed.") public var uriId: String?
    @Field("Adds the knowledge factor to the signature.") public var password: Secret?
    @Field(.storedToken) public var token: String?
    @Field(.encryptionScope) public var encryption: Encryption?

    public enum Encryption: String, Choice {
        case application, activation
    }

    public struct Result: FieldObject {
        @Field(.statusCode) public var statusCode: Int
        @Field("The body, decrypted: JSON, or the text if it is not JSON.") public var body: JSONValue
        public init() {}
    }

    public init() {}
}

public struct SendRequestWithToken: Command {
    public static let info = CommandInfo(
        "sendRequest", of: [.appExtension, .watchApp],
        "Sends a request of the app's own that a stored token authorises.")
    @Field(.requestPath) public var path: String
    @Field(.httpMethod) public var method: ResourceMethod = .post
    @Field(.jsonBody) public var body: [String: JSONValue]?
    @Field(.storedToken) public var token: String
    public typealias Result = SendRequest.Result

    public init() {}
}
