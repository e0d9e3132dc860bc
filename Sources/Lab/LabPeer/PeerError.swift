import LabKit

/// Why a peer cannot join an instance.
public enum PeerError: Error, CustomStringConvertible, Sendable {
    /// No live instance was made from the file.
    case noInstance(labFile: String)
    /// Several live instances were made from the file.
    case severalInstances(labFile: String, roots: [String])
    /// The topology has no app of this name.
    case unknownApp(String, known: [String])
    /// The app is played by another executable.
    case otherExecutable(app: String, executable: String)
    /// The app was taken off its device.
    case notInstalled(app: String, device: String)
    /// The app runs already, so that it cannot be started once more.
    case runsAlready(app: String, pid: Int32?)
    /// The device's agent did not come up.
    case agentUnavailable(device: String, reason: String)
    /// The server did not come up.
    case serverUnavailable

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .noInstance(let labFile):
            "No live instance was made from \(labFile). Start one with `lab up`, or name another with --instance."
        case .severalInstances(let labFile, let roots):
            "Several live instances were made from \(labFile): \(roots.joined(separator: ", ")). "
                + "Choose one with --instance or LAB_INSTANCE."
        case .unknownApp(let name, let known):
            "The topology has no app `\(name)`"
                + (nearest(name, among: known).map { "; did you mean `\($0)`?" }
                    ?? "; its apps are \(known.joined(separator: ", ")).")
        case .otherExecutable(let app, let executable):
            "`\(app)` is played by the program \(executable); start that one."
        case .notInstalled(let app, let device):
            "`\(app)` is not installed on `\(device)`; its command `install` puts it back."
        case .runsAlready(let app, let pid):
            "`\(app)` runs already\(pid.map { " as process \($0)" } ?? ""). "
                + "Give a command or --prompt to talk to it, or end it first."
        case .agentUnavailable(let device, let reason):
            "The agent of the device `\(device)` does not answer: \(reason)"
        case .serverUnavailable:
            "The lab's server does not answer. `lab up` starts it; its log is in the run directory."
        }
    }
}
