// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import SimulatedDevice

/// The notification state of one app, which the agent keeps across the app's processes.
struct AppNotifications {
    /// What the app gets once its process is neither starting nor being suspended.
    enum Waiting: Equatable {
        /// A notification that is to be seen.
        case visible(DeviceNotification)
        /// A notification that is for work in the background.
        case background(DeviceNotification)
        /// A notification that the user has opened.
        case opened(DeviceNotification, action: String?)

        /// Whether it is this notification, which is for work in the background.
        func isBackground(_ id: String) -> Bool { if case .background(let own) = self { own.id == id } else { false } }

        /// Whether it is this notification, which the user has opened.
        func isOpened(_ id: String) -> Bool { if case .opened(let own, _) = self { own.id == id } else { false } }
    }

    /// How long an app that was woken may work, by the lab's clock.
    static let workLimit = LabDuration.seconds(30)

    /// The user has ended the app, so that nothing launches it but the user.
    var isForceQuit = false
    /// In the order of arrival.
    var waiting: [Waiting] = []
    /// What the app's process was given for work or by the user, and has not confirmed. What it is to decide about is in
    /// ``NotificationCenterRecord/App/undecided``, which outlives the device's agent.
    var handed: [Waiting] = []
    /// The work of an app that was woken or launched for it; nil for one that runs for another reason.
    var work: Work?
    /// The dialog that waits for the user's answer: the requests to be answered.
    var prompt: [UUID] = []

    /// The process has confirmed what it was given first of some kind.
    mutating func confirm(_ isMeant: (Waiting) -> Bool) {
        if let index = handed.firstIndex(where: isMeant) { handed.remove(at: index) }
    }

    /// Work in the background.
    struct Work: Equatable {
        /// Identifiers of the notifications that it is about.
        var open: Set<String> = []
        /// When the system ends an app that has not finished.
        var end: LabTime
    }
}

/// The phase of an app, as far as it matters for a notification or a background task.
enum NotificationPlace: Equatable {
    /// Its process is starting; it may become visible.
    case starting
    /// It is visible.
    case foreground
    /// It runs, but is not visible.
    case background
    /// It is about to be suspended: it is not visible, and no longer takes work.
    case fallingAsleep
    case suspended
    case ended

    /// - Parameter isScreenOn: false for a locked device, where no app is visible.
    init(_ process: AppProcess, isScreenOn: Bool) {
        switch process.phase {
        case .notRunning: self = .ended
        case .launching: self = .starting
        case .suspending: self = .fallingAsleep
        case .suspended: self = .suspended
        case .running:
            if !process.isReady {
                self = .starting
            } else {
                self = process.isForeground && isScreenOn ? .foreground : .background
            }
        }
    }
    /// Whether the process is neither starting nor being suspended.
    var isSettled: Bool { self != .starting && self != .fallingAsleep }
}

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

    /// A notification no longer waits for the decision of an app; nil when it did not.
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

    mutating func forget(_ names: [String]) {
        for name in names {
            apps[name] = nil
            remove(nil, of: name)
        }
    }

    /// Unguessable bytes, as the push service makes them.
    private static func newToken() -> Data { Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }) }
}

typealias NotificationStore = RecordStore<NotificationCenterRecord>

extension NotificationStore {
    convenience init(layout: InstanceLayout, device: String) throws {
        try self.init(layout: layout, device: device, file: "notifications.json", empty: NotificationCenterRecord())
    }
}
