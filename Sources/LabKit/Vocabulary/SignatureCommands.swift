extension Vocabulary {
    /// Commands about request signatures and the password.
    static let signatureCommands: [any Command.Type] = [
        RequestSignature.self, RequestGetSignature.self, OfflineSignature.self, ValidatePassword.self,
        ChangePassword.self, UnsafeChangePassword.self,
    ]
}

/// An HTTP header made by the SDK.
public struct HTTPHeader: Codable, Sendable {
    /// Name of the header.
    public var key: String
    /// Value of the header.
    public var value: String

    /// Creates a header.
    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    static let type: FieldType = .object([
        .init("key", .text, "Name of the HTTP header."), .init("value", .text, "Value of the HTTP header."),
    ])
}

/// `requestSignature`: the authorization header of a request.
public enum RequestSignature: Command {
    /// Arguments of `requestSignature`.
    public struct Arguments: Codable, Sendable {
        /// HTTP method.
        public var method: String
        /// URI identifier agreed with the server.
        public var uriId: String
        /// Body of the request, as UTF-8 text.
        public var body: String?
        /// Password; without it the signature has the possession factor only.
        public var password: Secret?

        /// Creates the arguments.
        public init(method: String, uriId: String, body: String? = nil, password: Secret? = nil) {
            self.method = method
            self.uriId = uriId
            self.body = body
            self.password = password
        }
    }

    public typealias Result = HTTPHeader
    public static let name = "requestSignature"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Computes the authorization header of a request; nothing is sent."
    public static let fields: [Field] = [
        .required("method", .choice(["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"]), "HTTP method."),
        .required("uriId", .text, "URI identifier agreed with the server."),
        .optional("body", .text, "Body of the request."),
        .optional("password", .secret, "Adds the knowledge factor; without it only possession is used."),
    ]
    public static let result = HTTPHeader.type
}

/// `requestGetSignature`: the authorization header of a GET request.
public enum RequestGetSignature: Command {
    /// Arguments of `requestGetSignature`.
    public struct Arguments: Codable, Sendable {
        /// URI identifier agreed with the server.
        public var uriId: String
        /// The parameters of the query, as texts.
        public var params: [String: String]?
        /// Password; without it the signature has the possession factor only.
        public var password: Secret?

        /// Creates the arguments.
        public init(uriId: String, params: [String: String]? = nil, password: Secret? = nil) {
            self.uriId = uriId
            self.params = params
            self.password = password
        }
    }

    public typealias Result = HTTPHeader
    public static let name = "requestGetSignature"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Computes the authorization header of a GET request; nothing is sent."
    public static let fields: [Field] = [
        .required("uriId", .text, "URI identifier agreed with the server."),
        .optional("params", .map, limit: "texts", "Parameters of the query."),
        .optional("password", .secret, "Adds the knowledge factor; without it only possession is used."),
    ]
    public static let result = HTTPHeader.type
}

/// `offlineSignature`: the digits a user types for an offline operation.
public enum OfflineSignature: Command {
    /// Arguments of `offlineSignature`.
    public struct Arguments: Codable, Sendable {
        /// URI identifier agreed with the server.
        public var uriId: String
        /// Data of the operation, as UTF-8 text.
        public var body: String?
        /// Base64 of the 16-byte nonce given by the server.
        public var nonce: String
        /// Password; without it the signature has the possession factor only.
        public var password: Secret?

        /// Creates the arguments.
        public init(uriId: String, body: String? = nil, nonce: String, password: Secret? = nil) {
            self.uriId = uriId
            self.body = body
            self.nonce = nonce
            self.password = password
        }
    }

    public typealias Result = String
    public static let name = "offlineSignature"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Computes the decimal signature of an offline operation."
    public static let fields: [Field] = [
        .required("uriId", .text, "URI identifier agreed with the server."),
        .optional("body", .text, "Data of the operation."),
        .required("nonce", .text, limit: "Base64 of 16 bytes", "Nonce given by the server."),
        .optional("password", .secret, "Adds the knowledge factor."),
    ]
    public static let result: FieldType = .text
}

/// `validatePassword`: a signed request by which the server checks the password.
public enum ValidatePassword: Command {
    /// Arguments of `validatePassword`.
    public struct Arguments: Codable, Sendable {
        /// The password to check.
        public var password: Secret

        /// Creates the arguments.
        public init(password: Secret) {
            self.password = password
        }
    }

    public typealias Result = NoResult
    public static let name = "validatePassword"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Lets the server check the password with a signed request."
    public static let fields: [Field] = [.required("password", .secret, "Password to check.")]
}

/// `changePassword`: checks the old password on the server, then protects the key with the new one.
public enum ChangePassword: Command {
    /// Arguments of `changePassword`.
    public struct Arguments: Codable, Sendable {
        /// The current password.
        public var from: Secret
        /// The new password.
        public var to: Secret

        /// Creates the arguments.
        public init(from: Secret, to: Secret) {
            self.from = from
            self.to = to
        }
    }

    public typealias Result = NoResult
    public static let name = "changePassword"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary = "Changes the password after the server has confirmed the old one."
    public static let fields: [Field] = [
        .required("from", .secret, "Current password."),
        .required("to", .secret, limit: "at least 4 bytes", "New password."),
    ]
}

/// `unsafeChangePassword`: changes the password without asking the server whether the old one is right.
public enum UnsafeChangePassword: Command {
    public typealias Arguments = ChangePassword.Arguments
    public typealias Result = Bool
    public static let name = "unsafeChangePassword"
    public static let actors: Set<ActorKind> = [.app]
    public static let summary =
        "Changes the password on the device alone; after a wrong old one the activation's key is spoiled."
    public static let fields = ChangePassword.fields
    public static let result: FieldType = .boolean
}
