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

/// Why the other agent says goodbye; the sequence number of a `bye` frame.
enum ByeReason: UInt64, Sendable {
    /// The two devices went out of range.
    case outOfRange = 1
    /// The agent ends.
    case shutdown = 2
    /// The app's name was taken over by a newer process.
    case replaced = 3
    /// The frame was of a major version that this agent does not speak.
    case version = 4
    /// The device was erased.
    case erased = 5
}
