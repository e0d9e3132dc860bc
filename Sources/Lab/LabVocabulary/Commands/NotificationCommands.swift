// SPDX-License-Identifier: Apache-2.0

public import LabCore

extension Vocabulary {
    /// Commands about the notifications of a device.
    static let notificationCommands: [any Command.Type] = [
        DeliverPush.self, ShownNotifications.self, TapNotification.self, DismissNotification.self,
    ]
    /// Commands about the notifications of an app, which its device carries out.
    static let appNotificationCommands: [any Command.Type] = [AllowNotifications.self, IconBadge.self]
}

public struct DeliverPush: Command {
    public static let info = CommandInfo(
        "deliverPush", of: .device,
        "Brings a push notification to the app with a device token, as the push service does; a device that is "
            + "offline gets the last one of each app when it is online again.")
    @Field(.deviceToken) public var token: String
    @Field(.pushPayload) public var payload: [String: JSONValue]
    @Field("Identifier of the notification; a new one when left out.") public var id: String?
    @Field("The push service that brings it; that of the app when left out.") public var environment: PushEnvironment?

    public struct Result: FieldObject {
        @Field(.notificationId) public var id: String
        @Field("Whether it waits for the device to be online.") public var isKept: Bool
        public init() {}
    }
    public init() {}
}

public struct ShownNotifications: Command {
    public static let info = CommandInfo(
        "notifications", of: .device, "Lists the notifications that the system shows, newest first.")
    @Field("Only those of this app.") public var app: String?

    public struct Notification: FieldObject {
        @Field(.notificationId) public var id: String
        @Field(.appName) public var app: String
        @Field(.title) public var title: String
        @Field("Second line of the title.") public var subtitle: String
        @Field("Text.") public var body: String
        @Field("Category, which decides about its buttons; empty when it has none.") public var category: String
        @Field(.pushPayload) public var userInfo: [String: JSONValue]
        public init() {}
    }
    public typealias Result = [Notification]
    public init() {}
}

public struct TapNotification: Command {
    public static let info = CommandInfo(
        "tapNotification", of: .device,
        "Opens a notification as the user does: the app comes to the foreground, launched if need be, and is notified.")
    @Field(.shownNotification) public var id: String?
    @Field("Identifier of the button that is tapped; the notification itself when left out.") public var action: String?
    public init() {}
}

public struct DismissNotification: Command {
    public static let info = CommandInfo(
        "dismissNotification", of: .device, "Clears a notification as the user does; the app is not notified.")
    @Field(.shownNotification) public var id: String?
    public init() {}
}

public struct AllowNotifications: Command {
    public static let info = CommandInfo(
        "allowNotifications", of: .process,
        "Answers the dialog in which the app asks to show notifications, now or in advance, or changes the answer, as "
            + "in the device's settings.")
    @Field("Whether the app may show notifications.") public var isAllowed: Bool = true
    public init() {}
}

public struct IconBadge: Command {
    public static let info = CommandInfo("badge", of: .process, "Shows the number on the app's icon; 0 for none.")
    public typealias Result = Int
    public init() {}
}
