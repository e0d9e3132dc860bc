extension Vocabulary {
    /// Commands by which an app uses WatchConnectivity for messages of its own.
    static let messagingCommands: [any Command.Type] = [
        WatchSessionState.self, SendMessage.self, TransferUserInfo.self, OutstandingUserInfoTransfers.self,
        FinishedUserInfoTransfers.self, ReceivedMessages.self, ReceivedUserInfo.self,
    ]
}

public struct WatchSessionState: Command {
    public static let info = CommandInfo(
        "watchSession", of: [.app, .watchApp], "Reports the state of the watch session.")

    public enum State: String, Choice {
        case notActivated, inactive, activated
    }

    public struct Result: FieldObject {
        @Field("State of the session.") public var activationState: State
        @Field("Whether a message would be delivered now.") public var isReachable: Bool
        @Field("Phone only: whether a watch is paired.") public var isPaired: Bool?
        @Field("Phone only: whether the companion app is installed.") public var isWatchAppInstalled: Bool?
        @Field("Watch only: whether the phone is out of reach because nobody has unlocked it since it started.")
        public var phoneNeedsUnlock: Bool?
        public init() {}
    }

    public init() {}
}

public struct SendMessage: Command {
    public static let info = CommandInfo(
        "sendMessage", of: [.app, .watchApp],
        "Sends an immediate message to the counterpart app, which must be reachable.")
    @Field("The message.") public var message: [String: JSONValue]
    @Field("Whether an answer is awaited; the lab's apps answer with the message they received.")
    public var reply: Bool = true
    public typealias Result = [String: JSONValue]?

    public init() {}
}

public struct TransferUserInfo: Command {
    public static let info = CommandInfo(
        "transferUserInfo", of: [.app, .watchApp], "Queues a message that arrives even if both apps die in between.")
    @Field("The content.") public var userInfo: [String: JSONValue]

    public init() {}
}

public struct OutstandingUserInfoTransfers: Command {
    public static let info = CommandInfo(
        "outstandingUserInfoTransfers", of: [.app, .watchApp],
        "Counts the guaranteed messages that have not arrived yet.")
    public typealias Result = Int

    public init() {}
}

public struct FinishedUserInfoTransfers: Command {
    public static let info = CommandInfo(
        "finishedUserInfoTransfers", of: [.app, .watchApp],
        "Lists the guaranteed messages of whose end this process was told, oldest first.")

    public struct Transfer: FieldObject {
        @Field("What was sent.") public var userInfo: [String: JSONValue]
        @Field("The `WCError` with which it ended; none when it has arrived.") public var code: Int?
        public init() {}
    }
    public typealias Result = [Transfer]

    public init() {}
}

public struct ReceivedMessages: Command {
    public static let info = CommandInfo(
        "receivedMessages", of: [.app, .watchApp],
        "Lists the immediate messages that this process has received, oldest first.")
    public typealias Result = [[String: JSONValue]]

    public init() {}
}

public struct ReceivedUserInfo: Command {
    public static let info = CommandInfo(
        "receivedUserInfo", of: [.app, .watchApp],
        "Lists the guaranteed messages that this process has received, oldest first.")
    public typealias Result = [[String: JSONValue]]

    public init() {}
}
