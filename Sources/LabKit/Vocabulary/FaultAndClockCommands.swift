extension Vocabulary {
    /// Commands of the instance's fault table.
    static let faultCommands: [any Command.Type] = [ArmFault.self, DisarmFaults.self]
    /// Commands of the instance's clock.
    static let clockCommands: [any Command.Type] = [AdvanceClock.self, FreezeClock.self, RunClock.self]
}

/// `arm`: makes a process die, wait or fail at a named point.
public enum ArmFault: Command {
    /// Arguments of `arm`.
    public struct Arguments: Codable, Sendable {
        /// Name of the fault point.
        public var point: String
        /// Actor name of the process: an app, a device, or `server`.
        public var peer: String
        /// What happens there.
        public var action: String
        /// At which pass of the point, counted in each process from 1.
        public var pass: Int?
        /// How long to wait, for `delay`.
        public var delay: String?
        /// Name of the system error, for `fail`.
        public var error: String?

        /// Creates the arguments.
        public init(
            point: String, peer: String, action: String, pass: Int? = nil, delay: String? = nil, error: String? = nil
        ) {
            self.point = point
            self.peer = peer
            self.action = action
            self.pass = pass
            self.delay = delay
            self.error = error
        }
    }

    public typealias Result = NoResult
    public static let name = "arm"
    public static let actors: Set<ActorKind> = [.faults]
    public static let summary = "Makes a process die, wait or fail at a named point; also before the process starts."
    public static let fields: [Field] = [
        .required("point", .text, "Name of the fault point; `lab faults` lists them."),
        .required("peer", .text, "Actor name of the process: an app, a device, or `server`."),
        .required("action", .choice(FaultActionWord.allCases.map(\.rawValue)), "What happens there."),
        .optional("pass", .integer, default: 1, "At which pass of the point, counted in each process from 1."),
        .optional("delay", .duration, "How long to wait, for `delay`."),
        .optional(
            "error", .text, default: "EIO", "Name of the system error for `fail`, such as `ENOSPC`, or `unavailable`."),
    ]
}

/// `disarm`: removes armed faults.
public enum DisarmFaults: Command {
    /// Arguments of `disarm`.
    public struct Arguments: Codable, Sendable {
        /// Only faults of this process.
        public var peer: String?

        /// Creates the arguments.
        public init(peer: String? = nil) {
            self.peer = peer
        }
    }

    public typealias Result = NoResult
    public static let name = "disarm"
    public static let actors: Set<ActorKind> = [.faults]
    public static let summary = "Removes armed faults."
    public static let fields: [Field] = [.optional("peer", .text, "Only faults of this process.")]
}

/// `advance`: moves the lab's clock forward.
public enum AdvanceClock: Command {
    /// Arguments of `advance`.
    public struct Arguments: Codable, Sendable {
        /// How far.
        public var by: String

        /// Creates the arguments.
        public init(by: String) {
            self.by = by
        }
    }

    public typealias Result = NoResult
    public static let name = "advance"
    public static let actors: Set<ActorKind> = [.clock]
    public static let summary = "Moves the lab's clock forward; what became due happens, in order."
    public static let fields: [Field] = [.required("by", .duration, "How far.")]
}

/// `freeze`: stops the lab's clock.
public enum FreezeClock: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "freeze"
    public static let actors: Set<ActorKind> = [.clock]
    public static let summary = "Stops the lab's clock; only `advance` moves it."
}

/// `run`: lets the lab's clock run at the speed of real time.
public enum RunClock: Command {
    public typealias Arguments = NoArguments
    public typealias Result = NoResult
    public static let name = "run"
    public static let actors: Set<ActorKind> = [.clock]
    public static let summary = "Lets the lab's clock run at the speed of real time."
}
