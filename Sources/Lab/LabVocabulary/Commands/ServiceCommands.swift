// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands about what the server says of itself and of the user, and the app's requests to its own server.
    static let serviceCommands: [any Command.Type] = [
        FetchUserInfo.self, FetchServerStatus.self, SynchronizeTime.self, SendRequest.self,
        Post.self, SetAcceptLanguage.self,
    ]
}

public struct FetchUserInfo: Command {
    public static let info = CommandInfo(
        "fetchUserInfo", of: .fullApps, "Fetches the claims about the user from the server.")
    public typealias Result = [String: JSONValue]
    public init() {}
}

public struct FetchServerStatus: Command {
    public static let info = CommandInfo("fetchServerStatus", of: .fullApps, "Asks the server for its time.")

    public struct Result: FieldObject {
        @Field("The server's time when it answered, in seconds since 1970.") public var serverTime: Double
        public init() {}
    }
    public init() {}
}

public struct SynchronizeTime: Command {
    public static let info = CommandInfo(
        "synchronizeTime", of: .fullApps, "Measures how far the device's clock is off from the server's.")

    public struct Result: FieldObject {
        @Field("Seconds added to the device's time.") public var localTimeAdjustment: Double
        public init() {}
    }
    public init() {}
}

public struct SendRequest: Command {
    public static let info = CommandInfo(
        "sendRequest", of: .fullApps,
        "Sends a request of the app's own, signed, authorised by a token and encrypted as asked.")
    @Field(.requestPath) public var path: String
    @Field(.httpMethod) public var method: ResourceMethod = .post
    @Field(.jsonBody) public var body: [String: JSONValue]?
    @Field(
        "URI identifier to sign for; without it the request is not signed. For GET the query is signed in place of the body."
    )
    public var uriId: String?
    @Field("Adds the knowledge factor to the signature.") public var password: Secret?
    @Field(.keptCredentials) public var credentials: String?
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

/// HTTP methods that a request can be signed for.
public enum RequestMethod: String, Choice {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
    case head = "HEAD"
    case patch = "PATCH"
}

/// HTTP methods by which a scenario reaches a resource.
public enum ResourceMethod: String, Choice {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
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
