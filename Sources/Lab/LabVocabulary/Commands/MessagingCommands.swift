// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands by which an app uses WatchConnectivity for messages and files of its own.
    static let messagingCommands: [any Command.Type] = [
        WatchSessionState.self, SendMessage.self, SendMessageData.self, TransferUserInfo.self,
        OutstandingUserInfoTransfers.self, FinishedUserInfoTransfers.self, OutstandingTransfers.self,
        CancelTransfers.self, ReceivedMessages.self, ReceivedMessageData.self, ReceivedUserInfo.self,
        UpdateApplicationContext.self, ApplicationContexts.self, DelegateCalls.self, TransferFile.self,
        ReceivedFiles.self, FinishedFileTransfers.self, TransferComplicationUserInfo.self,
    ]
}

public struct WatchSessionState: Command {
    public static let info = CommandInfo(
        "watchSession", of: [.app, .app2, .watchApp], "Reports the state of the watch session.")

    public enum State: String, Choice {
        case notActivated, inactive, activated
    }

    public struct Result: FieldObject {
        @Field("State of the session.") public var activationState: State
        @Field("Whether a message would be delivered now.") public var isReachable: Bool
        @Field("Whether received content waits for the delegate.") public var hasContentPending: Bool
        @Field("Phone only: whether the watch shows a complication of the app.") public var isComplicationEnabled: Bool?
        @Field("Phone only: how many more messages for the complication are brought at once.")
        public var remainingComplicationUserInfoTransfers: Int?
        @Field("Phone only: whether a watch is paired.") public var isPaired: Bool?
        @Field("Phone only: whether the companion app is installed.") public var isWatchAppInstalled: Bool?
        @Field("Watch only: whether the phone has the companion app.") public var isCompanionAppInstalled: Bool?
        @Field("Watch only: whether the phone is out of reach because it has not been unlocked since it started.")
        public var phoneNeedsUnlock: Bool?
        public init() {}
    }
    public init() {}
}

public struct SendMessage: Command {
    public static let info = CommandInfo(
        "sendMessage", of: [.app, .app2, .watchApp],
        "Sends an immediate message to the counterpart app, which must be reachable.")
    @Field("The message.") public var message: [String: JSONValue]
    @Field(.awaitsReply) public var reply: Bool = true
    public typealias Result = [String: JSONValue]?
    public init() {}
}

public struct SendMessageData: Command {
    public static let info = CommandInfo(
        "sendMessageData", of: [.app, .app2, .watchApp],
        "Sends text as an immediate message of bytes to the counterpart app, which must be reachable.")
    @Field("The text.") public var text: String
    @Field(.awaitsReply) public var reply: Bool = true
    public typealias Result = String?
    public init() {}
}

public struct TransferUserInfo: Command {
    public static let info = CommandInfo(
        "transferUserInfo", of: [.app, .app2, .watchApp],
        "Queues a message that arrives even if both apps die in between; fails when the session refuses it.")
    @Field(.transferredContent) public var userInfo: [String: JSONValue]
    public init() {}
}

public struct OutstandingUserInfoTransfers: Command {
    public static let info = CommandInfo(
        "outstandingUserInfoTransfers", of: [.app, .app2, .watchApp],
        "Counts the guaranteed messages that have not arrived yet.")
    public typealias Result = Int
    public init() {}
}

public struct FinishedUserInfoTransfers: Command {
    public static let info = CommandInfo(
        "finishedUserInfoTransfers", of: [.app, .app2, .watchApp],
        "Lists the guaranteed messages whose end was reported to this process, oldest first.")

    public struct Transfer: FieldObject {
        @Field("What was sent.") public var userInfo: [String: JSONValue]
        @Field(.transferEnd) public var code: Int?
        public init() {}
    }
    public typealias Result = [Transfer]
    public init() {}
}

public struct OutstandingTransfers: Command {
    public static let info = CommandInfo(
        "outstandingTransfers", of: [.app, .app2, .watchApp],
        "Lists what the app has sent with a guarantee and has not arrived yet, each kind in the order sent.")

    public struct Transfer: FieldObject {
        @Field("The content of a guaranteed message.") public var userInfo: [String: JSONValue]?
        @Field("Whether it is the newest content for a complication; false in other cases.")
        public var isCurrentComplicationInfo: Bool?
        @Field("Name of a file.") public var file: String?
        @Field("How many bytes of the file the other device has.") public var sent: Int?
        public init() {}
    }
    public typealias Result = [Transfer]
    public init() {}
}

public struct CancelTransfers: Command {
    public static let info = CommandInfo(
        "cancelTransfers", of: [.app, .app2, .watchApp],
        "Takes back what the app has sent and has not arrived yet; answers how many transfers it has tried that with.")
    @Field("Only guaranteed messages with this content.") public var userInfo: [String: JSONValue]?
    @Field("Only files with this name.") public var file: String?
    public typealias Result = Int
    public init() {}
}

