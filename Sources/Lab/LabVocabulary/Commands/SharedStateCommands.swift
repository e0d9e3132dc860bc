// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands about the queue of signed requests, which the apps that share an activation have in common.
    static let serialQueueCommands: [any Command.Type] = [ExecuteBlock.self, FinishBlock.self]
    static let sharedMemoryCommands: [any Command.Type] = [SharedMemoryOfApp.self]
}

public struct ExecuteBlock: Command {
    public static let info = CommandInfo(
        "executeBlock", of: .fullApps,
        "Waits until no signed request is under way and holds the queue of signed requests, in all apps that share, until `finishBlock`; false without an activation."
    )
    public typealias Result = Bool
    public init() {}
}

public struct FinishBlock: Command {
    public static let info = CommandInfo(
        "finishBlock", of: .fullApps, "Gives back the queue of signed requests that `executeBlock` holds.")
    public init() {}
}

public struct SharedMemoryOfApp: Command {
    public static let info = CommandInfo(
        "sharedMemory", of: .fullApps,
        "Reads the memory that the apps of an app group share, under its lock; the app must share its activation.")

    public struct Result: FieldObject {
        @Field("How often the state was saved, from 1: an app that has seen another number reads the state again.")
        public var stateModifyCounter: UInt64
        @Field(.tokenChanges) public var tokenModifyCounter: UInt64
        @Field(.startedOperations) public var operationTicket: UInt64
        @Field("The operation that excludes other apps: 0 for none, 1 an activation, 2 a protocol upgrade.")
        public var operationType: Int
        @Field("Identifier of the app that owns the operation.") public var operationOwner: String?
        public init() {}
    }
    public init() {}
}
