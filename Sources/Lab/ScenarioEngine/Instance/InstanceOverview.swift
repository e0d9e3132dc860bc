// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
public import LabCore
import LabSystem
import LabVocabulary
import Synchronization

/// The output of `lab ps` about instances: which processes run, and which have ended or do not answer.
///
/// All agents are asked at the same time, so a hanging one delays the output by ``patience`` at most.
/// Thread rule: any thread; blocks.
public struct InstanceOverview: Encodable {
    /// How long an agent may take to answer, in real time.
    public static let patience = LabDuration.milliseconds(500).stretched

    /// Version of the JSON form; increased when a member changes its meaning or is removed.
    package let version = 1
    /// The instances, in the order in which they were given.
    package let instances: [Entry]

    /// One instance.
    package struct Entry: Encodable {
        package let id: String
        /// Its directory.
        package let directory: String
        package let topology: String
        /// Process identifier of its runner.
        let runner: Int
        /// The lab file that it was made from; absent without one.
        package let labFile: String?
        package let server: Server
        package let devices: [Device]

        package init(
            id: String, directory: String, topology: String, runner: Int, labFile: String?, server: Server,
            devices: [Device]
        ) {
            self.id = id
            self.directory = directory
            self.topology = topology
            self.runner = runner
            self.labFile = labFile
            self.server = server
            self.devices = devices
        }
    }

    /// The state of a process.
    package enum State: String, Encodable {
        case running
        /// It is starting, or has not reported its address yet.
        case notReady
        case ended
        /// The process exists and does not answer.
        case silent
        /// It runs on the other host of two that play one topology.
        case elsewhere
    }

    /// The server of an instance.
    package struct Server: Encodable {
        package let state: State
        /// Its address; absent unless it runs.
        var url: String?
        package var pid: Int?
    }

    /// A device of an instance: its agent, and the processes of its apps.
    package struct Device: Encodable {
        package let name: String
        package let state: State
        /// Empty unless the agent runs.
        package var processes: [Process] = []
    }

    /// The process of an app.
    package struct Process: Encodable {
        package let app: String
        /// `running`, `suspended` or `notRunning`.
        package let state: String
        /// Absent while it does not run.
        package let pid: Int?
        /// Number of the process among those of the same app.
        package let incarnation: Int

        package init(app: String, state: String, pid: Int?, incarnation: Int) {
            self.app = app
            self.state = state
            self.pid = pid
            self.incarnation = incarnation
        }
    }

    /// Collects the state of some instances.
    public init(of connections: [InstanceConnection]) {
        let questions = connections.map { connection in
            connection.manifest.topology.devices.map { Self.question(to: $0.name, in: connection) }
        }
        instances = zip(connections, questions).map { connection, questions in
            let manifest = connection.manifest
            return Entry(
                id: manifest.id, directory: connection.layout.root, topology: manifest.topology.name,
                runner: Int(manifest.runnerPid), labFile: manifest.labFile, server: Server(of: connection),
                devices: questions.map { answer in answer() })
        }
    }

    /// One line for each instance, server and process.
    public var lines: [String] {
        instances.flatMap { entry in
            [
                "\(entry.id)  topology \(entry.topology)  runner \(entry.runner)  "
                    + (entry.labFile ?? "without a lab.yaml"),
                "  server  \(entry.server.words)",
            ] + entry.devices.flatMap(\.lines)
        }
    }

    /// The JSON form, with sorted keys.
    public func json() throws -> String { try JSONTextEncoder.document(self) + "\n" }

    /// Begins to ask an agent for its processes, on a thread of its own.
    /// - Returns: Waits for the answer.
    private static func question(to device: String, in connection: InstanceConnection) -> () -> Device {
        guard connection.host.reaches(device) else { return { Device(name: device, state: .elsewhere) } }
        let answer = Mutex(Device(name: device, state: .silent))
        let thread = runOnThread(name: "ps") {
            let found = ask(device, in: connection)
            answer.withLock { $0 = found }
        }
        return {
            thread.join()
            return answer.withLock { $0 }
        }
    }

    private static func ask(_ device: String, in connection: InstanceConnection) -> Device {
        do {
            let processes = try connection.processes(of: device, timeout: patience).map { process in
                Process(
                    app: process.app, state: process.state.rawValue, pid: process.pid.map { Int($0) },
                    incarnation: Int(process.incarnation))
            }
            return Device(name: device, state: .running, processes: processes)
        } catch {
            let hasEnded = (error as? ControlError)?.isDeath == true
            return Device(name: device, state: hasEnded ? .ended : .silent)
        }
    }
}

extension InstanceOverview.Server {
    fileprivate init(of connection: InstanceConnection) {
        if connection.isServerDead {
            self.init(state: .ended)
        } else if let ready = connection.serverReady {
            self.init(state: .running, url: "\(ready.baseURL)", pid: Int(ready.pid))
        } else {
            self.init(state: .notReady)
        }
    }

    fileprivate var words: String {
        switch (state, url, pid) {
        case (.running, let url?, let pid?): "\(url) (pid \(pid))"
        case (.ended, _, _): "has ended"
        default: "not ready"
        }
    }
}

extension InstanceOverview.Device {
    fileprivate var lines: [String] {
        switch state {
        case .elsewhere: ["  \(name)  \(HostRole.elsewhere)"]
        case .ended: ["  \(name)  its agent has ended"]
        case .silent, .notReady: ["  \(name)  its agent does not answer"]
        case .running:
            processes.map { process in
                let pid = process.pid.map { "pid \($0), incarnation \(process.incarnation)" } ?? ""
                return "  \(process.app) on \(name)  \(process.state) \(pid)"
            }
        }
    }
}
