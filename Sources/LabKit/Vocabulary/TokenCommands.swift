extension Vocabulary {
    /// Commands about MAC tokens.
    static let tokenCommands: [any Command.Type] = [
        RequestAccessToken.self, LocalToken.self, HasLocalToken.self, GenerateHeader.self, RemoveAccessToken.self,
        RemoveLocalToken.self, RemoveAllLocalTokens.self,
    ]
}

/// The name of a token, as most token commands take it.
public struct TokenName: Codable, Sendable {
    /// Symbolic name of the token.
    public var name: String

    /// Creates the arguments.
    public init(name: String) {
        self.name = name
    }

    static let fields: [Field] = [.required("name", .text, "Symbolic name of the token.")]
}

/// What a scenario may see of a token; its secret stays inside the SDK.
public struct TokenDescription: Codable, Equatable, Sendable {
    /// Symbolic name.
    public var tokenName: String
    /// Identifier given by the server.
    public var tokenIdentifier: String

    /// Creates the description.
    public init(tokenName: String, tokenIdentifier: String) {
        self.tokenName = tokenName
        self.tokenIdentifier = tokenIdentifier
    }

    static let type: FieldType = .object([
        .init("tokenName", .text, "Symbolic name."),
        .init("tokenIdentifier", .text, "Identifier given by the server."),
    ])
}

/// `requestAccessToken`: a token from the local store, the server, or (watch) the phone.
public enum RequestAccessToken: Command {
    /// Arguments of `requestAccessToken`.
    public struct Arguments: Codable, Sendable {
        /// Symbolic name of the token.
        public var name: String
        /// Password; without it the token has the strength of the possession factor only.
        public var password: Secret?

        /// Creates the arguments.
        public init(name: String, password: Secret? = nil) {
            self.name = name
            self.password = password
        }
    }

    public typealias Result = TokenDescription
    public static let name = "requestAccessToken"
    public static let actors: Set<ActorKind> = [.app, .appExtension, .watchApp]
    public static let summary = "Returns the token with a name; asks the server, or on a watch the phone, when needed."
    public static let fields: [Field] = [
        .required("name", .text, "Symbolic name of the token."),
        .optional("password", .secret, "Adds the knowledge factor."),
    ]
    public static let result = TokenDescription.type
}

/// `localToken`: the stored token with a name.
public enum LocalToken: Command {
    public typealias Arguments = TokenName
    public typealias Result = TokenDescription?
    public static let name = "localToken"
    public static let actors: Set<ActorKind> = [.app, .appExtension, .watchApp]
    public static let summary = "Returns the stored token with a name."
    public static let fields = TokenName.fields
    public static let result: FieldType = .optional(TokenDescription.type)
}

/// `hasLocalToken`: whether a token is stored under a name.
public enum HasLocalToken: Command {
    public typealias Arguments = TokenName
    public typealias Result = Bool
    public static let name = "hasLocalToken"
    public static let actors: Set<ActorKind> = [.app, .appExtension, .watchApp]
    public static let summary = "Tells whether a token is stored under a name."
    public static let fields = TokenName.fields
    public static let result: FieldType = .boolean
}

/// `generateHeader`: the authorization header of a stored token.
public enum GenerateHeader: Command {
    public typealias Arguments = TokenName
    public typealias Result = HTTPHeader?
    public static let name = "generateHeader"
    public static let actors: Set<ActorKind> = [.app, .appExtension, .watchApp]
    public static let summary = "Computes the authorization header of a stored token, or nothing when it cannot."
    public static let fields = TokenName.fields
    public static let result: FieldType = .optional(HTTPHeader.type)
}

/// `removeAccessToken`: removes a token from the server and then from the device.
public enum RemoveAccessToken: Command {
    public typealias Arguments = TokenName
    public typealias Result = NoResult
    public static let name = "removeAccessToken"
    public static let actors: Set<ActorKind> = [.app, .appExtension, .watchApp]
    public static let summary = "Removes a token from the server and, when that succeeded, from the device."
    public static let fields = TokenName.fields
}

/// `removeLocalToken`: forgets a token on the device only.
public enum RemoveLocalToken: Command {
    public typealias Arguments = TokenName
    public typealias Result = NoResult
    public static let name = "removeLocalToken"
    public static let actors: Set<ActorKind> = [.app, .appExtension, .watchApp]
    public static let summary = "Forgets a token on the device; the server is not told."
    public static let fields = TokenName.fields
}

/// `removeAllLocalTokens`: forgets all tokens on the device.
public enum RemoveAllLocalTokens: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "removeAllLocalTokens"
    public static let actors: Set<ActorKind> = [.app, .appExtension, .watchApp]
    public static let summary = "Forgets all tokens on the device; the server is not told."
}
