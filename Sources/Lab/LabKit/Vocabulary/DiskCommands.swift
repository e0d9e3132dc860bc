extension Vocabulary {
    /// Commands about the storage of a device.
    static let diskCommands: [any Command.Type] = [
        FillDisk.self, MakeDiskReadOnly.self, FreeDisk.self, ListDiskFaults.self,
    ]
}

/// A fault of a device's storage.
public struct ArmedDiskFault: FieldObject {
    @Field(.faultId) public var id: Int
    public init() {}
}

public struct FillDisk: Command {
    public static let info = CommandInfo(
        "fillDisk", of: .device,
        "Leaves apps no room, or little: keychain, preferences, group containers and the queues of the watch link refuse what is larger.",
        endedBy: FreeDisk.self, countedBy: ListDiskFaults.self)
    @Field("How much can still be written.", unit: "bytes", limit: .between(0, 2_147_483_647)) public var free: Int = 0
    public typealias Result = ArmedDiskFault

    public init() {}
}

public struct MakeDiskReadOnly: Command {
    public static let info = CommandInfo(
        "readOnlyDisk", of: .device,
        "Lets apps write and delete nothing in keychain, preferences and group containers, and queue nothing for the watch link.",
        endedBy: FreeDisk.self, countedBy: ListDiskFaults.self)
    public typealias Result = ArmedDiskFault

    public init() {}
}

public struct FreeDisk: Command {
    public static let info = CommandInfo("freeDisk", of: .device, "Lets apps write again.")
    public init() {}
}

public struct ListDiskFaults: Command {
    public static let info = CommandInfo(
        "diskFaults", of: .device, "Lists the fault of the storage, if there is one.")

    public struct Fault: FieldObject {
        @Field(.faultId) public var id: Int
        @Field("How many writes it has refused.") public var fired: Int
        public init() {}
    }
    public typealias Result = [Fault]

    public init() {}
}
