// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore
import LabSystem
import LabVocabulary
import Synchronization

/// A running lab: the server, the device agents and the launched apps of one topology.
///
/// Thread rule: any thread. Every call may block.
public final class LabInstance: Sendable {
    /// Where its files and sockets are.
    public var layout: InstanceLayout { instance.layout }
    /// The content of `instance.json`.
    public var manifest: InstanceManifest { instance.manifest }
    /// The server's report about itself; nil before it is ready.
    public var serverReady: ServerReady? { connection.parts.serverReady }
    /// How long each peer took from being spawned to its first answer, in nanoseconds.
    public var launchTimes: [String: UInt64] { state.withLock { $0.launchTimes } }

    /// Access to its processes.
    public let connection: InstanceConnection
    private var parts: InstanceParts { connection.parts }
    private let instance: Instance
    private let state = Mutex(State())

    private struct State {
        var launchTimes: [String: UInt64] = [:]
        var hasStarted = false
    }

    /// Creates the files of an instance; starts nothing.
    /// - Parameters:
    ///   - runDirectory: Absolute path of an existing directory that receives traces and logs.
    ///   - labFile: Absolute path of the `lab.yaml` the topology came from.
    ///   - share: The part played here when another host plays the rest.
    public init(
        topology: Topology, runDirectory: String, seed: UInt64, executables: Executables, labFile: String?,
        share: HostAssignment? = nil
    ) throws {
        try Files.createDirectory("\(runDirectory)/traces")
        try Files.createDirectory("\(runDirectory)/logs")
        instance = try Instance.create { layout in
            InstanceManifest(
                id: layout.id, labFile: labFile, topology: topology, runDirectory: runDirectory, seed: seed,
                executablesDirectory: executables.directory, share: share)
        }
        connection = try InstanceConnection(instance.layout)
    }

    /// Starts the server and the agents, waits until they answer, launches the apps that start by themselves, and waits
    /// until phones and watches in range have connected.
    /// - Throws: ``LabFailure`` if a part does not start; the instance must still be stopped.
    public func start() throws {
        try InstanceHandlers.checkComplete()
        let played = connection.host.devices
        let server = try connection.host.hasServer ? parts.spawnServer() : nil
        let agents = try played.map { device in (device.name, try parts.spawnAgent(of: device.name)) }
        let failures = FailureList()
        let devices = agents.map { device, agent in
            runOnThread(name: "start \(device)") { [self] in
                failures.catching { try parts.awaitAgent(of: device, agent) }
            }
        }
        failures.catching { if let server { try parts.awaitServer(server) } }
        for device in devices { device.join() }
        try failures.throwFirst()
        let launches = played.flatMap(\.apps).filter(\.autostart).map { app in
            runOnThread(name: "launch \(app.name)") { [self] in
                failures.catching { try launch(app.name) }
            }
        }
        for launch in launches { launch.join() }
        try failures.throwFirst()
        connection.waitForLinks()
        state.withLock { $0.hasStarted = true }
    }

    /// Starts what ran when a snapshot was taken in an instance of the same topology, with its state. In the place of
    /// ``start()``.
    /// - Parameters:
    ///   - snapshot: Name of the snapshot.
    ///   - directory: The directory that holds it.
    ///   - labVersion: The version of this lab.
    /// - Throws: as ``InstanceSnapshots/restore(_:from:)``; the instance must still be stopped.
    func start(from snapshot: String, in directory: String, labVersion: String) throws {
        try InstanceHandlers.checkComplete()
        try InstanceSnapshots(of: connection, labVersion: labVersion).restore(snapshot, from: directory)
        state.withLock { $0.hasStarted = true }
    }

    /// Launches an app through its device, waits for its first answer and measures how long that took.
    private func launch(_ app: String) throws {
        let launched = try connection.launch(app)
        let elapsed = MonotonicClock.nanoseconds() - launched.launchedAt
        state.withLock { $0.launchTimes[app] = $0.launchTimes[app] ?? elapsed }
    }

    /// Kills every process at once, with their children. `stop` must still be called.
    public func kill() {
        parts.killAll()
        for (_, watch) in connection.watchedPeers { try? watch.signal(SIGKILL) }
    }

    /// Ends every process and removes the instance; kills processes that do not stop.
    /// - Returns: What was left behind or failed, one sentence each; empty if nothing was, and after a `kill`.
    public func stop() -> [String] {
        let complaints = end()
        return parts.areKilled ? [] : complaints
    }

    private func end() -> [String] {
        guard let early = parts.beginEnd() else { return [] }
        // A part that ended during the start was reported by the start.
        var complaints = state.withLock { $0.hasStarted } ? early : []
        // Giving up the lease makes every process end; the last one removes the directory.
        let isGone = (try? instance.end(timeout: InstanceParts.endPatience)) ?? false
        complaints += parts.finishEnd(isGone: isGone)
        for (name, watch) in connection.watchedPeers where !watch.hasEnded {
            let isEnded =
                (try? watch.waitForExit(timeoutNanoseconds: LabDuration.seconds(1).stretched.nanoseconds)) ?? true
            if !isEnded {
                complaints.append("the process of `\(name)` outlived its device and was killed")
                try? watch.signal(SIGKILL)
            }
        }
        return complaints + removeRemains()
    }

    private func removeRemains() -> [String] {
        var complaints: [String] = []
        for name in (try? SharedMemoryObject.list()) ?? [] where name.hasPrefix(layout.sharedMemoryPrefix) {
            complaints.append("the shared memory \(name) was left behind and has been removed")
            try? SharedMemoryObject.unlink(name: name)
        }
        // The process that removes it may have died meanwhile, so the directory's hidden name is checked as well.
        for directory in [layout.root, layout.hidden.root] where Files.exists(directory) {
            complaints.append("the instance directory \(directory) was left behind and has been removed")
            try? Files.removeTree(directory)
        }
        return complaints
    }
}

/// The failures of several threads; the first one is reported to the caller.
///
/// Thread rule: any thread.
package final class FailureList: Sendable {
    private let errors = Mutex<[any Error]>([])

    package init() {}

    package var isEmpty: Bool { errors.withLock { $0.isEmpty } }

    package func catching(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            errors.withLock { $0.append(error) }
        }
    }

    package func throwFirst() throws { if let first = errors.withLock({ $0.first }) { throw first } }
}

/// The lab itself could not do its work: a verdict of "inconclusive", never of "failed".
public struct LabFailure: Error, CustomStringConvertible, Sendable {
    /// What happened, where, and how to fix it.
    public let description: String

    /// Describes a failure of the lab.
    public init(_ description: String) { self.description = description }
}
