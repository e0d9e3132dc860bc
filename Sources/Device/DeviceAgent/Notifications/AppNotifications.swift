import Foundation
import LabKit
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

/// The phase of an app, as far as it matters for a notification.
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
