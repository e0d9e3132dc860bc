extension Vocabulary {
    /// Commands about the process that plays a device; their caller carries them out.
    static let deviceProcessCommands: [any Command.Type] = [KillDevice.self, SwitchOffDevice.self, SwitchOnDevice.self]
}

public struct KillDevice: Command {
    public static let info = CommandInfo(
        "kill", of: .deviceProcess,
        "Lets the device crash: its system ends at once (SIGKILL), and all its apps with it; what is stored stays.",
        endedBy: SwitchOnDevice.self)
    public init() {}
}

public struct SwitchOffDevice: Command {
    public static let info = CommandInfo(
        "switchOff", of: .deviceProcess,
        "Switches the device off: its system says goodbye and ends, and all its apps with it.",
        endedBy: SwitchOnDevice.self)
    public init() {}
}

public struct SwitchOnDevice: Command {
    public static let info = CommandInfo(
        "switchOn", of: .deviceProcess,
        "Starts a device that was switched off or has crashed; it is locked, and its apps do not run."
    )
    public init() {}
}
