/// Body of `userInfoRefusal`: why the receiver does not take a transfer.
struct RefusalBody: Codable, Equatable, Sendable {
    /// A `WCError.Code`.
    var code: Int
}

/// Body of `state` between two agents: what a device publishes about its apps.
struct PublishedState: Codable, Equatable, Sendable {
    /// One app of the device.
    struct App: Codable, Equatable, Sendable {
        /// Whether the app is on the device.
        var isInstalled = true
        /// Whether a process of the app is attached.
        var isAttached = false
        /// Whether its watch session is activated.
        var isActivated = false
        /// Watch only: what the app itself sees as reachable.
        var isReachable = false
        /// Watch only: whether the face shows a complication of the app.
        var hasComplication = false
    }

    /// Whether the device was unlocked since it started.
    var isUnlocked = true
    /// The device's apps that take part in this link, by actor name.
    var apps: [String: App] = [:]
}

/// Where an app of this device is in its life, as far as the link cares.
struct AppPresence: Equatable, Sendable {
    /// A process of the app is attached to the agent.
    var isAttached = false
    /// Its watch session is activated.
    var isActivated = false
    /// It is in the foreground.
    var isForeground = false
    /// It is stopped.
    var isSuspended = false
}

/// Why the other agent ends the connection; the sequence number of a `bye` frame.
enum ByeReason: UInt64, Sendable {
    /// The two devices went out of range.
    case outOfRange = 1
    /// The agent ends.
    case shutdown = 2
    /// The app's name was taken over by a newer process.
    case replaced = 3
    /// The frame has a major version that this agent does not support.
    case version = 4
    /// The device was erased.
    case erased = 5
    /// The phone uses another watch from now on.
    case switched = 6
    /// The phone is no longer paired with the watch; the epoch of the frame names the pairing that has ended.
    case unpaired = 7
}

/// How much a queue of a link holds; more is refused with `WCError` 7015 (watch.md, section 9.7).
struct QueueCapacity: Equatable, Sendable {
    /// Greatest number of transfers.
    var transfers = 20_000
    /// Contents together, in bytes; the last transfer that is taken may exceed it.
    var size = 64 * 1024 * 1024

    func isFull(transfers count: Int, size bytes: Int) -> Bool { count >= transfers || bytes >= size }
}

/// The last received state of the other device.
struct StateVersion: Equatable, Sendable {
    /// The process of the other agent that has counted it.
    var process: UInt64 = 0
    /// Its number, from 1; 0 for none.
    var number: UInt64 = 0
}
