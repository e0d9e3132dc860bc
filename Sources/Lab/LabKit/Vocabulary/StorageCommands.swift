extension Vocabulary {
    /// Commands that look at what apps keep and share.
    static let storageCommands: [any Command.Type] = [SharedMemoryOfApp.self, HeldFileLocks.self]
}

public struct SharedMemoryOfApp: Command {
    public static let info = CommandInfo(
        "sharedMemory", of: .app,
        "Reads the memory that the apps of an app group share, under its lock; the app must share its activation.")

    public struct Result: FieldObject {
        @Field("How often the state was saved, from 1: an app that has seen another number reads the state again.")
        public var stateModifyCounter: UInt64
        @Field(.tokenChanges) public var tokenModifyCounter: UInt64
        @Field(.startedOperations)
        public var operationTicket: UInt64
        @Field("The operation that excludes other apps: 0 for none, 1 an activation, 2 a protocol upgrade.")
        public var operationType: Int
        @Field("Identifier of the app that owns the operation.") public var operationOwner: String?
        public init() {}
    }

    public init() {}
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
