// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// The command that looks at what apps share while they use it.
    static let sharingCommands: [any Command.Type] = [InspectSharing.self]
}

public struct InspectSharing: Command {
    public static let info = CommandInfo(
        "inspectSharing", of: .device,
        "Shows what apps share: memory, locks, a pending operation, keychain items without values. It takes no lock, so it answers while apps wait or sleep; two numbers may be of different moments."
    )
    @Field("An app that shares its activation, or an app group; all that is shared on the device when left out.")
    public var of: String?

    /// One activation, and the apps that share it.
    public struct Activation: FieldObject {
        @Field(.instanceId) public var instanceId: String
        @Field(.appGroup) public var appGroup: String
        @Field("Apps whose configuration says that they share it.") public var apps: [String]
        @Field("The shared memory: one, unless the apps disagree on its name.") public var memory: [Memory]
        @Field("The lock for one task.") public var statusLock: Lock
        @Field("The lock for one signed request.") public var queueLock: Lock
        @Field("The lock for an operation that excludes other apps.") public var operationLock: Lock
        @Field("The operation that excludes other apps.") public var operation: Operation?
        @Field("What the keychain holds in the access groups of the apps.") public var keychainItems: [Item]
        public init() {}
    }

    /// What can be said of memory before its numbers are believed.
    public enum MemoryState: String, Choice {
        case usable, missing, tooShort, unfinished, wrongMagic, otherInstance, wrongVersion
    }

    /// Shared memory by its name.
    public struct Memory: FieldObject {
        @Field("Its name.") public var name: String
        @Field("Whether the apps have recorded the name beside their locks.") public var isRecorded: Bool
        @Field("Whether it can be used; the numbers of memory that cannot are shown as they are.")
        public var state: MemoryState
        @Field("Its size.", unit: "bytes") public var size: Int?
        @Field("Its first three bytes, `MPS`.") public var magic: String?
        @Field("Version of its layout, `1`.") public var version: String?
        @Field("SHA-256 of the instance identifier that it belongs to, in hexadecimal digits.")
        public var instanceHash: String?
        @Field("How often the state was saved, from 1.") public var stateModifyCounter: UInt64?
        @Field(.tokenChanges) public var tokenModifyCounter: UInt64?
        @Field(.startedOperations) public var operationTicket: UInt64?
        public init() {}
    }

    /// Owner and waiters of a lock, read from the kernel.
    public struct Lock: FieldObject {
        @Field("The process that holds it, or none.") public var holders: [Process]
        @Field("The processes that wait for it.") public var waiting: [Process]
        public init() {}
    }

    /// A process that holds a lock or waits for it.
    public struct Process: FieldObject {
        @Field(.appName) public var app: String
        @Field(.processId) public var pid: Int32
        @Field(.processState) public var state: Processes.State
        @Field(
            "How long it has done so, by the machine's clock; nothing when the end of its trace does not show it.",
            unit: "milliseconds")
        public var duration: Int?
        public init() {}
    }

    /// An operation that is announced in the memory.
    public struct Operation: FieldObject {
        @Field("`activation`, `protocolUpgrade`, or the number that the memory holds.") public var type: String
        @Field("Identifier of its owner among those that share.") public var application: String?
        @Field("The app with that identifier.") public var app: String?
        @Field("How long ago its owner gave a sign of life, by the device's clock.", unit: "milliseconds")
        public var age: Int?
        @Field("Whether a process holds its lock; if not, its owner is dead and the next app takes over.")
        public var ownerIsAlive: Bool
        public init() {}
    }

    /// An item of the keychain.
    public struct Item: FieldObject {
        @Field(.keychainService) public var service: String
        @Field(.keychainAccount) public var account: String
        @Field(.keychainAccessGroup) public var accessGroup: String
        @Field("Size of the value.", unit: "bytes") public var size: Int
        @Field("Who must be there before the value is given out.") public var protection: Protection
        public init() {}
    }

    /// Who must be there before the value of an item is given out.
    public enum Protection: String, Choice {
        case none, currentBiometricSet, anyBiometricSet, anyBiometricSetOrDevicePasscode
    }

    public typealias Result = [Activation]
    public init() {}
}
