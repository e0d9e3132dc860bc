extension Vocabulary {
    /// Commands of the instance's fault table.
    static let faultCommands: [any Command.Type] = [ArmFault.self, DisarmFaults.self, ListArmedFaults.self]
    /// Commands of the instance's clock.
    static let clockCommands: [any Command.Type] = [
        AdvanceClock.self, FreezeClock.self, RunClock.self, ReadClock.self,
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
    @Field("At which pass of the point, counted in each process from 1.", limit: .atLeast(1))
    public var pass: Int = 1
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
