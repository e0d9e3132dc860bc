// SPDX-License-Identifier: Apache-2.0

// The closed lists of words that details of trace events have.

/// The locks of a shared session that an event can be about (sharing.md, section 6).
public enum SharedLockKind: String, CaseIterable, Sendable {
    /// Held for one task.
    case status
    /// Held for one signed request.
    case queue
    /// Held for a critical operation; only ever tried.
    case operation
}

/// What can be wrong with shared memory.
public enum MemoryDamage: String, CaseIterable, Sendable {
    /// Memory without a size: its creator died right after the name was made, or another process has truncated it
    /// (sharing.md, D11).
    case noSize
    /// Memory without content: its creator died before the content was complete (sharing.md, D11).
    case noContent
    /// Memory that is in use, but whose name was removed: a process that starts later would make another.
    case noName
    /// An operation whose owner has died (sharing.md, D1).
    case deadOwner
}

/// Why the system of a device ends the process of an app.
public enum TerminationCause: String, CaseIterable, Codable, Sendable {
    /// The process was suspended with a lock in a group container, `0xdead10cc`.
    case lockInGroupContainer
    /// The system needs memory.
    case memory
    /// The time of an extension is over, `timeLimit` in `lab.yaml`.
    case timeLimit
    /// The app that a push or a background task had woken did not say in time that it has finished.
    case backgroundTime
}

/// Why a device throws a push notification away.
public enum PushDropReason: String, CaseIterable, Codable, Sendable {
    /// The user has not allowed the app to show notifications.
    case notAllowed
    /// The user has ended the app, so that no push launches it.
    case forceQuit
    /// Another one of the app came while the device was offline.
    case replaced
    /// The app is in the foreground and does not want it to be shown.
    case declined
    /// The app was uninstalled while it waited.
    case uninstalled
    /// The process that it was handed to, or for which it waited, ended before it was done with it.
    case processEnded
}

/// Why an app is given a notification.
public enum NotificationOccasion: String, CaseIterable, Codable, Sendable {
    /// It arrived while the app was in the foreground; `willPresent` of the notification centre's delegate.
    case foreground
    /// It wakes the app for work in the background; `didReceiveRemoteNotification` of the app's delegate.
    case background
    /// The user opened it; `didReceive` of the notification centre's delegate.
    case opened
}

/// Why a watch app is given time in the background (watch.md, section 9.9).
public enum BackgroundTaskKind: String, CaseIterable, Codable, Sendable {
    /// The app has asked for it; Apple's `WKApplicationRefreshBackgroundTask`.
    case applicationRefresh
    /// Content of the phone waits for the app; Apple's `WKWatchConnectivityRefreshBackgroundTask`.
    case watchConnectivity
}

/// Where a message on the link goes.
public enum LinkDirection: String, CaseIterable, Codable, Sendable {
    case toWatch, toPhone

    /// The direction in a sentence.
    public var title: String { self == .toWatch ? "to the watch" : "to the phone" }
}

/// What a message on the link is.
public enum LinkMessageKind: String, CaseIterable, Codable, Sendable {
    /// An immediate message.
    case live
    /// The reply to an immediate message, or the error that comes in its place.
    case reply
    /// A guaranteed message.
    case transfer
    /// The confirmation of a message of any kind, or the question for one that is missing.
    case acknowledgement
    /// An application context, of which only the newest counts.
    case context
    /// What a device reports about its apps, from which the other one derives what it can reach.
    case state
}

/// A way in which the link can fail; its name is that of the command.
public enum LinkFaultWord: String, CaseIterable, Codable, Sendable {
    case slow, drop, duplicate, reorder, corrupt, cut
}
