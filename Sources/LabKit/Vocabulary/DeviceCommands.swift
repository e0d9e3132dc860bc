extension Vocabulary {
    /// Commands of a simulated device.
    static let deviceCommands: [any Command.Type] = [Processes.self, KeychainItems.self, SetClockSkew.self]
    /// Commands of the link between a phone and a watch.
    static let linkCommands: [any Command.Type] = [LinkDown.self, LinkUp.self]
}

/// `processes`: the apps of a device and their processes.
public enum Processes: Command {
    public typealias Arguments = NoArguments

    /// One app of the device.
    public struct Process: Codable, Sendable {
        /// Actor name of the app.
        public var app: String
        /// `running`, `suspended` or `notRunning`.
        public var state: String
        /// Process identifier while it runs.
        public var pid: Int32?
        /// Number of the process among those of the same app; 0 when it was never started.
        public var incarnation: Int

        /// Creates the answer.
        public init(app: String, state: String, pid: Int32?, incarnation: Int) {
            self.app = app
            self.state = state
            self.pid = pid
            self.incarnation = incarnation
        }
    }

    public typealias Result = [Process]
    public static let name = "processes"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary = "Lists the apps of the device and their processes."
    public static let result: FieldType = .list(
        .object([
            .init("app", .text, "Actor name of the app."),
            .init("state", .choice(["running", "suspended", "notRunning"]), "State of the process."),
            .init("pid", .optional(.integer), "Process identifier while it runs."),
            .init("incarnation", .integer, "Number of the process among those of the same app."),
        ]))
}

/// `keychainItems`: what the device's keychain holds, without the values.
public enum KeychainItems: Command {
    /// Arguments of `keychainItems`.
    public struct Arguments: Codable, Sendable {
        /// Only items of this service.
        public var service: String?

        /// Creates the arguments.
        public init(service: String? = nil) {
            self.service = service
        }
    }

    /// One stored item.
    public struct Item: Codable, Sendable {
        /// Service of the item.
        public var service: String
        /// Account of the item.
        public var account: String
        /// Access group that owns it.
        public var accessGroup: String
        /// Size of the value in bytes.
        public var size: Int
        /// How often the value was written.
        public var generation: Int

        /// Creates the answer.
        public init(service: String, account: String, accessGroup: String, size: Int, generation: Int) {
            self.service = service
            self.account = account
            self.accessGroup = accessGroup
            self.size = size
            self.generation = generation
        }
    }

    public typealias Result = [Item]
    public static let name = "keychainItems"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary = "Lists the items in the device's keychain, without their values."
    public static let fields: [Field] = [.optional("service", .text, "Only items of this service.")]
    public static let result: FieldType = .list(
        .object([
            .init("service", .text, "Service of the item."),
            .init("account", .text, "Account of the item."),
            .init("accessGroup", .text, "Access group that owns it."),
            .init("size", .integer, "Size of the value in bytes."),
            .init("generation", .integer, "How often the value was written."),
        ]))
}

/// `setClockSkew`: sets how far the device's clock is off.
public enum SetClockSkew: Command {
    /// Arguments of `setClockSkew`.
    public struct Arguments: Codable, Sendable {
        /// Difference to the lab's clock, for example `30s` or `-2m`.
        public var skew: String

        /// Creates the arguments.
        public init(skew: String) {
            self.skew = skew
        }
    }

    public typealias Result = NoResult
    public static let name = "setClockSkew"
    public static let actors: Set<ActorKind> = [.device]
    public static let summary =
        "Sets how far the device's wall clock is off from the lab's; running apps see it at once."
    public static let fields: [Field] = [
        .required("skew", .duration, "Difference to the lab's clock; a leading `-` means behind.")
    ]
}

/// `down`: takes the two devices out of range.
public enum LinkDown: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "down"
    public static let actors: Set<ActorKind> = [.link]
    public static let summary = "Takes the two devices out of range."
}

/// `up`: brings the two devices into range.
public enum LinkUp: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "up"
    public static let actors: Set<ActorKind> = [.link]
    public static let summary = "Brings the two devices into range."
}
