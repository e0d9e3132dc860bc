import LabKit

/// The state at one moment of a recorded scenario, derived from the trace events of its processes until then.
///
/// An immutable value once it is made. Thread rule: any thread.
public struct StateAtStep: Codable, Equatable, Sendable {
    /// Version of the JSON document; increased when a member changes its meaning.
    public static let version = 1

    /// A process that has been started.
    struct Process: Codable, Equatable {
        enum State: String, Codable {
            case running, suspended, ended
        }

        let name: String
        let incarnation: Int
        var pid: Int?
        var state = State.running
        /// Why it ended.
        var reason: String?
    }

    /// The activation as last reported by the SDK of an app.
    struct Session: Codable, Equatable {
        let app: String
        var hasActivation: Bool?
        /// The change counter of a shared session.
        var counter: Int?
        /// Names of the tokens that this app has stored.
        var tokens: [String] = []
    }

    /// A lock that an app holds or waits for.
    struct Lock: Codable, Equatable {
        let lock: String
        let app: String
        var isHeld: Bool
        /// Duration in milliseconds.
        var milliseconds: Double
    }

    /// An operation that excludes other apps.
    struct Operation: Codable, Equatable {
        let type: String
        let app: String
        /// Duration in milliseconds.
        var milliseconds: Double
    }

    /// A keychain item, without its value, which no trace contains.
    struct Item: Codable, Equatable {
        let accessGroup: String
        let service: String
        let account: String
        /// The app that wrote it last.
        var writer: String
    }

    /// An activation as the server has stored it.
    struct Activation: Codable, Equatable {
        let activationId: String
        var status: String
        var reason: String?
    }

    /// A link between two devices, as last reported by either end.
    struct Link: Codable, Equatable {
        let link: String
        var endsThatAreUp: [String] = []
        /// Identifiers of guaranteed messages that were accepted and whose outcome was not reported to any app yet.
        var underWay: [String] = []
    }

    /// The watch session of an app.
    struct WatchSession: Codable, Equatable {
        let app: String
        var isPaired: Bool
        var isInstalled: Bool
        var isReachable: Bool
    }

    /// An HTTP request without a response.
    struct Request: Codable, Equatable {
        let app: String
        let path: String
        /// Duration in milliseconds.
        var milliseconds: Double
    }

    /// The lab's clock, if it was changed.
    struct Clock: Codable, Equatable {
        /// Its offset from real time, in milliseconds.
        let offset: Int
        let isFrozen: Bool
        let rate: Int
    }

    var version = Self.version
    /// The run's identifier.
    var run = ""
    /// The scenario, with its row and its round.
    var scenario = ""
    /// The last step before the moment; nil before the first.
    var step: String?
    /// The time since the scenario began.
    var milliseconds = 0.0
    var processes: [Process] = []
    var sessions: [Session] = []
    var keychain: [Item] = []
    var locks: [Lock] = []
    var operations: [Operation] = []
    var activations: [Activation] = []
    var requests: [Request] = []
    var links: [Link] = []
    var watchSessions: [WatchSession] = []
    var lockedDevices: [String] = []
    var clock: Clock?
}
