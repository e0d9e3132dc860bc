extension Vocabulary {
    /// Commands about what goes wrong on the link between a phone and a watch.
    static let linkFaultCommands: [any Command.Type] = [
        SlowMessages.self, DropMessages.self, DuplicateMessages.self, ReorderMessages.self, CorruptMessages.self,
        CutLink.self,
    ]
}

/// Where a message on the link goes.
public enum LinkDirection: String, Choice {
    case toWatch, toPhone

    /// The direction in a sentence.
    public var title: String { self == .toWatch ? "to the watch" : "to the phone" }
}

/// What a message on the link is.
public enum LinkMessageKind: String, Choice {
    /// An immediate message.
    case live
    /// The reply to an immediate message, or the error that comes in its place.
    case reply
    /// A guaranteed message.
    case transfer
    /// The confirmation of a message of any kind, or the question for one that is missing.
    case acknowledgement
    /// An application context, of which only the newest counts.
    case context
    /// What a device reports about its apps, from which the other one derives what it can reach.
    case state
}

/// A way in which the link can fail; its name is that of the command.
public enum LinkFaultWord: String, CaseIterable, Sendable {
    case slow, drop, duplicate, reorder, corrupt, cut
}

extension Meaning {
    static let linkFaultChance: Meaning = "How likely each message is hit; the run's seed decides."
    static let linkFaultDirection: Meaning = "Only this direction; each of the two by itself when left out."
    static let linkFaultEvery: Meaning = "Only every so-many-th message."
    static let linkFaultKind: Meaning =
        "Only messages of this kind; when left out all that apps send, and their confirmations."
    static let linkFaultSkip: Meaning = "How many messages of a direction pass unharmed first."
    static let linkFaultTimes: Meaning = "How many messages of a direction it hits; all when left out."
}

public struct SlowMessages: Command {
    public static let info = CommandInfo(
        "slow", of: .link, "Lets messages take their time, by the lab's clock; they still arrive in order.",
        endedBy: HealTraffic.self, countedBy: ListTrafficFaults.self)
    @Field("How long each takes; `advance` ends it.", limit: .length) public var by: LabDuration
    @Field("How much that varies, up and down; the run's seed decides.", limit: .length)
    public var jitter: LabDuration = .zero
    @Field("How many bytes pass in a second; a message waits for those before it.", limit: .atLeast(1))
    public var rate: Int?
    @Field(.linkFaultKind) public var kind: LinkMessageKind?
    @Field(.linkFaultDirection) public var direction: LinkDirection?
    @Field(.linkFaultTimes, limit: .atLeast(1)) public var times: Int?
    @Field(.linkFaultSkip, limit: .atLeast(0)) public var skip: Int = 0
    public typealias Result = ArmedTrafficFault

    public init() {}
}

public struct DropMessages: Command {
    public static let info = CommandInfo(
        "drop", of: .link, "Loses messages.", endedBy: HealTraffic.self, countedBy: ListTrafficFaults.self)
    @Field(.linkFaultChance, limit: .share) public var chance: Double = 1
    @Field("How many in a row are lost on average; 1 means that each is lost or not by itself.", limit: .atLeast(1))
    public var burst: Int = 1
    @Field(.linkFaultEvery, limit: .atLeast(1)) public var every: Int = 1
    @Field(.linkFaultKind) public var kind: LinkMessageKind?
    @Field(.linkFaultDirection) public var direction: LinkDirection?
    @Field(.linkFaultTimes, limit: .atLeast(1)) public var times: Int?
    @Field(.linkFaultSkip, limit: .atLeast(0)) public var skip: Int = 0
    public typealias Result = ArmedTrafficFault

    public init() {}
}

public struct DuplicateMessages: Command {
    public static let info = CommandInfo(
        "duplicate", of: .link, "Lets messages arrive twice.", endedBy: HealTraffic.self,
        countedBy: ListTrafficFaults.self)
    @Field(.linkFaultChance, limit: .share) public var chance: Double = 1
    @Field(.linkFaultEvery, limit: .atLeast(1)) public var every: Int = 1
    @Field(.linkFaultKind) public var kind: LinkMessageKind?
    @Field(.linkFaultDirection) public var direction: LinkDirection?
    @Field(.linkFaultTimes, limit: .atLeast(1)) public var times: Int?
    @Field(.linkFaultSkip, limit: .atLeast(0)) public var skip: Int = 0
    public typealias Result = ArmedTrafficFault

    public init() {}
}

public struct ReorderMessages: Command {
    public static let info = CommandInfo(
        "reorder", of: .link,
        "Lets the next message overtake a message, which waits for that one second of the lab's time at most.",
        endedBy: HealTraffic.self, countedBy: ListTrafficFaults.self)
    @Field(.linkFaultChance, limit: .share) public var chance: Double = 1
    @Field(.linkFaultEvery, limit: .atLeast(1)) public var every: Int = 1
    @Field(.linkFaultKind) public var kind: LinkMessageKind?
    @Field(.linkFaultDirection) public var direction: LinkDirection?
    @Field(.linkFaultTimes, limit: .atLeast(1)) public var times: Int?
    @Field(.linkFaultSkip, limit: .atLeast(0)) public var skip: Int = 0
    public typealias Result = ArmedTrafficFault

    public init() {}
}

public struct CorruptMessages: Command {
    public static let info = CommandInfo(
        "corrupt", of: .link, "Changes a byte of messages on their way; the receiver refuses them.",
        endedBy: HealTraffic.self, countedBy: ListTrafficFaults.self)
    @Field(
        "Which byte, counted from 1 and from the start again where the message ends; the run's seed decides when it is left out.",
        limit: .atLeast(1))
    public var byte: Int?
    @Field(.linkFaultChance, limit: .share) public var chance: Double = 1
    @Field(.linkFaultEvery, limit: .atLeast(1)) public var every: Int = 1
    @Field(.linkFaultKind) public var kind: LinkMessageKind?
    @Field(.linkFaultDirection) public var direction: LinkDirection?
    @Field(.linkFaultTimes, limit: .atLeast(1)) public var times: Int?
    @Field(.linkFaultSkip, limit: .atLeast(0)) public var skip: Int = 0
    public typealias Result = ArmedTrafficFault

    public init() {}
}

public struct CutLink: Command {
    public static let info = CommandInfo(
        "cut", of: .link,
        "Loses everything in a direction, also what devices report about themselves; neither device notices.",
        endedBy: HealTraffic.self, countedBy: ListTrafficFaults.self)
    @Field("The direction; both when left out.") public var direction: LinkDirection?
    public typealias Result = ArmedTrafficFault

    public init() {}
}
