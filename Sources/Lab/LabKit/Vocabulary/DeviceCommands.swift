extension Vocabulary {
    /// Commands of a simulated device.
    static let deviceCommands: [any Command.Type] = [Processes.self, KeychainItems.self, SetClockSkew.self]
    /// Commands of the link between a phone and a watch.
    static let linkCommands: [any Command.Type] = [
        LinkDown.self, LinkUp.self, SwitchWatch.self, UnpairWatch.self, PairWatch.self,
    ]
}

public struct Processes: Command {
    public static let info = CommandInfo("processes", of: .device, "Lists the apps of the device and their processes.")

    public enum State: String, Choice {
        case running, suspended, notRunning
    }

    public struct Process: FieldObject {
        @Field(.appName) public var app: String
        @Field(.processState) public var state: State
        @Field("Process identifier while it runs.") public var pid: Int32?
        @Field("Number of the process among those of the same app.") public var incarnation: Int
        public init() {}
    }
    public typealias Result = [Process]

    public init() {}
}

public struct KeychainItems: Command {
    public static let info = CommandInfo(
        "keychainItems", of: .device, "Lists the items in the device's keychain, without their values.")
    @Field("Only items of this service.") public var service: String?

    public struct Item: FieldObject {
        @Field(.keychainService) public var service: String
        @Field(.keychainAccount) public var account: String
        @Field(.keychainAccessGroup) public var accessGroup: String
        @Field("Size of the value in bytes.") public var size: Int
        @Field("How often the value was written.") public var generation: Int
        public init() {}
    }
    public typealias Result = [Item]

    public init() {}
}

public struct SetClockSkew: Command {
    public static let info = CommandInfo(
        "setClockSkew", of: .device,
        "Sets how far the device's wall clock is off from the lab's; running apps see it at once.")
    @Field("Difference to the lab's clock; a leading `-` means behind.") public var skew: LabDuration

    public init() {}
}

public struct LinkDown: Command {
    public static let info = CommandInfo("down", of: .link, "Takes the two devices out of range.", endedBy: LinkUp.self)
    public init() {}
}

public struct LinkUp: Command {
    public static let info = CommandInfo("up", of: .link, "Brings the two devices into range.")
    public init() {}
}

public struct SwitchWatch: Command {
    public static let info = CommandInfo(
        "switchWatch", of: .device,
        "Uses another of the phone's watches; sessions become inactive, then are deactivated, and activate for the new one."
    )
    @Field("The link with that watch.") public var link: String

    public init() {}
}

public struct UnpairWatch: Command {
    public static let info = CommandInfo(
        "unpair", of: .link, "Ends the pairing of phone and watch: what waits for the other device ends, on both.",
        endedBy: PairWatch.self)
    public init() {}
}

public struct PairWatch: Command {
    public static let info = CommandInfo(
        "pair", of: .link, "Pairs phone and watch again; the phone uses the watch when it has no other.")
    public init() {}
}
