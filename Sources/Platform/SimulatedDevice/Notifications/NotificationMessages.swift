public import Foundation

/// A request or report of an app about its notifications; body of `notificationRequest`.
public enum NotificationRequest: Codable, Equatable, Sendable {
    /// The device token is wanted; answered by ``NotificationAnswer/token(_:)`` or a refusal.
    case register
    /// No more pushes.
    case unregister
    /// The user is to be asked; `isQuiet` lets the system allow it without a dialog, for notifications that make no noise.
    case requestAuthorization(isQuiet: Bool)
    /// The settings are wanted.
    case settings
    /// The app's notifications that the system shows are wanted.
    case shown
    /// Notifications of the app are to be removed; nil means all.
    case remove([String]?)
    /// The number for the app's icon.
    case setBadge(Int)
    /// The app was in the foreground when the notification arrived and decides how it is presented.
    case presented(id: String, isShown: Bool, setsBadge: Bool)
    /// The app has finished its work on a notification in the background.
    case finished(id: String)
    /// The app has handled the notification that the user opened.
    case handled(id: String)
}

/// The system's answer to a ``NotificationRequest``; body of `notificationAnswer`.
public enum NotificationAnswer: Codable, Equatable, Sendable {
    /// The device token.
    case token(Data)
    /// Why it cannot be.
    case refused(String)
    /// What the user allows.
    case authorization(NotificationAuthorization)
    /// The notifications that are shown, oldest first.
    case shown([DeviceNotification])
    /// Nothing more to say.
    case done
}

/// What the system hands to an app; body of `notification`.
public enum NotificationNews: Codable, Equatable, Sendable {
    /// It arrived while the app is in the foreground; the app answers with ``NotificationRequest/presented``.
    case arrived(DeviceNotification)
    /// It is for work in the background; the app answers with ``NotificationRequest/finished``.
    case background(DeviceNotification)
    /// The user has opened it; the action is a button, or nil for the notification itself. The app answers with
    /// ``NotificationRequest/handled``.
    case opened(DeviceNotification, action: String?)
}

/// Whether an app may show notifications.
public enum NotificationAuthorization: String, Codable, Sendable {
    /// The user was not asked.
    case notDetermined
    /// The user has refused.
    case denied
    /// The user allows it.
    case authorized
    /// The user was not asked; notifications make no sound.
    case provisional

    /// Whether notifications are shown.
    public var allows: Bool { self == .authorized || self == .provisional }
}
