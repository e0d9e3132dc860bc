// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands of an app that reads the user's inbox, and its part in push messages.
    static let inboxCommands: [any Command.Type] = [
        RegisterDeviceToken.self, ParseNotification.self, GetUnreadCount.self, GetMessageList.self,
        GetMessageDetail.self, MarkRead.self, MarkAllRead.self, GetAllMessages.self,
    ]
}

// mobile-token.md, section 12.1
public struct RegisterDeviceToken: Command {
    public static let info = CommandInfo(
        "registerDeviceTokenForPushNotifications", of: .app,
        "Sends the server the token under which push messages reach this app.")
    @Field(.deviceToken) public var token: String
    public init() {}
}

// mobile-token.md, section 12.4
public struct ParseNotification: Command {
    public static let info = CommandInfo(
        "parseNotification", of: .app, "Shows what a push message is about; nothing when it is not one of Mobile Token."
    )
    @Field("Content of the push message.") public var userInfo: [String: JSONValue]

    public struct Message: FieldObject {
        @Field("What it is about.") public var kind: Kind
        @Field(.operationId) public var operationId: String?
        @Field("Name of the operation.") public var operationName: String?
        @Field("How the operation ended.") public var operationResult: String?
        @Field("Title shown to the user.") public var title: String?
        @Field("Text shown to the user.") public var message: String?
        @Field("Identifier of the message in the inbox.") public var inboxId: String?
        public init() {}
    }

    public enum Kind: String, Choice {
        case operationCreated, operationFinished, inboxMessageReceived
    }
    public typealias Result = Message?
    public init() {}
}

/// A message of the inbox as the app lists it.
public struct InboxMessage: FieldObject {
    @Field(.messageId) public var id: String
    @Field(.bodyFormat) public var type: Format
    @Field(.messageSubject) public var subject: String
    @Field(.messageSummary) public var summary: String
    @Field("Whether it has been read.") public var read: Bool
    @Field(.creationTime) public var timestampCreated: Double
    @Field("The text; only in a detail.") public var body: String?

    /// How a body is written.
    public enum Format: String, Choice {
        case text, html
    }
    public init() {}
}

// mobile-token.md, section 13.1
public struct GetUnreadCount: Command {
    public static let info = CommandInfo("getUnreadCount", of: .app, "Counts the unread messages of the inbox.")

    public struct Result: FieldObject {
        @Field("Number of unread messages.") public var countUnread: Int
        public init() {}
    }
    public init() {}
}

public struct GetMessageList: Command {
    public static let info = CommandInfo("getMessageList", of: .app, "Fetches one page of the inbox, newest first.")
    @Field("Number of the page, from 0.") public var pageNumber: Int = 0
    @Field(.pageSize) public var pageSize: Int = 50
    @Field(.onlyUnread) public var onlyUnread: Bool = false
    public typealias Result = [InboxMessage]
    public init() {}
}

public struct GetMessageDetail: Command {
    public static let info = CommandInfo(
        "getMessageDetail", of: .app, "Fetches a message of the inbox with its text; it stays unread.")
    @Field(.messageId) public var messageId: String
    public typealias Result = InboxMessage
    public init() {}
}

public struct MarkRead: Command {
    public static let info = CommandInfo("markRead", of: .app, "Marks a message of the inbox as read.")
    @Field(.messageId) public var messageId: String
    public init() {}
}

public struct MarkAllRead: Command {
    public static let info = CommandInfo("markAllRead", of: .app, "Marks all messages of the inbox as read.")
    public init() {}
}

// mobile-token.md, section 13.3
public struct GetAllMessages: Command {
    public static let info = CommandInfo("getAllMessages", of: .app, "Fetches the inbox page by page.")
    @Field(.pageSize) public var pageSize: Int = 100
    @Field("Stops when so many have come; 0 means all.") public var messageLimit: Int = 1000
    @Field(.onlyUnread) public var onlyUnread: Bool = false
    public typealias Result = [InboxMessage]
    public init() {}
}
