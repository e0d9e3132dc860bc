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
