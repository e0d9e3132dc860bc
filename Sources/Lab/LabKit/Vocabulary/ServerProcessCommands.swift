extension Vocabulary {
    /// Commands about the server's process; their caller carries them out.
    static let serverProcessCommands: [any Command.Type] = [KillServer.self, RestartServer.self]
}

public struct KillServer: Command {
    public static let info = CommandInfo(
        "kill", of: .serverProcess,
        "Ends the server's process at once (SIGKILL) and waits until it is gone; what it has answered stays stored.",
        endedBy: RestartServer.self)
    public init() {}
}

public struct RestartServer: Command {
    public static let info = CommandInfo(
        "restart", of: .serverProcess,
        "Starts the server anew, on the same database and port, and waits until it answers; ends it before if it runs.")
    public init() {}
}
