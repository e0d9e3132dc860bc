// SPDX-License-Identifier: Apache-2.0

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

    var showsNotification: Bool { !isDisjoint(with: [.alert, .list, .banner]) }
}

/// How the button of a notification behaves.
public struct UNNotificationActionOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt

    /// - Parameter rawValue: the options as bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The device must be unlocked.
    public static let authenticationRequired = UNNotificationActionOptions(rawValue: 1 << 0)
    /// The button is shown as dangerous.
    public static let destructive = UNNotificationActionOptions(rawValue: 1 << 1)
    /// The app comes to the foreground.
    public static let foreground = UNNotificationActionOptions(rawValue: 1 << 2)
}

/// A button of a notification. Immutable. Thread rule: any thread.
public final class UNNotificationAction: NSObject, Sendable {
    /// Passed to the app when the button is tapped.
    public let identifier: String
    /// Label of the button.
    public let title: String
    /// How the button behaves.
    public let options: UNNotificationActionOptions

    /// Creates a button.
    public init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
        (self.identifier, self.title, self.options) = (identifier, title, options)
    }
}

/// How the notifications of a category behave.
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt

    /// - Parameter rawValue: the options as bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The app is notified when the user clears one.
    public static let customDismissAction = UNNotificationCategoryOptions(rawValue: 1 << 0)
}

/// A kind of notifications with its buttons. Immutable. Thread rule: any thread.
public final class UNNotificationCategory: NSObject, Sendable {
    /// `category` of a payload.
    public let identifier: String
    /// The buttons.
    public let actions: [UNNotificationAction]
    /// For Siri; the lab has none.
    public let intentIdentifiers: [String]
    /// How the notifications behave.
    public let options: UNNotificationCategoryOptions

    /// Creates a category.
    public init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {
        (self.identifier, self.actions) = (identifier, actions)
        (self.intentIdentifiers, self.options) = (intentIdentifiers, options)
    }

    /// Categories of the same identifier are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? UNNotificationCategory)?.identifier == identifier
    }
    /// Fits ``isEqual(_:)``.
    public override var hash: Int { identifier.hashValue }
}
