import Foundation
import LabKit
import SimulatedDevice

/// What the system of a device keeps about notifications: device tokens, what the user allows, what is shown.
///
/// A value that knows the rules and does nothing else. It survives the end of apps and of the agent, and an app's part
/// ends with its installation.
struct NotificationCenterRecord: Codable, Equatable, Sendable {
    /// What belongs to one installation of an app.
    struct App: Codable, Equatable, Sendable {
        /// Its device token; nil until it has registered.
        var token: Data?
        /// Whether it wants pushes.
        var isRegistered = false
        var authorization = NotificationAuthorization.notDetermined
        /// What the user will answer when the app asks.
        var answer: Bool?
        /// The number on its icon.
        var badge = 0
        /// The newest notification that came while the device was offline.
        var kept: DeviceNotification?
        /// Those that the app in the foreground is to decide about, or will be once it has started. Oldest first.
        var undecided: [DeviceNotification] = []
    }

    /// A notification that the system shows.
    struct Shown: Codable, Equatable, Sendable {
        var app: String
        var notification: DeviceNotification
    }

    /// By actor name.
    private(set) var apps: [String: App] = [:]
    /// Oldest first.
    private(set) var shown: [Shown] = []

    subscript(app: String) -> App {
        get { apps[app] ?? App() }
        set { apps[app] = newValue }
    }

    /// The device token of an app, made at its first registration.
    mutating func register(_ app: String) -> Data {
        let token = self[app].token ?? Self.newToken()
        self[app].token = token
        self[app].isRegistered = true
        return token
    }

    /// The app that receives the pushes for a token, which may be written in upper or lower case; nil for an unknown
    /// token.
    func app(withToken token: String) -> String? {
        apps.first { $0.value.isRegistered && $0.value.token?.deviceTokenText == token.lowercased() }?.key
    }

    /// Leaves a notification to the decision of an app; it replaces an earlier one with the same identifier.
    mutating func leave(_ notification: DeviceNotification, to app: String) {
        self[app].undecided.removeAll { $0.id == notification.id }
        self[app].undecided.append(notification)
    }

    /// A notification no longer waits for the decision of an app.
    ///
    /// - Returns: The notification; nil when it was not.
    mutating func take(_ id: String, from app: String) -> DeviceNotification? {
        guard let index = self[app].undecided.firstIndex(where: { $0.id == id }) else { return nil }
        return self[app].undecided.remove(at: index)
    }

    /// Shows a notification; it replaces an earlier one of the app with the same identifier.
    mutating func show(_ notification: DeviceNotification, of app: String) {
        remove([notification.id], of: app)
        shown.append(Shown(app: app, notification: notification))
    }

    /// Removes notifications of an app; nil removes all.
    mutating func remove(_ ids: [String]?, of app: String) {
        shown.removeAll { $0.app == app && ids?.contains($0.notification.id) != false }
    }

    /// The apps were removed from the device.
    mutating func forget(_ names: [String]) {
        for name in names {
            apps[name] = nil
            remove(nil, of: name)
        }
    }

    /// Unguessable bytes, as the push service makes them.
    private static func newToken() -> Data {
        Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
    }
}
