// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    static let deviceCommands: [any Command.Type] = [
        Processes.self, KeychainItems.self, SetClockSkew.self, ChangeVendorIdentifier.self,
    ]
    static let connectivityCommands: [any Command.Type] = [GoOffline.self, GoOnline.self]
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

// sharing.md, sections 12.2 and 21.6
public struct ChangeVendorIdentifier: Command {
    public static let info = CommandInfo(
        "changeVendorIdentifier", of: .device,
        "Gives the apps of the vendor another `identifierForVendor`, as after all of them were off the device; they end, and keep what they have stored."
    )

    public struct Result: FieldObject {
        @Field("The identifier that the apps had.") public var before: String
        @Field("The identifier that they have now.") public var now: String
        public init() {}
    }
    public init() {}
}

public struct GoOffline: Command {
    public static let info = CommandInfo(
        "goOffline", of: .device,
        "Takes the device off the network: its apps reach no server, and the push service keeps what it has for it.",
        endedBy: GoOnline.self)
    public init() {}
}

public struct GoOnline: Command {
    public static let info = CommandInfo(
        "goOnline", of: .device, "Brings the device back to the network; what the push service has kept arrives.")
    @Field("The network that it joins.") public var network: Network = .wifi

    public enum Network: String, Choice {
        case wifi, cellular, wired
    }
    public init() {}
}
