// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore
public import LabPoints

extension Vocabulary {
    /// Commands by which an app takes part in push notifications.
    static let pushCommands: [any Command.Type] = [RegisterForRemoteNotifications.self, ReceivedNotifications.self]
}

public struct RegisterForRemoteNotifications: Command {
    public static let info = CommandInfo(
        "registerForRemoteNotifications", of: .fullApps,
        "Asks the user whether notifications may be shown, without waiting for the answer, and the system for the device "
            + "token.")
    @Field(
        "Whether the app calls the completion handlers that come with notifications: it has decided, has done what the user wants, or has finished its work in the background, as every app must within 30 seconds."
    )
    public var finishesWork: Bool = true

    public struct Result: FieldObject {
        @Field(.deviceToken) public var token: String
        public init() {}
    }
    public init() {}
}

public struct ReceivedNotifications: Command {
    public static let info = CommandInfo(
        "receivedNotifications", of: .fullApps,
        "Lists the notifications that the system has handed to this process, oldest first.")

    public struct Notification: FieldObject {
        @Field("Identifier of the notification; nothing for one that is for work in the background.")
        public var id: String?
        @Field("Whether it came in the foreground, is for work in the background, or was opened by the user.")
        public var occasion: NotificationOccasion
        @Field("For one that was opened: the button, or the system's name of the notification itself.")
        public var action: String?
        @Field(.pushPayload) public var userInfo: [String: JSONValue]
        public init() {}
    }
    public typealias Result = [Notification]
    public init() {}
}
