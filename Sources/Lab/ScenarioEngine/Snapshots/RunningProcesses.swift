// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabSystem
import LabVocabulary

/// The processes of an instance that run at one moment.
package struct RunningProcesses: Codable, Equatable, Sendable {
    /// How an app runs.
    package enum AppState: String, Codable, Sendable {
        case running
        case suspended
    }

    package let isServerRunning: Bool
    /// The devices that are switched on, in the order of the topology.
    package let devices: [String]
    /// The apps with a process.
    package let apps: [String: AppState]

    package init(isServerRunning: Bool, devices: [String], apps: [String: AppState]) {
        self.isServerRunning = isServerRunning
        self.devices = devices
        self.apps = apps
    }

    /// Asks the devices of an instance. Blocks.
    /// - Throws: `ControlError` when a device does not answer.
    init(in connection: InstanceConnection) throws {
        let parts = connection.parts
        let devices = connection.manifest.topology.devices.map(\.name).filter { parts.process(of: .agent($0)) != nil }
        var apps: [String: AppState] = [:]
        for process in try devices.flatMap({ try connection.processes(of: $0) }) {
            switch process.state {
            case .running: apps[process.app] = .running
            case .suspended: apps[process.app] = .suspended
            case .notRunning: break
            }
        }
        self.init(isServerRunning: parts.process(of: .server) != nil, devices: devices, apps: apps)
    }
}

// Ending and starting all processes of an instance whose state is copied or replaced.
extension InstanceConnection {
    /// Which of a device's links are in range, by their names; only a phone knows.
    /// - Throws: `ControlError` when the device does not answer.
    func linksInRange(of device: String) throws -> [String: Bool] {
        let ends = try ActorSession(instance: self).call(
            InspectLink { $0.list = 0 }, by: device, timeout: InstanceParts.endPatience)
        var ranges: [String: Bool] = [:]
        for end in ends { ranges[end.link] = end.isInRange }
        return ranges
    }

    /// Ends all processes: the agents at once, which leaves their shared memory; with them their apps; then the server, in
    /// order. Apps are first, so that none of them notices that its server has ended.
    /// - Throws: `ControlError` or ``LabFailure`` for a process that does not end.
    func endProcesses() throws {
        let apps = appProcesses
        let session = ActorSession(instance: self)
        for device in manifest.topology.devices where parts.process(of: .agent(device.name)) != nil {
            _ = try session.call(KillDevice(), by: device.name, timeout: InstanceParts.endPatience)
        }
        for (name, process) in apps {
            // One that was started by hand does not end with its device.
            try process.signal(SIGKILL)
            guard try process.waitForExit(timeoutNanoseconds: InstanceParts.endPatience.nanoseconds) else {
                throw LabFailure(
                    "The process \(process.pid) of `\(name)` did not end within \(InstanceParts.endPatience).")
            }
        }
        try parts.stopServer()
    }

    private var appProcesses: [(name: String, process: ProcessWatch)] {
        // The kernel reports paths without links, and the directory of all instances may be reached by one.
        let parent = Files.directory(of: layout.root).count
        return manifest.topology.apps.compactMap { app in
            let endpoint = InstanceEndpoint.peer(app.name)
            guard let process = parts.process(of: endpoint), let path = try? layout.endpointLockPath(endpoint),
                // Another process may have the identifier of one that has ended.
                let locks = try? ProcessTable.heldLocks(by: process.pid),
                locks.contains(where: { $0.path?.hasSuffix(path.dropFirst(parent)) == true && $0.isExclusive })
            else { return nil }
            return (app.name, process)
        }
    }

    /// Starts processes as they ran, but for those of a part that still runs, and waits until they answer and their links
    /// have connected. The apps that ran are in the foreground; suspended ones are launched and suspended.
    /// - Throws: ``LabFailure`` or `ControlError` for the first process that does not start.
    func start(_ running: RunningProcesses) throws {
        let begin = MonotonicClock.nanoseconds()
        let links = linksToConnect(running)
        if running.isServerRunning, parts.process(of: .server) == nil { try parts.startServer() }
        let stopped = running.devices.filter { parts.process(of: .agent($0)) == nil }
        for device in stopped { try parts.switchOn(device) }
        let apps = manifest.topology.devices.filter { stopped.contains($0.name) }.flatMap(\.apps).map(\.name)
        let failures = FailureList()
        let launches = running.apps.filter { apps.contains($0.key) }.map { app, state in
            runOnThread(name: "launch \(app)") { [self] in
                failures.catching { try bring(app, to: state) }
            }
        }
        for launch in launches { launch.join() }
        try failures.throwFirst()
        waitForLinks(links, since: begin)
    }

    /// The links whose devices run and are in range, as their hibernation says.
    private func linksToConnect(_ running: RunningProcesses) -> [LinkSpec] {
        host.links.filter { link in
            let hibernation = try? Hibernation.read(layout, device: link.phone)
            return running.devices.contains(link.phone) && running.devices.contains(link.watch)
                && hibernation?.linksInRange[link.name] ?? link.up
        }
    }

    private func bring(_ app: String, to state: RunningProcesses.AppState) throws {
        try launch(app)
        guard state == .suspended else { return }
        _ = try ActorSession(instance: self).call(Suspend(), by: app, timeout: InstanceParts.startPatience)
    }

    /// Launches an app through its device and waits for its first answer.
    /// - Throws: ``LabFailure`` with its last output.
    @discardableResult
    func launch(_ app: String) throws -> LaunchedProcess {
        let launched: LaunchedProcess
        do {
            launched = try ActorSession(instance: self).call(Launch(), by: app, timeout: InstanceParts.startPatience)
        } catch {
            throw LabFailure("The app \(app) did not start: \(error). \(parts.logHint(app))")
        }
        let endpoint = InstanceEndpoint.peer(app)
        do {
            try clients.ping(endpoint, timeout: InstanceParts.startPatience, watching: watch(of: endpoint))
        } catch {
            throw LabFailure("\(endpoint.fileName) did not answer: \(error). \(parts.logHint(endpoint.fileName))")
        }
        return launched
    }
}
