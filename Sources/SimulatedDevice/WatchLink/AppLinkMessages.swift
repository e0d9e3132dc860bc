public import Foundation

/// Body of `attach`: who the process is.
public struct AttachBody: Codable, Equatable, Sendable {
    /// Actor name of the app.
    public var name: String
    /// Process identifier.
    public var pid: Int32
    /// Number of the process among those of the same app, from 1.
    public var incarnation: Int

    /// Creates the body.
    public init(name: String, pid: Int32, incarnation: Int) {
        self.name = name
        self.pid = pid
        self.incarnation = incarnation
    }
}

/// Body of `welcome` on the app link: the agent that the process is attached to.
public struct AttachedBody: Codable, Equatable, Sendable {
    /// Process identifier of the agent. Its death is the crash of the device.
    public var agentPid: Int32

    /// Creates the body.
    public init(agentPid: Int32) {
        self.agentPid = agentPid
    }
}

/// What a watch session shows about the other side; body of `event`.
public struct WatchCounterpartState: Codable, Equatable, Sendable {
    /// Phone: a watch is paired. Watch: always true.
    public var isPaired: Bool
    /// Whether the counterpart app is installed on the other device.
    public var isCounterpartInstalled: Bool
    /// Whether a live message would be delivered now (watch.md, section 9.3).
    public var isReachable: Bool

    /// Creates a state.
    public init(isPaired: Bool = false, isCounterpartInstalled: Bool = false, isReachable: Bool = false) {
        self.isPaired = isPaired
        self.isCounterpartInstalled = isCounterpartInstalled
        self.isReachable = isReachable
    }
}

/// Body of `activate` from the agent: the session can be used.
public struct ActivatedBody: Codable, Equatable, Sendable {
    /// A transfer of the app that is still queued.
    public struct Transfer: Codable, Equatable, Sendable {
        /// Identifier of the transfer.
        public var transferId: UUID
        /// Its content.
        public var body: Data

        /// Creates the entry.
        public init(transferId: UUID, body: Data) {
            self.transferId = transferId
            self.body = body
        }
    }

    /// What the session shows.
    public var state: WatchCounterpartState
    /// The app's queued transfers, oldest first.
    public var outstanding: [Transfer]

    /// Creates the body.
    public init(state: WatchCounterpartState, outstanding: [Transfer] = []) {
        self.state = state
        self.outstanding = outstanding
    }
}

/// Body of `appState` from the agent: where the app is in its life.
public struct AppStateBody: Codable, Equatable, Sendable {
    /// True when the app comes to the foreground, false when it goes to the background.
    public var isForeground: Bool

    /// Creates the body.
    public init(isForeground: Bool) {
        self.isForeground = isForeground
    }
}
