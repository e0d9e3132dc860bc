import Foundation
public import LabKit
import LabSystem
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
    public var serverReady: ServerReady? { state.withLock { $0.ready } }
    /// How long each peer took from being spawned to its first answer, in nanoseconds.
    public var launchTimes: [String: UInt64] { state.withLock { $0.launchTimes } }

    /// Access to its processes.
    public let connection: InstanceConnection
    private let instance: Instance
    private let state = Mutex(State())

    private struct State {
        var infrastructure: [Infrastructure] = []
        var ready: ServerReady?
        var launchTimes: [String: UInt64] = [:]
        /// The exit statuses of processes that ended by themselves; a status can be read only once.
        var ends: [Int32: ExitStatus] = [:]
        /// Processes that were asked to end.
        var wantedEnds: Set<Int32> = []
        var hasStarted = false
        var isStopped = false
        var isKilled = false

        /// How a part ended; nil while it runs. Reading a status frees the process identifier, so it is done here only.
        mutating func end(of part: Infrastructure) -> ExitStatus? {
            if ends[part.process.pid] == nil { ends[part.process.pid] = try? part.process.poll() }
            return ends[part.process.pid]
        }
    }

    /// A server or agent.
    private struct Infrastructure {
        let endpoint: InstanceEndpoint
        let process: ChildProcess
        let logPath: String
    }

    /// Maximum time for them to end after the lease is given up.
    private static let endPatience = LabDuration.seconds(5).stretched

    /// Creates the files of an instance; starts nothing.
    ///
    /// - Parameters:
    ///   - topology: The topology.
    ///   - runDirectory: Absolute path of an existing directory that receives traces and logs.
    ///   - seed: The run's seed.
    ///   - executables: The programs.
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
        connection.set(
            InstanceKeeper(
                howEnded: { [weak self] endpoint in
                    self?.state.withLock { $0.infrastructure }.first { $0.endpoint == endpoint }
                        .flatMap { self?.sentence(onEndOf: $0) }
                },
                expectEnd: { [weak self] pid in self?.state.withLock { _ = $0.wantedEnds.insert(pid) } },
                startServer: { [weak self] in try self?.startServer() },
                startAgent: { [weak self] device in
                    guard let self else { throw LabFailure("The instance is ending.") }
                    return try startAgain(.agent(device)) { try self.connection.spawnAgent(of: device) }
                }))
    }

    /// Starts the server and the agents, waits until they answer, launches the apps that start by themselves, and waits
    /// until phones and watches in range have connected.
    ///
    /// - Throws: ``LabFailure`` if a part does not start; the instance must still be stopped.
    public func start() throws {
        try InstanceCommands.checkComplete()
        let played = manifest.topology.devices.filter { manifest.plays($0.name) }
        // A guest uses the owner's server.
        let server = manifest.isGuest ? nil : try connection.spawnServer()
        if let server { add(server, answeringAt: .server) }
        let agents = try played.map { device in
            let agent = try connection.spawnAgent(of: device.name)
            add(agent, answeringAt: .agent(device.name))
            return (device.name, agent)
        }
        let failures = FailureList()
        let devices = agents.map { device, agent in
            runOnThread(name: "start \(device)") { [self] in
                failures.catching { try connection.awaitAgent(of: device, agent) }
            }
        }
        failures.catching { if let server { try awaitServer(server) } }
        for device in devices { device.join() }
        try failures.throwFirst()
        let launches = played.flatMap(\.apps).filter(\.autostart).map { app in
            runOnThread(name: "launch \(app.name)") { [self] in
                failures.catching { try launch(app.name) }
            }
        }
        for launch in launches { launch.join() }
        try failures.throwFirst()
        LinkSettling(instance: connection).waitForStart()
        state.withLock { $0.hasStarted = true }
    }

    private func add(_ process: ChildProcess, answeringAt endpoint: InstanceEndpoint) {
        let part = Infrastructure(
            endpoint: endpoint, process: process, logPath: connection.logPath(endpoint.fileName))
        state.withLock { $0.infrastructure.append(part) }
    }

    private func awaitServer(_ process: ChildProcess) throws {
        let ready = try connection.awaitServer(process)
        state.withLock { $0.ready = ready }
    }

    /// Starts the server again after it has ended.
    private func startServer() throws {
        try awaitServer(startAgain(.server) { try connection.spawnServer() })
    }

    private func startAgain(_ endpoint: InstanceEndpoint, _ spawn: () throws -> ChildProcess) throws -> ChildProcess {
        let (isEnding, former) = state.withLock { state in
            (state.isKilled || state.isStopped, state.infrastructure.filter { $0.endpoint == endpoint })
        }
        guard !isEnding else { throw LabFailure("The instance is ending.") }
        // Its status was read, so its process identifier is free; another process may get it from here on.
        for part in former { _ = end(of: part) }
        state.withLock { state in
            state.infrastructure.removeAll { $0.endpoint == endpoint }
            for part in former {
                state.ends[part.process.pid] = nil
                state.wantedEnds.remove(part.process.pid)
            }
        }
        let process = try spawn()
        add(process, answeringAt: endpoint)
        return process
    }

    private func awaitAnswer(_ endpoint: InstanceEndpoint) throws {
        do {
            try connection.ping(endpoint, timeout: InstanceConnection.startPatience)
        } catch {
            let name = endpoint.fileName
            throw LabFailure("\(name) did not answer: \(error). \(connection.logHint(name))")
        }
    }

    /// Launches an app through its device, waits for its first answer and measures how long that took.
    private func launch(_ app: String) throws {
        let launched: LaunchedProcess
        do {
            launched = try connection.launch(app, timeout: InstanceConnection.startPatience)
        } catch {
            throw LabFailure("The app \(app) did not start: \(error). \(connection.logHint(app))")
        }
        try awaitAnswer(.peer(app))
        let elapsed = MonotonicClock.nanoseconds() - launched.launchedAt
        state.withLock { $0.launchTimes[app] = $0.launchTimes[app] ?? elapsed }
    }

    /// Waits until the server or an agent ends by itself.
    ///
    /// - Parameters:
    ///   - known: Parts whose end was reported already.
    ///   - wakeUp: A descriptor that ends the waiting when it becomes readable.
    /// - Returns: The parts that have ended, each with a sentence about it; empty when woken.
    public func waitForEnd(except known: Set<InstanceEndpoint>, wakeUp: Int32) throws -> [(
        endpoint: InstanceEndpoint, notice: String
    )] {
        let watched = state.withLock { $0.infrastructure }.filter { !known.contains($0.endpoint) }
        let readable = try Polling.waitReadable([wakeUp] + watched.map { $0.process.rawDescriptor })
        return zip(watched, readable.dropFirst()).filter(\.1).map { part, _ in
            (part.endpoint, "\(part.endpoint) has ended: \(sentence(onEndOf: part))")
        }
    }

    private func sentence(onEndOf part: Infrastructure) -> String {
        switch end(of: part) {
        case .signaled(let number)?: Signals.name(of: number)
        case .exited(let code)?: "exit code \(code)"
        case nil: "reason unknown"
        }
    }

    /// How a part ended; nil while it runs.
    private func end(of part: Infrastructure) -> ExitStatus? {
        state.withLock { $0.end(of: part) }
    }

    /// Kills every process at once, with their children. `stop` must still be called.
    public func kill() {
        state.withLock { state in
            state.isKilled = true
            for part in state.infrastructure {
                // A part whose status was not read keeps its process identifier, and the lock keeps other threads from
                // reading it, so this cannot hit another process.
                let isRunning = state.end(of: part) == nil
                if isRunning { try? Signals.send(SIGKILL, to: -part.process.pid) }
            }
        }
        for (_, watch) in connection.watchedPeers { try? watch.signal(SIGKILL) }
    }

    /// Ends every process and removes the instance; kills processes that do not stop.
    ///
    /// - Returns: What was left behind or failed, one sentence each; empty if nothing was, and after a `kill`.
    public func stop() -> [String] {
        let complaints = end()
        return state.withLock { $0.isKilled } ? [] : complaints
    }

    private func end() -> [String] {
        let (isFirst, hasStarted, parts) = state.withLock { state in
            defer { state.isStopped = true }
            return (!state.isStopped, state.hasStarted, state.infrastructure)
        }
        guard isFirst else { return [] }
        var complaints: [String] = []
        for part in parts {
            // A part that ended during the start was reported by the start.
            if let status = end(of: part), hasStarted, !isWanted(status, of: part) {
                complaints.append(
                    "\(part.endpoint) had \(status) before it was asked to end; its log is \(part.logPath)")
            }
        }
        // Giving up the lease makes every process end; the last one removes the directory.
        let isGone = (try? instance.end(timeout: Self.endPatience)) ?? false
        for part in parts {
            let patience = isGone ? LabDuration.seconds(2).stretched.nanoseconds : 1
            _ = try? Polling.waitReadable([part.process.rawDescriptor], timeoutNanoseconds: patience)
            if end(of: part) == nil, ProcessTable.isAlive(part.process.pid) {
                complaints.append(
                    "\(part.endpoint.fileName) did not end within \(Self.endPatience) and was killed; its log is \(part.logPath)"
                )
                try? part.process.signal(SIGKILL)
                _ = try? Polling.waitReadable([part.process.rawDescriptor])
                _ = end(of: part)
            }
        }
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

    /// Whether a command or an armed fault explains the end of a part, or another process has replaced it.
    private func isWanted(_ status: ExitStatus, of part: Infrastructure) -> Bool {
        if state.withLock({ $0.wantedEnds.contains(part.process.pid) }) { return true }
        if connection.process(of: part.endpoint) != nil { return true }
        return status == .signaled(SIGKILL) && connection.processesKilledByFault.contains(part.endpoint.actor)
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
private final class FailureList: Sendable {
    private let errors = Mutex<[any Error]>([])

    func catching(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            errors.withLock { $0.append(error) }
        }
    }

    func throwFirst() throws {
        if let first = errors.withLock({ $0.first }) { throw first }
    }
}
