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
        let logPath = "\(logs)/a.\(device).log"
        let log = try FileDescriptor.open(logPath, flags: O_WRONLY | O_CREAT | O_APPEND)
        // The agent stays when this process ends; it ends with the instance.
        let agent = try ChildProcess.spawn(
            executable: manifest.executablesDirectory + "/device-agent",
            arguments: AgentLaunch(instance: layout.root, device: device).arguments, standardOutput: .file(log),
            standardError: .file(log), newSession: true)
        do throws(ControlError) {
            _ = try client.call(ping(), timeout: .seconds(10).stretched, watching: try? ProcessWatch(pid: agent.pid))
        } catch {
            // One that has ended at once has found another one, or cannot work at all.
            if (try? client.call(ping(), timeout: .milliseconds(200).stretched)) != nil { return }
            let said = (try? Files.read(logPath)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            let last = said.split(separator: "\n").last.map { "; it said: \($0)" } ?? ""
            throw PeerError.agentUnavailable(device: device, reason: "\(error.message)\(last)")
        }
    }
}
