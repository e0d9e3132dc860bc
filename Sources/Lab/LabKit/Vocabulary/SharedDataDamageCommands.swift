extension Vocabulary {
    /// Commands that damage what apps share while they use it.
    static let sharedDataDamageCommands: [any Command.Type] = [
        UnlinkSharedMemory.self, TruncateSharedMemory.self, OverwriteSharedMemory.self, RemoveGroupContainer.self,
    ]
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
