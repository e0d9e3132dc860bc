// SPDX-License-Identifier: Apache-2.0

package import LabControl
public import LabCore
package import LabSystem
public import LabVocabulary
package import ScenarioLanguage
import Synchronization

/// Access to a running instance through its control sockets and mapped pages: for the runner, and for every process
/// that has the instance's directory.
///
/// Thread rule: any thread. Every call may block.
public final class InstanceConnection: Sendable {
    /// Where its files and sockets are.
    public let layout: InstanceLayout
    /// Its topology and settings.
    public let manifest: InstanceManifest
    package let clock: LabClock
    package let faults: FaultTable
    package let actors: ActorTable
    package let clients: ControlClients
    /// What this host plays, and how the rest is reached.
    package let host: HostRole
    /// The processes of the server and the agents.
    package let parts: InstanceParts
    private let peers = Mutex<[String: ProcessWatch]>([:])
    private let wanted = Mutex<[WantedEnd]>([])

    /// Connects to an instance.
    /// - Throws: an error that states what is wrong with the directory.
    public init(_ layout: InstanceLayout) throws {
        self.layout = layout
        manifest = try InstanceManifest.read(layout)
        clock = try LabClock.open(layout.clockPath)
        let traces = manifest.tracesDirectory
        clock.traceChanges(to: try? TraceWriter(directory: traces, process: "clock", incarnation: 1))
        faults = try FaultTable.open(layout.faultsPath)
        clients = ControlClients(layout)
        host = HostRole(manifest: manifest, clients: clients)
        parts = InstanceParts(of: manifest, in: layout, clients: clients)
        actors = ActorTable(manifest.topology)
    }

    /// The server's report about itself; nil before it is ready.
    public var serverReady: ServerReady? { try? ServerReady.read(layout) }

    /// Records the process that now plays an app.
    package func note(_ launched: LaunchedProcess, of app: String) {
        // A process identifier from another host has no meaning here.
        guard let (device, _) = manifest.topology.app(named: app), host.plays(device.name) else { return }
        let watch = try? ProcessWatch(pid: launched.pid)
        peers.withLock { $0[app] = watch }
    }

    /// A watch on the process of a peer's endpoint, if known. Other endpoints need none: the connection watches the
    /// process that holds them.
    package func watch(of endpoint: InstanceEndpoint) -> ProcessWatch? {
        guard case .peer(let app) = endpoint else { return nil }
        return peers.withLock { $0[app] }
    }

    /// The known processes of apps.
    var watchedPeers: [(name: String, watch: ProcessWatch)] {
        peers.withLock { peers in peers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Records ends of apps' processes that a command has asked for.
    package func expect(_ ends: [WantedEnd]) { wanted.withLock { $0 += ends } }

    /// The ends of apps' processes that commands have asked for so far.
    var wantedEnds: [WantedEnd] { wanted.withLock { $0 } }

    /// Whether a process of an app runs; asks its device if the known process has ended.
    func findProcess(of app: String) throws -> Bool {
        if let watch = watch(of: .peer(app)), !watch.hasEnded { return true }
        guard let (device, _) = manifest.topology.app(named: app) else { return false }
        guard host.plays(device.name) else { return true }
        guard let pid = try processes(of: device.name).first(where: { $0.app == app })?.pid else { return false }
        // The process may have ended meanwhile.
        guard let watch = try? ProcessWatch(pid: pid) else { return false }
        peers.withLock { $0[app] = watch }
        return true
    }

    /// The apps of a device and their processes.
    /// - Parameter timeout: Longest time to wait for the device's agent, in real time.
    /// - Throws: `ControlError`; named `peerDied` at once when the agent has ended.
    public func processes(of device: String, timeout: LabDuration = .seconds(5).stretched) throws -> [Processes.Process]
    {
        try ask(.agent(device), ControlRequest(command: Processes.name, actor: device), timeout: timeout)
            .get().decode()
    }

    /// Asks the server, an agent or a peer, and waits for the reply.
    /// - Parameters:
    ///   - timeout: Longest time to wait, in real time.
    ///   - clients: The connections to use; nil for those of the instance.
    /// - Throws: `ControlError`; named `peerDied` at once if the process at the endpoint has ended or ends meanwhile.
    package func ask(
        _ endpoint: InstanceEndpoint, _ request: ControlRequest, timeout: LabDuration,
        over clients: ControlClients? = nil
    ) throws -> ControlReply {
        let respondent = try respondent(at: endpoint)
        if case .agent(let device) = endpoint {
            // The agent has something to do, and a branch that waits for the answer of an agent that is held waits for
            // its turn.
            faults.changeWork(of: device, by: 1)
            faults.changeWaits(of: nil, by: 1)
        }
        defer {
            if case .agent(let device) = endpoint {
                // In this order: with the wait alone the branch would count as one that waits for another agent.
                faults.changeWaits(of: nil, by: -1)
                faults.changeWork(of: device, by: -1)
            }
        }
        return try (clients ?? self.clients)[endpoint].call(request, timeout: timeout, watching: respondent)
    }

    /// The process that answers at an endpoint; its end fails a pending request. A killed process counts as alive until
    /// its last thread is gone, but does not answer. Nil before one has started.
    /// - Throws: Why the endpoint cannot answer, when the process has ended.
    private func respondent(at endpoint: InstanceEndpoint) throws(ControlError) -> ProcessWatch? {
        if case .peer = endpoint { return watch(of: endpoint) }
        // The order matters: a process that ends between the two is seen as dead.
        let process = parts.process(of: endpoint)
        if let death = parts.death(of: endpoint) { throw death }
        return process
    }

    /// Whether the server's process has ended.
    public var isServerDead: Bool { parts.death(of: .server) != nil }
}

/// The control connections of an instance, one per endpoint, made when first needed.
///
/// Thread rule: any thread.
package final class ControlClients: Sendable {
    private let layout: InstanceLayout
    private let clients = Mutex<[InstanceEndpoint: ControlClient]>([:])

    package init(_ layout: InstanceLayout) { self.layout = layout }

    package subscript(endpoint: InstanceEndpoint) -> ControlClient {
        get throws {
            try clients.withLock { clients in
                if let client = clients[endpoint] { return client }
                let client = try ControlClient(layout, endpoint)
                clients[endpoint] = client
                return client
            }
        }
    }

    /// Checks whether an endpoint answers.
    /// - Throws: `ControlError`; named `peerDied` at once when the process has ended.
    package func ping(_ endpoint: InstanceEndpoint, timeout: LabDuration, watching process: ProcessWatch? = nil) throws
    {
        _ = try self[endpoint].call(ControlRequest(command: "ping"), timeout: timeout, watching: process)
    }

    /// Ends all pending calls.
    package func interrupt() { for client in clients.withLock({ Array($0.values) }) { client.interrupt() } }
}
