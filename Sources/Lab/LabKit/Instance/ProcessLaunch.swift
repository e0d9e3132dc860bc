/// How a device starts the process of an app: the words of its command line, which the device writes and the program reads.
///
/// An argument library looks at every option of a program by reflection, which takes a fifth of the time until a process
/// answers. It reads what people write; these words, always the same, are compared.
public struct AppLaunch: Equatable, Sendable {
    /// Directory of the instance.
    public var instance: String
    /// Actor name of the app.
    public var app: String
    /// Number of the process among those of the same app, from 1.
    public var incarnation: Int

    /// A launch of an app.
    ///
    /// - Parameters:
    ///   - instance: Directory of the instance.
    ///   - app: Actor name of the app.
    ///   - incarnation: Number of the process among those of the same app, from 1.
    public init(instance: String, app: String, incarnation: Int) {
        self.instance = instance
        self.app = app
        self.incarnation = incarnation
    }

    /// The words, without the program's name.
    public var arguments: [String] { ["--instance", instance, "--as", app, "--incarnation", "\(incarnation)"] }

    /// Reads the words; nil for all others, which a person may have written.
    public init?(arguments: [String]) {
        guard arguments.count == 6, let incarnation = Int(arguments[5]) else { return nil }
        self.init(instance: arguments[1], app: arguments[3], incarnation: incarnation)
        guard self.arguments == arguments else { return nil }
    }
}

/// How the agent of a device is started: the words of its command line.
public struct AgentLaunch: Equatable, Sendable {
    /// Directory of the instance.
    public var instance: String
    /// Name of the device.
    public var device: String

    /// A start of an agent.
    ///
    /// - Parameters:
    ///   - instance: Directory of the instance.
    ///   - device: Name of the device.
    public init(instance: String, device: String) {
        self.instance = instance
        self.device = device
    }

    /// The words, without the program's name.
    public var arguments: [String] { ["--instance", instance, "--device", device] }

    /// Reads the words; nil for all others, which a person may have written.
    public init?(arguments: [String]) {
        guard arguments.count == 4 else { return nil }
        self.init(instance: arguments[1], device: arguments[3])
        guard self.arguments == arguments else { return nil }
    }
}
