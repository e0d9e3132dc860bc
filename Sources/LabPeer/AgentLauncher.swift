import Glibc
import LabKit
import LabSystem

/// Makes sure that a device has an agent, for peers that no agent has started.
enum AgentLauncher {
    /// Finds the agent of a device, or starts it.
    ///
    /// Of two processes that start one at the same time, both find the one that was first: the second agent refuses.
    static func findOrStart(_ layout: InstanceLayout, _ manifest: InstanceManifest, device: String) throws {
        let client = try ControlClient(layout, .agent(device))
        defer { client.close() }
        let ping = { ControlRequest(command: "ping", actor: device) }
        if (try? client.call(ping(), timeout: .milliseconds(200))) != nil { return }
        let logs = manifest.runDirectory + "/logs"
        if !Files.exists(logs) { try Files.createDirectory(logs) }
        let log = try FileDescriptor.open("\(logs)/a.\(device).log", flags: O_WRONLY | O_CREAT | O_APPEND)
        // The agent stays when this process ends; it ends with the instance.
        _ = try ChildProcess.spawn(
            executable: manifest.executablesDirectory + "/device-agent",
            arguments: AgentLaunch(instance: layout.root, device: device).arguments, standardOutput: .file(log),
            standardError: .file(log), newSession: true)
        do throws(ControlError) {
            _ = try client.call(ping(), timeout: .seconds(10).stretched)
        } catch {
            throw PeerError.agentUnavailable(device: device, reason: error.message)
        }
    }
}
