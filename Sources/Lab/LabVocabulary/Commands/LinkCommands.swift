// SPDX-License-Identifier: Apache-2.0

public import LabCore
public import LabPoints

extension Vocabulary {
    static let linkCommands: [any Command.Type] = [LinkDown.self, LinkUp.self]
    /// Commands about what goes wrong on the link between a phone and a watch.
    static let linkFaultCommands: [any Command.Type] = [
        SlowMessages.self, DropMessages.self, DuplicateMessages.self, ReorderMessages.self, CorruptMessages.self,
        CutLink.self,
    ]
    /// The command that looks at the link between a phone and a watch while it works.
    static let linkInspectionCommands: [any Command.Type] = [InspectLink.self]
}

extension Meaning {
    static let listedTransfers: Meaning = "The first of them, in order."
    static let sizeOfContent: Meaning = "Size of the content, which is never shown."
    static let linkFaultChance: Meaning = "How likely each message is hit; the run's seed decides."
    static let linkFaultDirection: Meaning = "Only this direction; each of the two by itself when left out."
    static let linkFaultEvery: Meaning = "Only every so-many-th message."
    static let linkFaultKind: Meaning =
        "Only messages of this kind; when left out all that apps send, and their confirmations."
    static let linkFaultSkip: Meaning = "How many messages of a direction pass unharmed first."
    static let linkFaultTimes: Meaning = "How many messages of a direction it hits; all when left out."
}

public struct LinkDown: Command {
    public static let info = CommandInfo("down", of: .link, "Takes the two devices out of range.", endedBy: LinkUp.self)
    public init() {}
}

public struct LinkUp: Command {
    public static let info = CommandInfo("up", of: .link, "Brings the two devices into range.")
    public init() {}
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

public struct InspectLink: Command {
    public static let info = CommandInfo(
        "inspectLink", of: .device,
        "Shows the device's ends of its links: queues, messages and contexts without their contents, conditions, the last contact. No app is asked, so it answers while they sleep."
    )
    @Field("Only this link; all links of the device when left out.") public var link: String?
    @Field("How many transfers of a queue are listed; all are counted.", limit: .between(0, 10_000))
    public var list: Int = 20

    /// One end of a link.
    public struct End: FieldObject {
        @Field("Name of the link.") public var link: String
        @Field("Name of the other device.") public var peer: String
        @Field("Whether the two devices have greeted each other and have not noticed a loss since.")
        public var isUp: Bool
        @Field("Whether the devices are in range; only the phone's end knows.") public var isInRange: Bool?
        @Field(
            "How long ago something came from the other device, by the lab's clock; nothing when nothing ever came.",
            unit: "milliseconds")
        public var lastContact: Int?
        @Field(
            "How many questions in a row whether the other device is there have had no answer; with three it is lost.")
        public var unanswered: Int
        @Field("The device's apps that have a counterpart.") public var apps: [App]
        @Field("The faults of the link, each direction by itself; only the phone's end has them.")
        public var conditions: [Condition]
        @Field("Own transfers that the other device has not confirmed.") public var outbox: Outbox
        @Field("Received transfers that their apps have not handled.") public var inbox: Inbox
        @Field("Ends of own transfers not yet reported to their apps.") public var untold: [Ended]
        @Field("Application contexts, own ones and received ones.") public var contexts: [Context]
        @Field("Immediate messages under way.") public var messages: [Message]
        public init() {}
    }

    /// An app of the device, and what its session shows of its counterpart.
    public struct App: FieldObject {
        @Field(.appName) public var app: String
        @Field("Actor name of its counterpart.") public var counterpart: String
        @Field("Whether a process of the app is attached to the device.") public var isAttached: Bool
        @Field("Whether its watch session is activated.") public var isActivated: Bool
        @Field("Whether it is in the foreground.") public var isForeground: Bool
        @Field("Whether its session calls the counterpart installed.") public var isCounterpartInstalled: Bool
        @Field("Whether its session calls the counterpart reachable.") public var isReachable: Bool
        public init() {}
    }

    /// A fault of the link in one direction.
    public struct Condition: FieldObject {
        @Field(.faultId) public var id: String
        @Field("The command that has armed it.") public var fault: LinkFaultWord
        @Field("Which direction it is about.") public var direction: LinkDirection
        @Field("What it does to a message, in words.") public var effect: String
        @Field("How many messages it was about.") public var matched: Int
        @Field("How many of them it has hit.") public var fired: Int
        @Field("How many messages of the direction are held up now, by whichever fault.") public var held: Int
        public init() {}
    }

    /// The queue of own transfers.
    public struct Outbox: FieldObject {
        @Field("How many were never sent.") public var waiting: Int
        @Field("How many were sent and are not confirmed.") public var sent: Int
        @Field("The other device has confirmed everything up to this number.") public var confirmed: UInt64
        @Field(.listedTransfers) public var transfers: [Transfer]
        public init() {}
    }

    /// The queue of received transfers.
    public struct Inbox: FieldObject {
        @Field("How many their apps have not handled.") public var waiting: Int
        @Field("Everything up to this number of the other device has arrived.") public var received: UInt64
        @Field(.listedTransfers) public var transfers: [Transfer]
        public init() {}
    }

    /// Where a transfer is on its way.
    public enum TransferState: String, Choice {
        /// Stored, and not sent or handed over.
        case waiting
        /// Sent, and not confirmed.
        case sent
        /// Taken back or refused after it was sent.
        case ended
        /// Handed to a process of the app, which has not reported that it is done.
        case handedOver
    }

    /// A transfer in a queue.
    public struct Transfer: FieldObject {
        @Field("Identifier of the transfer.") public var id: String
        @Field("The app of this device; nothing when it was taken off the device.") public var app: String?
        @Field("Where it is on its way.") public var state: TransferState
        @Field("Its number on the link; nothing before it is sent, and in the inbox.") public var number: UInt64?
        @Field(.sizeOfContent, unit: "bytes") public var size: Int
        public init() {}
    }

    /// The end of an own transfer.
    public struct Ended: FieldObject {
        @Field("Identifier of the transfer that is over.") public var id: String
        @Field("The app that has sent it.") public var app: String
        @Field("`WCError.Code` of its end; nothing when it arrived.") public var code: Int?
        public init() {}
    }

    /// An application context.
    public struct Context: FieldObject {
        @Field("The app of this device that has sent it, or that it is for.") public var app: String
        @Field("Whether this device's app has sent it.") public var isOwn: Bool
        @Field("Its version, from 1.") public var version: UInt64
        @Field(.sizeOfContent, unit: "bytes") public var size: Int
        @Field("Of an own one, whether the other device has it; of a received one, whether the app was notified.")
        public var isDone: Bool
        public init() {}
    }

    /// Where an immediate message is on its way.
    public enum MessageState: String, Choice {
        /// Sent; the receiver has not confirmed it.
        case sent
        /// The receiving app has it and owes a reply.
        case replyAwaited
        /// It waits for its app to be ready.
        case held
        /// The app has it and has not confirmed it.
        case handedOver
        /// The app has it and has not replied.
        case unanswered
    }

    /// An immediate message under way.
    public struct Message: FieldObject {
        @Field(.messageId) public var id: String
        @Field("The app of this device that takes part in it.") public var app: String
        @Field("Whether this device has sent it.") public var isOwn: Bool
        @Field("How far it has come.") public var state: MessageState
        @Field(
            "In how much of the lab's time it fails unless something happens; nothing when the sender watches over it.",
            unit: "milliseconds")
        public var timeLeft: Int?
        public init() {}
    }

    public typealias Result = [End]
    public init() {}
}
