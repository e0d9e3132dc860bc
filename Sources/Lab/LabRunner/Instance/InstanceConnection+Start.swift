import Foundation
import LabKit
import LabSystem

/// Operations that only the starter of the server and the agents can perform.
struct InstanceKeeper: Sendable {
    /// How the server or an agent ended.
    let howEnded: @Sendable (InstanceEndpoint) -> String?
    /// Records that the end of a process is wanted from here on.
    let expectEnd: @Sendable (_ pid: Int32) -> Void
    /// Starts the server again and waits until it is ready.
    let startServer: @Sendable () throws -> Void
    /// Starts the agent of a device again.
    let startAgent: @Sendable (_ device: String) throws -> ChildProcess
}

// Starting the server and the agents.
extension InstanceConnection {
    /// How long the parts of an instance may take to become ready, in real time.
    static let startPatience = LabDuration.seconds(20).stretched

    /// Starts the server's program.
    func spawnServer() throws -> ChildProcess {
        try spawn("lab-server", answeringAt: .server, ["--instance", layout.root])
    }

    /// Starts the program of an agent.
    func spawnAgent(of device: String) throws -> ChildProcess {
        let launch = AgentLaunch(instance: layout.root, device: device)
        return try spawn("device-agent", answeringAt: .agent(device), launch.arguments)
    }

    private func spawn(
        _ program: String, answeringAt endpoint: InstanceEndpoint, _ arguments: [String]
    ) throws -> ChildProcess {
        let path = Executables(directory: manifest.executablesDirectory).path(program)
        guard Files.exists(path) else {
            throw LabFailure("The program \(path) is missing. Build the whole package.")
        }
        let log = try FileDescriptor.open(logPath(endpoint.fileName), flags: O_WRONLY | O_CREAT | O_APPEND)
        // A process group of its own keeps the terminal's Ctrl-C away: the runner ends its parts in order. There is no
        // death signal either; the parts watch the lease and clean up when it is given up.
        return try ChildProcess.spawn(
            executable: path, arguments: arguments, standardInput: .null, standardOutput: .file(log),
            standardError: .file(log), newProcessGroup: true)
    }

    /// Waits until the server reports that it listens.
    func awaitServer(_ process: ChildProcess) throws -> ServerReady {
        let ready = try ServerReady.wait(
            layout, timeout: Self.startPatience, watching: try ProcessWatch(pid: process.pid))
        guard let ready else { throw LabFailure("The server did not become ready. \(logHint("server"))") }
        return ready
    }

    /// Waits until an agent that was just started answers.
    ///
    /// - Throws: ``LabFailure`` with its last output if it does not answer; at once if its process has ended.
    func awaitAgent(of device: String, _ process: ChildProcess) throws {
        let endpoint = InstanceEndpoint.agent(device)
        do {
            _ = try clients[endpoint].call(
                ControlRequest(command: "ping"), timeout: Self.startPatience,
                watching: try ProcessWatch(pid: process.pid))
        } catch {
            let name = endpoint.fileName
            throw LabFailure("The device `\(device)` did not start: \(error). \(logHint(name))")
        }
    }

    /// The log with the output of a process.
    func logPath(_ name: String) -> String { "\(manifest.runDirectory)/logs/\(name).log" }

    /// The last line of a log and the path of the log.
    func logHint(_ name: String) -> String {
        let path = logPath(name)
        let text = (try? Files.read(path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let last = text.split(separator: "\n").last.map { "It said: \($0) " } ?? ""
        return "\(last)(log: \(path))"
    }
}
