package import SimulatedDevice

/// What makes a notification appear. Immutable. Thread rule: any thread.
open class UNNotificationTrigger: NSObject, @unchecked Sendable {
    // Safe: there is nothing in it, and the subclass of this module adds nothing.

    /// Whether it makes the notification appear again and again.
    public let repeats = false

    override init() {}
}

/// A push made the notification appear.
public final class UNPushNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    // Safe: there is nothing in it.
}

/// The wish to show a notification. Immutable. Thread rule: any thread.
public final class UNNotificationRequest: NSObject, @unchecked Sendable {
    // Safe: the content is a copy of the class that never changes, and nothing else has it.

    /// Identifies it; a later one with the same name replaces it.
    public let identifier: String
    /// The content.
    public let content: UNNotificationContent
    /// What makes it appear.
    public let trigger: UNNotificationTrigger?

    /// Creates a request with a copy of a content.
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = UNNotificationContent(parts: content.parts)
        self.trigger = trigger
    }
}

/// A notification that the system has received. Immutable. Thread rule: any thread.
public final class UNNotification: NSObject, Sendable {
    /// When it arrived.
    public let date: Date
    /// The content, and what triggered it.
    public let request: UNNotificationRequest

    package init(_ notification: DeviceNotification) {
        date = Date(timeIntervalSince1970: Double(notification.date) / 1_000)
        request = UNNotificationRequest(
            identifier: notification.id, content: UNNotificationContent(notification),
            trigger: UNPushNotificationTrigger())
    }
}

/// The action of a user who opens the notification itself.
public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
/// The action of a user who clears the notification; the lab's system never reports it.
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

/// What the user has done with a notification. Immutable. Thread rule: any thread.
public final class UNNotificationResponse: NSObject, Sendable {
    /// The notification.
    public let notification: UNNotification
    /// Identifier of the button, or ``UNNotificationDefaultActionIdentifier``.
    public let actionIdentifier: String

    package init(_ notification: DeviceNotification, action: String?) {
        self.notification = UNNotification(notification)
        actionIdentifier = action ?? UNNotificationDefaultActionIdentifier
    }
}

/// Presentation of a notification that arrives while the app is in the foreground.
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt

    /// - Parameter rawValue: the options as bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The number on the app's icon changes.
    public static let badge = UNNotificationPresentationOptions(rawValue: 1 << 0)
    /// The sound is played.
    public static let sound = UNNotificationPresentationOptions(rawValue: 1 << 1)
    /// It is shown, in the words of before iOS 14.
    public static let alert = UNNotificationPresentationOptions(rawValue: 1 << 2)
    /// It goes into the list of notifications.
    public static let list = UNNotificationPresentationOptions(rawValue: 1 << 3)
    /// It is shown as a banner.
    public static let banner = UNNotificationPresentationOptions(rawValue: 1 << 4)

    /// Whether the user sees the notification.
    var showsNotification: Bool { !isDisjoint(with: [.alert, .list, .banner]) }
}
