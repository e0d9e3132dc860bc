import Foundation
public import LabKit
import LabSystem
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
    let clock: LabClock
    let faults: FaultTable
    let actors: ActorTable
    let clients: ControlClients
    private let peers = Mutex<[String: ProcessWatch]>([:])
    private let wanted = Mutex<[WantedEnd]>([])
    private let keeper = Mutex<InstanceKeeper?>(nil)

    /// Connects to an instance.
    ///
    /// - Throws: an error that states what is wrong with the directory.
    public init(_ layout: InstanceLayout) throws {
        self.layout = layout
        manifest = try InstanceManifest.read(layout)
        clock = try LabClock.open(layout.clockPath)
        let traces = manifest.tracesDirectory
        clock.traceChanges(to: try? TraceWriter(directory: traces, process: "clock", incarnation: 1))
        faults = try FaultTable.open(layout.faultsPath)
        clients = ControlClients(layout)
        actors = ActorTable(manifest.topology)
    }

    /// The server's report about itself; nil before it is ready.
    public var serverReady: ServerReady? { try? ServerReady.read(layout) }

    /// Launches an app through its device.
    ///
    /// - Returns: The process, ready for commands.
    func launch(_ app: String, timeout: LabDuration) throws -> LaunchedProcess {
        guard let (device, _) = manifest.topology.app(named: app) else {
            throw LabFailure("There is no app called \(app) in this instance.")
        }
        let reply = try ask(
            .agent(device.name), ControlRequest(command: Launch.name, actor: app), timeout: timeout)
        let launched: LaunchedProcess = try reply.get().decode()
        note(launched, of: app)
        return launched
    }

    /// Checks whether an endpoint answers.
    func ping(_ endpoint: InstanceEndpoint, timeout: LabDuration) throws {
        _ = try clients[endpoint].call(
            ControlRequest(command: "ping"), timeout: timeout, watching: watch(of: endpoint))
    }

    /// Records the process that now plays an app.
    func note(_ launched: LaunchedProcess, of app: String) {
        // A process identifier from another host has no meaning here.
        guard let (device, _) = manifest.topology.app(named: app), manifest.plays(device.name) else { return }
        let watch = try? ProcessWatch(pid: launched.pid)
        peers.withLock { $0[app] = watch }
    }

    /// A watch on the process of a peer's endpoint, if known. Other endpoints need none: the connection watches the
    /// process that holds them.
    func watch(of endpoint: InstanceEndpoint) -> ProcessWatch? {
        guard case .peer(let app) = endpoint else { return nil }
        return peers.withLock { $0[app] }
    }

    /// The known processes of apps.
    var watchedPeers: [(name: String, watch: ProcessWatch)] {
        peers.withLock { peers in peers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Records ends of apps' processes that a command has asked for.
    func expect(_ ends: [WantedEnd]) {
        wanted.withLock { $0 += ends }
    }

    /// The ends of apps' processes that commands have asked for so far.
    var wantedEnds: [WantedEnd] { wanted.withLock { $0 } }

    /// The processes that an armed fault has killed, by their traces: a disarmed rule has left the table.
    var processesKilledByFault: Set<String> {
        let fired = (try? TraceReader.readAll(manifest.tracesDirectory) { $0.isKillByFault }) ?? []
        return Set(fired.map(\.process))
    }

    /// Whether a process of an app runs; asks its device if the known process has ended.
    func findProcess(of app: String) throws -> Bool {
        if let watch = watch(of: .peer(app)), !watch.hasEnded { return true }
        guard let (device, _) = manifest.topology.app(named: app) else { return false }
        guard manifest.plays(device.name) else { return true }
        guard let pid = try processes(of: device.name).first(where: { $0.app == app })?.pid else { return false }
        // The process may have ended meanwhile.
        guard let watch = try? ProcessWatch(pid: pid) else { return false }
        peers.withLock { $0[app] = watch }
        return true
    }

    /// The apps of a device and their processes.
    ///
    /// - Parameter timeout: Longest time to wait for the device's agent, in real time.
    /// - Throws: `ControlError`; named `peerDied` at once when the agent has ended.
    public func processes(of device: String, timeout: LabDuration = .seconds(5).stretched) throws -> [Processes.Process]
    {
        try ask(.agent(device), ControlRequest(command: Processes.name, actor: device), timeout: timeout)
            .get().decode()
    }

    /// Asks the server, an agent or a peer, and waits for the reply.
    ///
    /// - Parameters:
    ///   - timeout: Longest time to wait, in real time.
    ///   - clients: The connections to use; nil for those of the instance.
    /// - Throws: `ControlError`; named `peerDied` at once if the process at the endpoint has ended or ends meanwhile.
    func ask(
        _ endpoint: InstanceEndpoint, _ request: ControlRequest, timeout: LabDuration,
        over clients: ControlClients? = nil
    ) throws -> ControlReply {
        let respondent = try respondent(at: endpoint)
        return try (clients ?? self.clients)[endpoint].call(request, timeout: timeout, watching: respondent)
    }

    /// The process that answers at an endpoint; its end fails a pending request. A killed process counts as alive until
    /// its last thread is gone, but does not answer. Nil before one has started.
    ///
    /// - Throws: Why the endpoint cannot answer, when the process has ended.
    private func respondent(at endpoint: InstanceEndpoint) throws(ControlError) -> ProcessWatch? {
        if case .peer = endpoint { return watch(of: endpoint) }
        // The order matters: a process that ends between the two is seen as dead.
        let process = process(of: endpoint)
        if let death = death(of: endpoint) { throw death }
        return process
    }

    /// Registers the starter of the server and the agents.
    func set(_ keeper: InstanceKeeper) {
        self.keeper.withLock { $0 = keeper }
    }

    /// The process of the server or of an agent; nil when it does not run.
    func process(of endpoint: InstanceEndpoint) -> ProcessWatch? {
        guard let pid = holder(of: endpoint), ProcessTable.isAlive(pid) else { return nil }
        return try? ProcessWatch(pid: pid)
    }

    /// Records that the end of a process of the server or of an agent is wanted from here on.
    func expectEnd(_ pid: Int32) {
        keeper.withLock { $0 }?.expectEnd(pid)
    }

    /// Starts the server after it has ended, and waits until it answers.
    func startServer() throws {
        if let keeper = keeper.withLock({ $0 }) {
            try keeper.startServer()
        } else {
            _ = try awaitServer(spawnServer())
        }
        try ping(.server, timeout: Self.startPatience)
    }

    /// Starts the agent of a device after it has ended, and waits until it answers.
    func startAgent(of device: String) throws {
        let process = try keeper.withLock({ $0 })?.startAgent(device) ?? spawnAgent(of: device)
        do {
            try awaitAgent(of: device, process)
        } catch {
            // The caller gets this error, so the end of the process is not reported again.
            expectEnd(process.pid)
            throw error
        }
    }

    /// Why the endpoint of the server or of an agent cannot answer; nil when its process lives, or has not started yet.
    func death(of endpoint: InstanceEndpoint) -> ControlError? {
        if case .peer = endpoint { return nil }
        guard let pid = holder(of: endpoint), !ProcessTable.isAlive(pid) else { return nil }
        let how = keeper.withLock { $0 }?.howEnded(endpoint).map { " (\($0))" } ?? ""
        let rest =
            endpoint == .server
            ? "`server: restart` starts it again"
            : "its apps ended with it; `\(endpoint.actor): switchOn` starts the device again"
        return ControlError(
            .peerDied, message: "\(endpoint) has ended\(how); \(rest)")
    }

    /// Whether the server's process has ended.
    public var isServerDead: Bool { death(of: .server) != nil }

    /// The process that answers at an endpoint, or was the last to do so.
    private func holder(of endpoint: InstanceEndpoint) -> Int32? {
        guard let path = try? layout.endpointLockPath(endpoint), let data = try? Files.read(path) else { return nil }
        return Int32(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
