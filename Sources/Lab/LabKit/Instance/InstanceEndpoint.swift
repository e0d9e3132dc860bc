/// A socket of an instance: who answers there.
///
/// The name of its file is made and read here only. Names of actors follow the rules of `InstanceLayout`, which
/// checks them when it makes a path.
public enum InstanceEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// The control endpoint of an app's process.
    case peer(String)
    /// The control endpoint of a device's agent.
    case agent(String)
    /// The control endpoint of the server.
    case server
    /// Where the agent of a device serves the watch sessions of its apps.
    case apps(device: String)
    /// Where an instance that another host has joined is asked to bring it up to date.
    case join
    /// Where the agents of two paired devices meet.
    case link(String)

    /// The name of the socket's file.
    public var fileName: String {
        switch self {
        case .peer(let app): "p.\(app)"
        case .agent(let device): "a.\(device)"
        case .server: "server"
        case .join: "join"
        case .apps(let device): "w.\(device)"
        case .link(let link): "l.\(link)"
        }
    }

    /// The endpoint behind the name of a file; nil for any other name.
    public init?(fileName: String) {
        if fileName == "server" {
            self = .server
            return
        }
        if fileName == "join" {
            self = .join
            return
        }
        let parts = fileName.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        let name = String(parts[1])
        switch parts[0] {
        case "p": self = .peer(name)
        case "a": self = .agent(name)
        case "w": self = .apps(device: name)
        case "l": self = .link(name)
        default: return nil
        }
    }

    /// The name of the app, device or link that answers there, as a topology spells it; `server` for the server.
    public var actor: String {
        switch self {
        case .peer(let name), .agent(let name), .apps(let name), .link(let name): name
        case .server: "server"
        case .join: "join"
        }
    }

    /// The answering process in a sentence.
    public var description: String {
        switch self {
        case .peer(let app): "the app \(app)"
        case .agent(let device), .apps(let device): "the agent of \(device)"
        case .server: "the server"
        case .join: "the runner of the instance"
        case .link(let link): "the link \(link)"
        }
    }
}
