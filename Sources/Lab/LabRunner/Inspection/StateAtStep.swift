internal import LabKit

/// What held at one moment of a recorded scenario, put together from what its processes have told until then.
///
/// An immutable value once it is made. Thread rule: any thread.
public struct StateAtStep: Codable, Equatable, Sendable {
    /// Version of the document for programs; it grows when a member changes its meaning.
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

    /// The activation as the SDK of an app has told of it last.
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
        /// For how long, in milliseconds.
        var milliseconds: Double
    }

    /// An operation that excludes other apps.
    struct Operation: Codable, Equatable {
        let type: String
        let app: String
        /// For how long, in milliseconds.
        var milliseconds: Double
    }

    /// An item of a keychain; its value is in no trace.
    struct Item: Codable, Equatable {
        let accessGroup: String
        let service: String
        let account: String
        /// Who has written it last.
        var writer: String
    }

    /// An activation as the server has stored it.
    struct Activation: Codable, Equatable {
        let activationId: String
        var status: String
        var reason: String?
    }

    /// A link between two devices, as either end has told of it last.
    struct Link: Codable, Equatable {
        let link: String
        var endsThatAreUp: [String] = []
        /// Identifiers of the guaranteed messages that were accepted, and of whose end no app has heard.
        var underWay: [String] = []
    }

    /// The watch session of an app.
    struct WatchSession: Codable, Equatable {
        let app: String
        var isPaired: Bool
        var isInstalled: Bool
        var isReachable: Bool
    }

    /// An HTTP request without an answer.
    struct Request: Codable, Equatable {
        let app: String
        let path: String
        /// For how long, in milliseconds.
        var milliseconds: Double
    }

    /// The lab's clock, when it was changed.
    struct Clock: Codable, Equatable {
        /// How far it is ahead of real time, in milliseconds.
        let offset: Int
        let isFrozen: Bool
        let rate: Int
    }

    var version = Self.version
    /// The run's identifier.
    var run = ""
    /// The scenario, with its row and its round.
    var scenario = ""
    /// The step after which it is; nil before the first.
    var step: String?
    /// Since the scenario began.
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
