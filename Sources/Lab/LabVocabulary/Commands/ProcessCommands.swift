// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands about the process of an app; its device carries them out.
    static let processCommands: [any Command.Type] = [
        Launch.self, Kill.self, OutOfMemory.self, Terminate.self, ForceQuit.self, Suspend.self, Resume.self,
        Relaunch.self,
        Uninstall.self, Install.self, Reinstall.self,
    ]
}

/// A process that was started for an app.
public struct LaunchedProcess: FieldObject {
    @Field(.processId) public var pid: Int32
    @Field("Number of the process among those of the same app, from 1.") public var incarnation: Int
    @Field("When it was spawned, in nanoseconds of the machine's monotonic clock.") public var launchedAt: UInt64
    public init() {}
}

public struct Launch: Command {
    public static let info = CommandInfo("launch", of: .process, "Starts the app and waits until it answers.")
    public typealias Result = LaunchedProcess
    public init() {}
}

public struct Kill: Command {
    public static let info = CommandInfo(
        "kill", of: .process, "Ends the process at once (SIGKILL) and waits until it is gone.")
    public init() {}
}

public struct OutOfMemory: Command {
    public static let info = CommandInfo(
        "outOfMemory", of: .process,
        "Ends the process at once, as the system does when it needs memory, and waits until it is gone.")
    public init() {}
}

public struct Terminate: Command {
    public static let info = CommandInfo(
        "terminate", of: .process, "Asks the process to end (SIGTERM) and waits until it is gone.")
    public init() {}
}

public struct ForceQuit: Command {
    public static let info = CommandInfo(
        "forceQuit", of: .process,
        "Ends the app as the user does in the app switcher; no push launches it until the user does, or until a reboot."
    )
    public init() {}
}

public struct Suspend: Command {
    public static let info = CommandInfo(
        "suspend", of: .process, "Stops the process as the system does in the background.")
    public init() {}
}

public struct Resume: Command {
    public static let info = CommandInfo(
        "resume", of: .process, "Continues a suspended process and brings it to the foreground.")
    public init() {}
}

public struct Relaunch: Command {
    public static let info = CommandInfo(
        "relaunch", of: .process, "Ends the process if it runs, starts it anew and waits until it answers.")
    public typealias Result = LaunchedProcess
    public init() {}
}

public struct Uninstall: Command {
    public static let info = CommandInfo(
        "uninstall", of: .process,
        "Removes the app and its extensions: processes end, containers go, the keychain stays.")
    public init() {}
}

public struct Install: Command {
    public static let info = CommandInfo(
        "install", of: .process, "Installs an app that was uninstalled, with empty containers.")
    public init() {}
}

public struct Reinstall: Command {
    public static let info = CommandInfo(
        "reinstall", of: .process,
        "Removes the app and its extensions, and installs them again; they are not launched.")
    public init() {}
}
