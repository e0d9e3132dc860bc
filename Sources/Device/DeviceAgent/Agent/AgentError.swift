/// Why an agent cannot do its work.
public enum AgentError: Error, Equatable, CustomStringConvertible, Sendable {
    /// The topology has no device of this name.
    case unknownDevice(String, known: [String])
    /// Another agent serves the device.
    case alreadyServed(String)
    /// Another process listens at an endpoint.
    case endpointTaken(String)

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .unknownDevice(let name, let known):
            "The instance has no device `\(name)`; its devices are \(known.joined(separator: ", "))."
        case .alreadyServed(let name):
            "The device `\(name)` already has an agent."
        case .endpointTaken(let endpoint):
            "Another process listens at \(endpoint). End it, or start a new instance."
        }
    }
}
