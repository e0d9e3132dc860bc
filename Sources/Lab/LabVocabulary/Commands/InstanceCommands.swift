// SPDX-License-Identifier: Apache-2.0

public import LabCore
public import LabPoints

extension Vocabulary {
    /// Commands of the instance: its fault table, its clock, and what was recorded.
    static let instanceCommands: [any Command.Type] = [
        ArmFault.self, DisarmFaults.self, ListArmedFaults.self, AdvanceClock.self, FreezeClock.self, RunClock.self,
        ReadClock.self, ListEvents.self, ListBrokenRules.self,
    ]
    /// Commands about the server's process.
    static let serverProcessCommands: [any Command.Type] = [KillServer.self, RestartServer.self]
    /// Commands about the process of a device.
    static let deviceProcessCommands: [any Command.Type] = [
        KillDevice.self, SwitchOffDevice.self, SwitchOnDevice.self,
    ]
}

public struct ArmFault: Command {
    public static let info = CommandInfo(
        "arm", of: .faults, "Makes a process die, wait or fail at a named point; also before the process starts.",
        endedBy: DisarmFaults.self, countedBy: ListArmedFaults.self)
    @Field("Name of the fault point; `lab faults` lists them.") public var point: String
    @Field("Actor name of the process: an app, a device, or `server`.") public var peer: String
    @Field(.faultAction) public var action: FaultActionWord
    @Field(.faultItem) public var item: String?
    @Field(.faultEndpoint) public var endpoint: String?
    @Field("At which pass of the point, counted in each process from 1.", limit: .atLeast(1)) public var pass: Int = 1
    @Field("How long to wait, for `delay`.", limit: .length) public var delay: LabDuration?
    @Field("Name of the system error for `fail`, such as `ENOSPC`, or `unavailable`.") public var error: String = "EIO"

    public struct Result: FieldObject {
        @Field(.faultId) public var id: Int
        public init() {}
    }
    public init() {}
}

public struct DisarmFaults: Command {
    public static let info = CommandInfo("disarm", of: .faults, "Removes armed faults; they need not have fired.")
    @Field("Only faults of this process.") public var peer: String?
    @Field(.faultToEnd) public var id: Int?
    public init() {}
}

public struct ListArmedFaults: Command {
    public static let info = CommandInfo(
        "armed", of: .faults, "Lists the armed faults, also those that have fired for the last time.")

    public struct Fault: FieldObject {
        @Field(.faultId) public var id: Int
        @Field("The fault point.") public var point: String
        @Field("The process.") public var peer: String
        @Field(.faultAction) public var action: FaultActionWord
        @Field(.faultItem) public var item: String?
        @Field(.faultEndpoint) public var endpoint: String?
        @Field("How often it has fired.") public var fired: Int
        @Field("How many passes it was about; 0 while the process has not come to the point.") public var passes: Int
        public init() {}
    }
    public typealias Result = [Fault]
    public init() {}
}

public struct AdvanceClock: Command {
    public static let info = CommandInfo(
        "advance", of: .clock, "Moves the lab's clock forward; what became due happens, in order.")
    @Field("How far.", limit: .length) public var by: LabDuration
    public init() {}
}

public struct FreezeClock: Command {
    public static let info = CommandInfo("freeze", of: .clock, "Stops the lab's clock; only `advance` moves it.")
    public init() {}
}

public struct RunClock: Command {
    public static let info = CommandInfo(
        "run", of: .clock, "Lets the lab's clock run on from where it stands, at the speed of real time or faster.")
    @Field("How many seconds of lab time pass in a second.", limit: .between(1, 86_400)) public var rate: Int = 1
    public init() {}
}

public struct ReadClock: Command {
    public static let info = CommandInfo("read", of: .clock, "Shows the lab's time, and how the lab's clock runs.")

    public struct Result: FieldObject {
        @Field("The lab's time, in seconds since 1970.") public var time: Double
        @Field("The same in UTC, as ISO 8601 writes it, to the millisecond.") public var utc: String
        @Field("Whether the clock stands still.") public var isFrozen: Bool
        @Field("How many seconds of lab time pass in a second while the clock runs.") public var rate: Int
        @Field("How far the lab's time is ahead of real time; with a `-` it is behind.") public var ahead: LabDuration
        public init() {}
    }
    public init() {}
}

public struct ListEvents: Command {
    public static let info = CommandInfo(
        "events", of: .trace, "Lists what the processes of the instance have recorded so far, in the order of time.")
    @Field("Only this event; `lab events` lists them.") public var event: String?
    @Field("Only events of this process: an app, a device, `server`, or `clock`.") public var peer: String?
    @Field("Only what this step caused, by its number, such as `3.1`, with everything inside it.")
    public var step: String?

    public struct Event: FieldObject {
        @Field("What happened.") public var event: String
        @Field("Whose trace it is in.") public var peer: String
        @Field("Which start of that process it was, from 1.") public var incarnation: Int
        @Field("Number of the step that caused it; events of agents have none.") public var step: String?
        @Field("When, on the machine's monotonic clock.", unit: "nanoseconds") public var time: UInt64
        @Field("The event's own details.") public var fields: [String: JSONValue]
        public init() {}
    }
    public typealias Result = [Event]
    public init() {}
}

public struct ListBrokenRules: Command {
    public static let info = CommandInfo(
        "brokenRules", of: .trace,
        "Holds what was recorded so far against the rules that hold in every scenario, also where an app has a quirk."
    )

    public struct BrokenRule: FieldObject {
        @Field("Name of the rule.") public var rule: String
        @Field("What breaks it.") public var breach: String
        @Field("The fewest events that show the breach, as a table.") public var events: [String]
        public init() {}
    }
    public typealias Result = [BrokenRule]
    public init() {}
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
