extension Vocabulary {
    /// The command that reaches every resource of the server.
    static let resourceCommands: [any Command.Type] = [CallResource.self]
}

/// `call`: any resource of the back office or of the lab's own powers, as a client would reach it over HTTP.
public enum CallResource: Command {
    /// Arguments of `call`.
    public struct Arguments: Codable, Sendable {
        /// Path below the server's root, with its query.
        public var path: String
        /// HTTP method.
        public var method: String?
        /// What the resource is asked: the `requestObject` of the back office, the body of a resource below `/lab`.
        public var request: [String: JSONValue]?

        /// Creates the arguments.
        public init(path: String, method: String? = nil, request: [String: JSONValue]? = nil) {
            self.path = path
            self.method = method
            self.request = request
        }
    }

    public typealias Result = JSONValue
    public static let name = "call"
    public static let actors: Set<ActorKind> = [.server]
    public static let summary =
        "Calls any resource of the back office (`/rest/v3/**`) or of the lab's powers (`/lab/**`), as HTTP would."
    public static let fields: [Field] = [
        .required("path", .text, "Path below the server's root, with its query."),
        .optional("method", .choice(["GET", "POST", "PUT", "DELETE"]), default: "POST", "HTTP method."),
        .optional("request", .map, "The `requestObject` of the back office, or the body of a resource below `/lab`."),
    ]
    public static let result: FieldType = .any
}
