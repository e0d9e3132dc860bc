/// Body of `hello` and `welcome` between two agents: the sender, and how far guaranteed transfers have come.
struct GreetingBody: Codable, Equatable, Sendable {
    /// Name of the sending device.
    var device: String
    /// Differs for each process of the agent, so that a restart is noticed.
    var nonce: UInt64
    /// Process identifier of the agent. Its end is the end of the link.
    var pid: Int32
    /// Identifies the speaker's outbox.
    var epoch: UInt64
    /// The listener's outbox as the speaker knows it, and the last transfer that arrived from it.
    var receivedEpoch: UInt64
    /// Sequence number of that transfer; 0 for none.
    var receivedSequence: UInt64
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
}
