extension Vocabulary {
    /// Commands about the process of an app; its device carries them out.
    static let processCommands: [any Command.Type] = [
        Launch.self, Kill.self, Terminate.self, Suspend.self, Resume.self, Relaunch.self, Uninstall.self,
        Install.self, Reinstall.self,
    ]
}

/// A process that was started for an app.
public struct LaunchedProcess: Codable, Sendable {
    /// Process identifier.
    public var pid: Int32
    /// Number of the process among those of the same app, from 1.
    public var incarnation: Int
    /// When the process was spawned, in nanoseconds of the machine's monotonic clock.
    public var launchedAt: UInt64

    /// Creates the answer.
    public init(pid: Int32, incarnation: Int, launchedAt: UInt64) {
        self.pid = pid
        self.incarnation = incarnation
        self.launchedAt = launchedAt
    }

    static let type: FieldType = .object([
        .init("pid", .integer, "Process identifier."),
        .init("incarnation", .integer, "Number of the process among those of the same app, from 1."),
        .init("launchedAt", .integer, "When it was spawned, in nanoseconds of the machine's monotonic clock."),
    ])
}

/// `launch`: starts the app's process; answers when it is ready.
public enum Launch: Command {
    public typealias Arguments = NoArguments
    public typealias Result = LaunchedProcess
    public static let name = "launch"
    public static let actors: Set<ActorKind> = [.process]
    public static let summary = "Starts the app and waits until it answers."
    public static let result = LaunchedProcess.type
}

/// `kill`: ends the process with SIGKILL.
public enum Kill: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "kill"
    public static let actors: Set<ActorKind> = [.process]
    public static let summary = "Ends the process at once (SIGKILL) and waits until it is gone."
}

/// `terminate`: asks the process to end.
public enum Terminate: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "terminate"
    public static let actors: Set<ActorKind> = [.process]
    public static let summary = "Asks the process to end (SIGTERM) and waits until it is gone."
}

/// `suspend`: stops the process, as the system does in the background.
public enum Suspend: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "suspend"
    public static let actors: Set<ActorKind> = [.process]
    public static let summary = "Stops the process as the system does in the background."
}

/// `resume`: brings a suspended process to the foreground.
public enum Resume: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "resume"
    public static let actors: Set<ActorKind> = [.process]
    public static let summary = "Continues a suspended process and brings it to the foreground."
}

/// `relaunch`: ends the process if it runs, and starts it anew.
public enum Relaunch: Command {
    public typealias Arguments = NoArguments
    public typealias Result = LaunchedProcess
    public static let name = "relaunch"
    public static let actors: Set<ActorKind> = [.process]
    public static let summary = "Ends the process if it runs, starts it anew and waits until it answers."
    public static let result = LaunchedProcess.type
}
