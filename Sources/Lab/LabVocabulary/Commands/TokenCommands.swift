// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    static let tokenCommands: [any Command.Type] = [
        RequestAccessToken.self, LocalToken.self, HasLocalToken.self, GenerateHeader.self,
        GenerateAuthorizationHeader.self, RemoveAccessToken.self, RemoveLocalToken.self, RemoveAllLocalTokens.self,
        SendRequestWithToken.self,
    ]
}

/// What a scenario may see of a token; its secret stays inside the SDK.
public struct TokenDescription: FieldObject {
    @Field(.tokenName) public var tokenName: String
    @Field("Identifier given by the server.") public var tokenIdentifier: String
    public init() {}
}

public struct RequestAccessToken: Command {
    public static let info = CommandInfo(
        "requestAccessToken", of: .allApps,
        "Returns the token with a name; asks the server, or on a watch the phone, when needed.")
    @Field(.tokenName) public var name: String
    @Field(.addedPassword) public var password: Secret?
    public typealias Result = TokenDescription
    public init() {}
}

public struct LocalToken: Command {
    public static let info = CommandInfo("localToken", of: .allApps, "Returns the stored token with a name.")
    @Field(.tokenName) public var name: String
    public typealias Result = TokenDescription?
    public init() {}
}

public struct HasLocalToken: Command {
    public static let info = CommandInfo(
        "hasLocalToken", of: .allApps, "Checks whether a token is stored under a name.")
    @Field(.tokenName) public var name: String
    public typealias Result = Bool
    public init() {}
}

public struct GenerateHeader: Command {
    public static let info = CommandInfo(
        "generateHeader", of: .allApps,
        "Computes the authorization header of a stored token, or nothing when it cannot.")
    @Field(.tokenName) public var name: String
    public typealias Result = HTTPHeader?
    public init() {}
}

public struct GenerateAuthorizationHeader: Command {
    public static let info = CommandInfo(
        "generateAuthorizationHeader", of: .allApps,
        "Computes the authorization header of a stored token; an app with the full SDK first synchronizes the time with the server where that was not done."
    )
    @Field(.tokenName) public var name: String
    public typealias Result = HTTPHeader
    public init() {}
}

public struct RemoveAccessToken: Command {
    public static let info = CommandInfo(
        "removeAccessToken", of: .allApps, "Removes a token from the server and, when that succeeded, from the device.")
    @Field(.tokenName) public var name: String
    public init() {}
}

public struct RemoveLocalToken: Command {
    public static let info = CommandInfo(
        "removeLocalToken", of: .allApps, "Deletes a token on the device; the server is not notified.")
    @Field(.tokenName) public var name: String
    public init() {}
}

public struct RemoveAllLocalTokens: Command {
    public static let info = CommandInfo(
        "removeAllLocalTokens", of: .allApps, "Deletes all tokens on the device; the server is not notified.")
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
