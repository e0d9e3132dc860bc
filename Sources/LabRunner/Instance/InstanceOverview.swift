public import LabKit
internal import LabSystem
internal import Synchronization

/// What `lab ps` says about instances: who runs, and who has ended or does not answer.
///
/// All agents are asked at the same time, so that one that is stuck holds nobody up for longer than ``patience``.
/// Thread rule: any thread; blocks.
public struct InstanceOverview {
    /// How long an agent may take to answer, in real time.
    public static let patience = LabDuration.milliseconds(500).stretched

    private let connections: [InstanceConnection]
    /// What is known of each device, in the order of the instances and their devices.
    private let devices: [[[String]]]

    /// Looks at some instances.
    public init(of connections: [InstanceConnection]) {
        self.connections = connections
        let questions = connections.map { connection in
            connection.manifest.topology.devices.map { Self.question(to: $0.name, in: connection) }
        }
        devices = questions.map { $0.map { answer in answer() } }
    }

    /// One line for each instance, server and process.
    public var lines: [String] {
        zip(connections, devices).flatMap { connection, devices in
            let manifest = connection.manifest
            let server =
                connection.isServerDead
                ? "has ended" : connection.serverReady.map { "\($0.baseURL) (pid \($0.pid))" } ?? "not ready"
            return [
                "\(manifest.id)  topology \(manifest.topology.name)  runner \(manifest.runnerPid)  "
                    + (manifest.labFile ?? "without a lab.yaml"),
                "  server  \(server)",
            ] + devices.joined()
        }
    }

    /// Begins to ask an agent for its processes, on a thread of its own.
    ///
    /// - Returns: Waits for the answer, and gives the lines of the device.
    private static func question(to device: String, in connection: InstanceConnection) -> () -> [String] {
        // On a guest nothing stands for the owner's devices.
        let manifest = connection.manifest
        if manifest.isGuest, !manifest.plays(device) { return { ["  \(device)  on the other host"] } }
        let answer = Mutex<[String]>([])
        let thread = runOnThread(name: "ps") {
            let lines = ask(device, in: connection)
            answer.withLock { $0 = lines }
        }
        return {
            thread.join()
            return answer.withLock { $0 }
        }
    }

    private static func ask(_ device: String, in connection: InstanceConnection) -> [String] {
        do {
            return try connection.processes(of: device, timeout: patience).map { process in
                let pid = process.pid.map { "pid \($0), incarnation \(process.incarnation)" } ?? ""
                return "  \(process.app) on \(device)  \(process.state) \(pid)"
            }
        } catch {
            let hasEnded = (error as? ControlError)?.name == "peerDied"
            return ["  \(device)  its agent \(hasEnded ? "has ended" : "does not answer")"]
        }
    }
}
