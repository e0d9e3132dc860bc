extension Vocabulary {
    /// The command that reaches every resource of the server.
    static let resourceCommands: [any Command.Type] = [CallResource.self]
}

public struct CallResource: Command {
    public static let info = CommandInfo(
        "call", of: .server,
        "Calls any resource of the back office (`/rest/v3/**`) or of the lab's powers (`/lab/**`), as HTTP would.")
    @Field("Path below the server's root, with its query.") public var path: String
    @Field(.httpMethod) public var method: ResourceMethod = .post
    @Field("The `requestObject` of the back office, or the body of a resource below `/lab`.")
    public var request: [String: JSONValue]?
    public typealias Result = JSONValue

    public init() {}
}