public struct ReceivedMessages: Command {
    public static let info = CommandInfo(
        "receivedMessages", of: [.app, .app2, .watchApp],
        "Lists the immediate messages that this process has received, oldest first.")
    public typealias Result = [[String: JSONValue]]
    public init() {}
}

public struct ReceivedMessageData: Command {
    public static let info = CommandInfo(
        "receivedMessageData", of: [.app, .app2, .watchApp],
        "Lists the app's own immediate messages of bytes that this process has received, as text, oldest first.")
    public typealias Result = [String]
    public init() {}
}

public struct ReceivedUserInfo: Command {
    public static let info = CommandInfo(
        "receivedUserInfo", of: [.app, .app2, .watchApp],
        "Lists the guaranteed messages that this process has received, oldest first.")
    public typealias Result = [[String: JSONValue]]
    public init() {}
}

public struct UpdateApplicationContext: Command {
    public static let info = CommandInfo(
        "updateApplicationContext", of: [.app, .app2, .watchApp],
        "Replaces what the counterpart app should know; only the newest context arrives.")
    @Field("The context.") public var context: [String: JSONValue]
    public init() {}
}

public struct ApplicationContexts: Command {
    public static let info = CommandInfo(
        "applicationContexts", of: [.app, .app2, .watchApp], "Reports the last application context of either side.")

    public struct Result: FieldObject {
        @Field("The context that this app has set last, also in an earlier process.") public var sent:
            [String: JSONValue]
        @Field("The context that the counterpart has set last, as far as it has arrived.")
        public var received: [String: JSONValue]
        public init() {}
    }
    public init() {}
}

public struct DelegateCalls: Command {
    public static let info = CommandInfo(
        "delegateCalls", of: [.app, .app2, .watchApp],
        "Lists the session's calls of this process' delegate, oldest first, without contents of the SDK's messages.")

    public struct Call: FieldObject {
        @Field("The delegate's method, such as `didReceiveUserInfo` or `sessionReachabilityDidChange`.")
        public var call: String
        @Field("The state with which an activation has ended.") public var state: WatchSessionState.State?
        @Field("Whether the counterpart was reachable; with a change of that.") public var isReachable: Bool?
        @Field("What arrived, or was sent.") public var content: [String: JSONValue]?
        @Field("Name of the file that arrived, or was sent.") public var file: String?
        @Field("The `WCError` that was reported.") public var code: Int?
        public init() {}
    }
    public typealias Result = [Call]
    public init() {}
}

public struct TransferFile: Command {
    public static let info = CommandInfo(
        "transferFile", of: [.app, .app2, .watchApp],
        "Queues a file that arrives even if both apps die in between; fails when the session refuses it.")
    @Field("Name of the file, in the app's documents.") public var name: String
    @Field("Writes the file with this text before.") public var text: String?
    @Field("Writes the file with so many bytes before.", limit: .atLeast(0)) public var size: Int?
    @Field(.fileMetadata) public var metadata: [String: JSONValue]?
    public init() {}
}

public struct ReceivedFiles: Command {
    public static let info = CommandInfo(
        "receivedFiles", of: [.app, .app2, .watchApp], "Lists the files that this process has received, oldest first.")

    public struct File: FieldObject {
        @Field(.fileName) public var name: String
        @Field("Size in bytes.") public var size: Int
        @Field("The content, of a file of at most 1,000 bytes of text.") public var text: String?
        @Field(.fileMetadata) public var metadata: [String: JSONValue]?
        @Field("Whether the file is still where the delegate was given it.") public var isStillThere: Bool
        public init() {}
    }
    public typealias Result = [File]
    public init() {}
}

public struct FinishedFileTransfers: Command {
    public static let info = CommandInfo(
        "finishedFileTransfers", of: [.app, .app2, .watchApp],
        "Lists the files whose transfer's end was reported to this process, oldest first.")

    public struct Transfer: FieldObject {
        @Field(.fileName) public var name: String
        @Field(.transferEnd) public var code: Int?
        public init() {}
    }
    public typealias Result = [Transfer]
    public init() {}
}

public struct TransferComplicationUserInfo: Command {
    public static let info = CommandInfo(
        "transferCurrentComplicationUserInfo", of: .fullApps,
        "Queues a message for the watch app's complication, before all that waits; fails when the session refuses it.")
    @Field(.transferredContent) public var userInfo: [String: JSONValue]

    public struct Result: FieldObject {
        @Field("Whether it is brought at once; without a complication or budget it waits as any other.")
        public var isCurrentComplicationInfo: Bool
        public init() {}
    }
    public init() {}
}
