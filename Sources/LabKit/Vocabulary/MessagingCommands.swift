extension Vocabulary {
    /// Commands by which an app uses WatchConnectivity for messages of its own.
    static let messagingCommands: [any Command.Type] = [
        WatchSessionState.self, SendMessage.self, TransferUserInfo.self, OutstandingUserInfoTransfers.self,
        ReceivedMessages.self, ReceivedUserInfo.self,
    ]
}

/// `watchSession`: what `WCSession.default` reports.
public enum WatchSessionState: Command {
    public typealias Arguments = NoArguments

    /// Answer of `watchSession`.
    public struct Result: Codable, Sendable {
        /// `notActivated`, `inactive` or `activated`.
        public var activationState: String
        /// Whether a message would be delivered now.
        public var isReachable: Bool
        /// Phone only: whether a watch is paired.
        public var isPaired: Bool?
        /// Phone only: whether the watch has the companion app.
        public var isWatchAppInstalled: Bool?

        /// Creates the answer.
        public init(
            activationState: String, isReachable: Bool, isPaired: Bool? = nil, isWatchAppInstalled: Bool? = nil
        ) {
            self.activationState = activationState
            self.isReachable = isReachable
            self.isPaired = isPaired
            self.isWatchAppInstalled = isWatchAppInstalled
        }
    }

    public static let name = "watchSession"
    public static let actors: Set<ActorKind> = [.app, .watchApp]
    public static let summary = "Reports the state of the watch session."
    public static let result: FieldType = .object([
        .init("activationState", .choice(["notActivated", "inactive", "activated"]), "State of the session."),
        .init("isReachable", .boolean, "Whether a message would be delivered now."),
        .init("isPaired", .optional(.boolean), "Phone only: whether a watch is paired."),
        .init("isWatchAppInstalled", .optional(.boolean), "Phone only: whether the companion app is installed."),
    ])
}

/// `sendMessage`: an immediate message to the counterpart app.
public enum SendMessage: Command {
    /// Arguments of `sendMessage`.
    public struct Arguments: Codable, Sendable {
        /// The message, a property list.
        public var message: [String: JSONValue]
        /// Whether an answer is asked for; the lab's apps answer with the message they received.
        public var reply: Bool?

        /// Creates the arguments.
        public init(message: [String: JSONValue], reply: Bool? = nil) {
            self.message = message
            self.reply = reply
        }
    }

    public typealias Result = [String: JSONValue]?
    public static let name = "sendMessage"
    public static let actors: Set<ActorKind> = [.app, .watchApp]
    public static let summary = "Sends an immediate message to the counterpart app, which must be reachable."
    public static let fields: [Field] = [
        .required("message", .map, "The message."),
        .optional(
            "reply", .boolean, default: true,
            "Whether an answer is awaited; the lab's apps answer with the message they received."),
    ]
    public static let result: FieldType = .optional(.map)
}

/// `transferUserInfo`: a guaranteed message to the counterpart app.
public enum TransferUserInfo: Command {
    /// Arguments of `transferUserInfo`.
    public struct Arguments: Codable, Sendable {
        /// The content, a property list.
        public var userInfo: [String: JSONValue]

        /// Creates the arguments.
        public init(userInfo: [String: JSONValue]) {
            self.userInfo = userInfo
        }
    }

    public typealias Result = NoResult
    public static let name = "transferUserInfo"
    public static let actors: Set<ActorKind> = [.app, .watchApp]
    public static let summary = "Queues a message that arrives even if both apps die in between."
    public static let fields: [Field] = [.required("userInfo", .map, "The content.")]
}

/// `outstandingUserInfoTransfers`: how many guaranteed messages have not arrived yet.
public enum OutstandingUserInfoTransfers: Command {
    public typealias Arguments = NoArguments
    public typealias Result = Int
    public static let name = "outstandingUserInfoTransfers"
    public static let actors: Set<ActorKind> = [.app, .watchApp]
    public static let summary = "Counts the guaranteed messages that have not arrived yet."
    public static let result: FieldType = .integer
}

/// `receivedMessages`: the immediate messages that this process has received.
public enum ReceivedMessages: Command {
    public typealias Arguments = NoArguments
    public typealias Result = [[String: JSONValue]]
    public static let name = "receivedMessages"
    public static let actors: Set<ActorKind> = [.app, .watchApp]
    public static let summary = "Lists the immediate messages that this process has received, oldest first."
    public static let result: FieldType = .list(.map)
}

/// `receivedUserInfo`: the guaranteed messages that this process has received.
public enum ReceivedUserInfo: Command {
    public typealias Arguments = NoArguments
    public typealias Result = [[String: JSONValue]]
    public static let name = "receivedUserInfo"
    public static let actors: Set<ActorKind> = [.app, .watchApp]
    public static let summary = "Lists the guaranteed messages that this process has received, oldest first."
    public static let result: FieldType = .list(.map)
}
