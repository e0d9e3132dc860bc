// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    static let storageCommands: [any Command.Type] = [HeldFileLocks.self]
    static let diskCommands: [any Command.Type] = [
        FillDisk.self, MakeDiskReadOnly.self, FreeDisk.self, ListDiskFaults.self,
    ]

    /// Commands that damage what apps share while they use it.
    static let sharedDataDamageCommands: [any Command.Type] = [
        UnlinkSharedMemory.self, TruncateSharedMemory.self, OverwriteSharedMemory.self, RemoveGroupContainer.self,
    ]
}

public struct HeldFileLocks: Command {
    public static let info = CommandInfo(
        "fileLocks", of: .device, "Lists the file locks that processes of the device's apps hold at this moment.")

    public struct Lock: FieldObject {
        @Field("The app that holds it.") public var app: String
        @Field("The file, by its path in the instance's directory.") public var file: String
        @Field("Whether it excludes all others.") public var isExclusive: Bool
        public init() {}
    }
    public typealias Result = [Lock]
    public init() {}
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
    public static let info = CommandInfo("diskFaults", of: .device, "Lists the fault of the storage, if there is one.")

    public struct Fault: FieldObject {
        @Field(.faultId) public var id: Int
        @Field("How many writes it has refused.") public var fired: Int
        public init() {}
    }
    public typealias Result = [Fault]
    public init() {}
}

public struct UnlinkSharedMemory: Command {
    public static let info = CommandInfo(
        "unlinkSharedMemory", of: .device,
        "Removes the names of all shared memory of the device: apps that use it keep it, later ones make another.")
    public init() {}
}

public struct TruncateSharedMemory: Command {
    public static let info = CommandInfo(
        "truncateSharedMemory", of: .device, "Cuts all shared memory of the device, while apps have it mapped.")
    @Field("How much is left.", unit: "bytes", limit: .between(0, 65_536)) public var size: Int = 0
    public init() {}
}

public struct OverwriteSharedMemory: Command {
    public static let info = CommandInfo(
        "overwriteSharedMemory", of: .device,
        "Writes a byte several times into all shared memory of the device; sharing.md, section 7.2, has the offsets.")
    @Field("Where the first one goes.", unit: "bytes", limit: .between(0, 255)) public var offset: Int
    @Field("How many are written, up to the end of the memory.", limit: .between(1, 256)) public var count: Int
    @Field("The byte.", limit: .between(0, 255)) public var byte: Int = 255
    public init() {}
}

public struct RemoveGroupContainer: Command {
    public static let info = CommandInfo(
        "removeGroupContainer", of: .device,
        "Deletes the container of an app group with everything in it, while apps use it.")
    @Field(.appGroup) public var appGroup: String
    public init() {}
}
