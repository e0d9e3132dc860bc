extension Vocabulary {
    /// Commands about what the server says of itself and of the user, and the app's own requests.
    static let serviceCommands: [any Command.Type] = [
        FetchUserInfo.self, FetchServerStatus.self, SynchronizeTime.self, SendRequest.self,
    ]
}

/// `fetchUserInfo`: the claims about the user.
public enum FetchUserInfo: Command {
    public typealias Arguments = NoArguments
    public typealias Result = JSONValue
    public static let name = "fetchUserInfo"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Fetches the claims about the user from the server."
    public static let result: FieldType = .map
}

/// `fetchServerStatus`: the server's time.
public enum FetchServerStatus: Command {
    public typealias Arguments = NoArguments

    /// Answer of `fetchServerStatus`.
    public struct Result: Codable, Sendable {
        /// The server's time when it answered, in seconds since 1970.
        public var serverTime: Double

        /// Creates the answer.
        public init(serverTime: Double) {
            self.serverTime = serverTime
        }
    }

    public static let name = "fetchServerStatus"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Asks the server for its time."
    public static let result: FieldType = .object([
        .init("serverTime", .number, "The server's time when it answered, in seconds since 1970.")
    ])
}

/// `synchronizeTime`: measures how far the device's clock is off.
public enum SynchronizeTime: Command {
    public typealias Arguments = NoArguments

    /// Answer of `synchronizeTime`.
    public struct Result: Codable, Sendable {
        /// Seconds added to the device's time.
        public var localTimeAdjustment: Double

        /// Creates the answer.
        public init(localTimeAdjustment: Double) {
            self.localTimeAdjustment = localTimeAdjustment
        }
    }

    public static let name = "synchronizeTime"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Measures how far the device's clock is off from the server's."
    public static let result: FieldType = .object([
        .init("localTimeAdjustment", .number, "Seconds added to the device's time.")
    ])
}

/// `sendRequest`: a request of the app's own to the application's server.
public enum SendRequest: Command {
    /// Arguments of `sendRequest`.
    public struct Arguments: Codable, Sendable {
        /// Path below the enrolment server, with its query.
        public var path: String
        /// HTTP method.
        public var method: String?
        /// JSON body.
        public var body: [String: JSONValue]?
        /// URI identifier to sign for; without it the request is not signed.
        public var uriId: String?
        /// Password of the signature; without it only possession is used.
        public var password: Secret?
        /// Name of the stored token to authorise with.
        public var token: String?
        /// `application` or `activation`: end-to-end encryption in this scope.
        public var encryption: String?

        /// Creates the arguments.
        public init(
            path: String, method: String? = nil, body: [String: JSONValue]? = nil, uriId: String? = nil,
            password: Secret? = nil, token: String? = nil, encryption: String? = nil
        ) {
            self.path = path
            self.method = method
            self.body = body
            self.uriId = uriId
            self.password = password
            self.token = token
            self.encryption = encryption
        }
    }

    /// Answer of `sendRequest`.
    public struct Result: Codable, Sendable {
        /// HTTP status code.
        public var statusCode: Int
        /// The body, decrypted if it was encrypted: JSON, or the text if it is none.
        public var body: JSONValue

        /// Creates the answer.
        public init(statusCode: Int, body: JSONValue) {
            self.statusCode = statusCode
            self.body = body
        }
    }

    public static let name = "sendRequest"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary =
        "Sends a request of the app's own, signed, authorised by a token and encrypted as asked."
    public static let fields: [Field] = [
        .required("path", .text, "Path below the enrolment server, with its query."),
        .optional("method", .choice(["GET", "POST", "PUT", "DELETE"]), default: "POST", "HTTP method."),
        .optional("body", .map, "JSON body."),
        .optional("uriId", .text, "URI identifier to sign for; without it the request is not signed."),
        .optional("password", .secret, "Adds the knowledge factor to the signature."),
        .optional("token", .text, "Name of the stored token to authorise with."),
        .optional("encryption", .choice(["application", "activation"]), "Encrypts body and answer in this scope."),
    ]
    public static let result: FieldType = .object([
        .init("statusCode", .integer, "HTTP status code."),
        .init("body", .any, "The body, decrypted: JSON, or the text if it is none."),
    ])
}
