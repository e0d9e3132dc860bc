extension Vocabulary {
    /// Commands about requests that wait for their turn.
    static let serialQueueCommands: [any Command.Type] = [
        ExecuteBlock.self, FinishBlock.self, CancelRequest.self,
    ]
}

public struct ExecuteBlock: Command {
    public static let info = CommandInfo(
        "executeBlock", of: .app,
        "Waits until no signed request is under way and holds the queue of signed requests, in all apps that share, until `finishBlock`; false without an activation."
    )
    public typealias Result = Bool

    public init() {}
}

public struct FinishBlock: Command {
    public static let info = CommandInfo(
        "finishBlock", of: .app, "Gives back the queue of signed requests that `executeBlock` holds.")
    public init() {}
}

public struct CancelRequest: Command {
    public static let info = CommandInfo(
        "cancelRequest", of: .allApps,
        "Cancels the request that another command of the app waits for, wherever it is; that command fails with `cancelled`."
    )
    @Field("Name of the command that waits; the one that was given last when left out.") public var command: String?

    public init() {}
}
