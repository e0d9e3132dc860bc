import Foundation
import LabKit
import SimulatedDevice

/// What one app has to do with notifications at the moment, as the agent keeps it while the app's process comes and goes.
struct AppNotifications {
    /// What the app is to be given as soon as its process is neither starting nor falling asleep.
    enum Waiting: Equatable {
        /// A notification that is to be seen.
        case visible(DeviceNotification)
        /// A notification that is for work in the background.
        case background(DeviceNotification)
        /// A notification that the user has opened.
        case opened(DeviceNotification, action: String?)
    }

    /// How long an app that was woken may work, by the lab's clock.
    static let workLimit = LabDuration.seconds(30)

    /// The user has ended the app, so that nothing launches it but the user.
    var isForceQuit = false
    /// In the order of arrival.
    var waiting: [Waiting] = []
    /// Notifications that the app was given in the foreground and has not decided about.
    var undecided: [String: DeviceNotification] = [:]
    /// The work of an app that was woken or launched for it; nil for one that runs for another reason.
    var work: Work?
    /// The dialog that waits for the user's answer: the requests to be answered.
    var prompt: [UUID] = []

    /// Work in the background.
    struct Work: Equatable {
        /// Identifiers of the notifications that it is about.
        var open: Set<String> = []
        /// When the system ends an app that has not finished.
        var end: LabTime
    }
}

/// Where an app is in its life, as far as a notification is concerned.
enum NotificationPlace: Equatable {
    /// Its process is starting: the user will look at it in a moment, or not.
    case starting
    /// The user looks at it.
    case foreground
    /// It runs, and the user does not look at it.
    case background
    /// It is about to be suspended: the user does not look at it, and it takes nothing any more.
    case fallingAsleep
    case suspended
    case ended

    /// - Parameter isScreenOn: false for a locked device, where nobody looks at any app.
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
    /// Whether the process takes what is for it, or will not before something happens.
    var isSettled: Bool { self != .starting && self != .fallingAsleep }
}
