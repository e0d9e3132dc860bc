// SPDX-License-Identifier: Apache-2.0

package import SimulatedDevice

/// What an app asks the user for.
public struct UNAuthorizationOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt

    /// - Parameter rawValue: the options as bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A number on the app's icon.
    public static let badge = UNAuthorizationOptions(rawValue: 1 << 0)
    /// Sounds.
    public static let sound = UNAuthorizationOptions(rawValue: 1 << 1)
    /// Something to see.
    public static let alert = UNAuthorizationOptions(rawValue: 1 << 2)
    /// Notifications in the car.
    public static let carPlay = UNAuthorizationOptions(rawValue: 1 << 3)
    /// Sounds also of a muted device.
    public static let criticalAlert = UNAuthorizationOptions(rawValue: 1 << 4)
    /// A button in the system's settings.
    public static let providesAppNotificationSettings = UNAuthorizationOptions(rawValue: 1 << 5)
    /// Without a dialog; notifications make no noise.
    public static let provisional = UNAuthorizationOptions(rawValue: 1 << 6)
}

/// Whether an app may show notifications.
public enum UNAuthorizationStatus: Int, Sendable {
    /// The user was not asked.
    case notDetermined = 0
    /// The user has refused.
    case denied = 1
    /// The user allows it.
    case authorized = 2
    /// The user was not asked; notifications make no sound.
    case provisional = 3
    /// For app clips; the lab has none.
    case ephemeral = 4
}

extension UNAuthorizationStatus {
    package init(_ authorization: NotificationAuthorization) {
        self =
            switch authorization {
            case .notDetermined: .notDetermined
            case .denied: .denied
            case .authorized: .authorized
            case .provisional: .provisional
            }
    }
}

/// Whether a part of notifications is switched on.
public enum UNNotificationSetting: Int, Sendable {
    /// The app has no use of it.
    case notSupported = 0
    /// The user has refused.
    case disabled = 1
    /// The user allows it.
    case enabled = 2
}

/// What the user allows the app. Immutable. Thread rule: any thread.
public final class UNNotificationSettings: NSObject, Sendable {
    /// Whether the app may show notifications.
    public let authorizationStatus: UNAuthorizationStatus

    package init(authorizationStatus: UNAuthorizationStatus) { self.authorizationStatus = authorizationStatus }

    /// Whether something is shown.
    public var alertSetting: UNNotificationSetting { setting(isLoud: true) }
    /// Whether the app's icon has a number.
    public var badgeSetting: UNNotificationSetting { setting(isLoud: true) }
    /// Whether there are sounds.
    public var soundSetting: UNNotificationSetting { setting(isLoud: true) }
    /// Whether the locked screen shows them.
    public var lockScreenSetting: UNNotificationSetting { setting(isLoud: true) }
    /// Whether the list of notifications shows them.
    public var notificationCenterSetting: UNNotificationSetting { setting(isLoud: false) }

    private func setting(isLoud: Bool) -> UNNotificationSetting {
        switch authorizationStatus {
        case .notDetermined, .ephemeral: .notSupported
        case .denied: .disabled
        case .authorized: .enabled
        case .provisional: isLoud ? .disabled : .enabled
        }
    }
}

/// Domain of the errors of notifications.
public let UNErrorDomain = "UNErrorDomain"

/// An error of notifications.
public struct UNError: Error, CustomNSError, Equatable, Sendable {
    /// What is wrong.
    public enum Code: Int, Sendable {
        /// The user does not allow the app to show notifications.
        case notificationsNotAllowed = 1
    }

    /// Domain of the errors of notifications.
    public static var errorDomain: String { UNErrorDomain }

    /// What is wrong.
    public let code: Code

    /// Creates an error.
    public init(_ code: Code) { self.code = code }

    /// The number of the code.
    public var errorCode: Int { code.rawValue }
}
