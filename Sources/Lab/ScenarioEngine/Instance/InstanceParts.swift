// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabControl
package import LabCore
import LabPoints
package import LabSystem
import Synchronization

/// The parts of an instance below its apps, as processes: the server, and the agents of its devices.
///
/// It starts and ends them, and remembers how those that this process has started have ended. Of the others it knows
/// the process identifier, which stands in the lock of their endpoint.
///
/// Thread rule: any thread. Every call may block.
package final class InstanceParts: Sendable {
    /// How long a part may take to become ready, in real time.
    static let startPatience = LabDuration.seconds(20).stretched
    /// How long a part may take to end, in real time.
    static let endPatience = LabDuration.seconds(5).stretched

    private let layout: InstanceLayout
    private let manifest: InstanceManifest
    private let clients: ControlClients
    private let state = Mutex(State())

    private struct State {
        /// The parts that this process has started.
        var started: [Part] = []
        var ready: ServerReady?
        /// The exit statuses of processes that ended by themselves; a status can be read only once.
        var ends: [Int32: ExitStatus] = [:]
        /// Processes that were asked to end.
        var wantedEnds: Set<Int32> = []
        var isStopped = false
        var isKilled = false

        /// How a part ended; nil while it runs. Reading a status frees the process identifier, so it is done here only.
        mutating func end(of part: Part) -> ExitStatus? {
            if ends[part.process.pid] == nil { ends[part.process.pid] = try? part.process.poll() }
            return ends[part.process.pid]
        }
    }

    private struct Part {
        let endpoint: InstanceEndpoint
        let process: ChildProcess
        let logPath: String
    }

    init(of manifest: InstanceManifest, in layout: InstanceLayout, clients: ControlClients) {
        self.manifest = manifest
        self.layout = layout
        self.clients = clients
    }

    // MARK: Which run

    /// The report of the server that this process has started last; nil before it is ready.
    package var serverReady: ServerReady? { state.withLock { $0.ready } }

    /// The process of a part; nil when it does not run.
    package func process(of endpoint: InstanceEndpoint) -> ProcessWatch? {
        guard let pid = holder(of: endpoint), ProcessTable.isAlive(pid) else { return nil }
        return try? ProcessWatch(pid: pid)
    }

    /// Why the endpoint of a part cannot answer; nil when its process lives, or has not started yet.
    package func death(of endpoint: InstanceEndpoint) -> ControlError? {
        if case .peer = endpoint { return nil }
        guard let pid = holder(of: endpoint), !ProcessTable.isAlive(pid) else { return nil }
        let part = state.withLock { $0.started }.first { $0.endpoint == endpoint }
        let how = part.map { " (\(sentence(onEndOf: $0)))" } ?? ""
        let rest =
            endpoint == .server
            ? "`server: restart` starts it again"
            : "its apps ended with it; `\(endpoint.actor): switchOn` starts the device again"
        return ControlError(.peerDied, message: "\(endpoint) has ended\(how); \(rest)")
    }

    /// The process that answers at an endpoint, or was the last to do so.
    private func holder(of endpoint: InstanceEndpoint) -> Int32? {
        guard let path = try? layout.endpointLockPath(endpoint), let data = try? Files.read(path) else { return nil }
        return Int32(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    // MARK: Starting

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
        let logPath = logPath(endpoint.fileName)
        let log = try FileDescriptor.open(logPath, flags: O_WRONLY | O_CREAT | O_APPEND)
        // A process group of its own keeps the terminal's Ctrl-C away: the runner ends its parts in order. There is no
        // death signal either; the parts watch the lease and clean up when it is given up.
        let process = try ChildProcess.spawn(
            executable: path, arguments: arguments, standardInput: .null, standardOutput: .file(log),
            standardError: .file(log), newProcessGroup: true)
        let part = Part(endpoint: endpoint, process: process, logPath: logPath)
        state.withLock { $0.started.append(part) }
        return process
    }

    /// Waits until the server reports that it listens.
    func awaitServer(_ process: ChildProcess) throws {
        let ready = try ServerReady.wait(
            layout, timeout: Self.startPatience, watching: try ProcessWatch(pid: process.pid))
        guard let ready else { throw LabFailure("The server did not become ready. \(logHint("server"))") }
        state.withLock { $0.ready = ready }
    }

    /// Waits until an agent that was just started answers.
    /// - Throws: ``LabFailure`` with its last output if it does not answer; at once if its process has ended.
    func awaitAgent(of device: String, _ process: ChildProcess) throws {
        let endpoint = InstanceEndpoint.agent(device)
        do {
            try clients.ping(endpoint, timeout: Self.startPatience, watching: try ProcessWatch(pid: process.pid))
        } catch {
            throw LabFailure("The device `\(device)` did not start: \(error). \(logHint(endpoint.fileName))")
        }
    }

    /// The last line of a log and the path of the log.
    func logHint(_ name: String) -> String {
        let path = logPath(name)
        let text = (try? Files.read(path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let last = text.split(separator: "\n").last.map { "It said: \($0) " } ?? ""
        return "\(last)(log: \(path))"
    }

    private func logPath(_ name: String) -> String { "\(manifest.runDirectory)/logs/\(name).log" }

    // MARK: Commands

    /// Ends a part at once and waits until it is gone.
    package func kill(_ endpoint: InstanceEndpoint) throws {
        let process = try running(endpoint)
        try end(process, at: endpoint, with: SIGKILL)
        // It cannot record its end itself.
        let (name, traces) = (endpoint.actor, manifest.tracesDirectory)
        let last = try TraceReader.readAll(traces).last { $0.process == name }?.incarnation ?? 1
        try TraceWriter(directory: traces, process: name, incarnation: last).emit(
            .processEnded,
            [
                "peer": .string(name), "incarnation": .integer(Int64(last)), "pid": .integer(Int64(process.pid)),
                "reason": "signal SIGKILL", "signal": "SIGKILL",
            ])
    }

    /// Restarts the server, after asking it to end if it runs, and waits until it answers.
    func restartServer() throws {
        try stopServer()
        try startServer()
    }

    /// Asks the server to end and waits until it is gone; does nothing if it does not run.
    func stopServer() throws {
        // Looked up once: a server that was killed can be gone in the next moment.
        if let process = process(of: .server) { try end(process, at: .server, with: SIGTERM) }
    }

    /// Starts the server after it has ended, and waits until it answers.
    func startServer() throws {
        try forget(.server)
        try awaitServer(spawnServer())
        try clients.ping(.server, timeout: Self.startPatience)
    }

    /// Asks an agent to end and waits until it is gone.
    package func switchOff(_ device: String) throws {
        try end(running(.agent(device)), at: .agent(device), with: SIGTERM)
    }

    /// Maximum real time until a killed process is gone.
    private static let dyingTime = LabDuration.milliseconds(200).stretched

    /// Starts an agent after it has ended, and waits until it answers.
    package func switchOn(_ device: String) throws {
        // A killed process closes its connections before its last thread is gone.
        if let process = process(of: .agent(device)),
            try !process.waitForExit(timeoutNanoseconds: Self.dyingTime.nanoseconds)
        {
            throw ControlError(.wrongState, message: "\(device) is running; `\(device): reboot` restarts it")
        }
        try forget(.agent(device))
        let process = try spawnAgent(of: device)
        do {
            try awaitAgent(of: device, process)
        } catch {
            // The caller gets this error, so the end of the process is not reported again.
            expectEnd(process.pid)
            throw error
        }
    }

    private func running(_ endpoint: InstanceEndpoint) throws -> ProcessWatch {
        if let process = process(of: endpoint) { return process }
        let (name, start) = endpoint == .server ? ("the server", "restart") : (endpoint.actor, "switchOn")
        throw ControlError(.notRunning, message: "\(name) does not run; `\(endpoint.actor): \(start)` starts it")
    }

    private func end(_ process: ProcessWatch, at endpoint: InstanceEndpoint, with signal: Int32) throws {
        expectEnd(process.pid)
        try process.signal(signal)
        guard try process.waitForExit(timeoutNanoseconds: Self.endPatience.nanoseconds) else {
            throw ControlError(.timedOut, message: "\(endpoint) did not end within \(Self.endPatience)")
        }
    }

    /// Records that the end of a process is wanted from here on.
    func expectEnd(_ pid: Int32) { state.withLock { _ = $0.wantedEnds.insert(pid) } }

    /// Forgets a part that has ended, before it is started again.
    private func forget(_ endpoint: InstanceEndpoint) throws {
        try state.withLock { state in
            guard !state.isKilled, !state.isStopped else { throw LabFailure("The instance is ending.") }
            for part in state.started where part.endpoint == endpoint {
                // Its status was read, so its process identifier is free; another process may get it from here on.
                _ = state.end(of: part)
                state.ends[part.process.pid] = nil
                state.wantedEnds.remove(part.process.pid)
            }
            state.started.removeAll { $0.endpoint == endpoint }
        }
    }

    // MARK: Ends

    /// Waits until a part ends by itself.
    /// - Parameters:
    ///   - known: Parts whose end was reported already.
    ///   - wakeUp: A descriptor that ends the waiting when it becomes readable.
    /// - Returns: The parts that have ended, each with a sentence about it; empty when woken.
    package func waitForEnd(except known: Set<InstanceEndpoint>, wakeUp: Int32) throws -> [(
        endpoint: InstanceEndpoint, notice: String
    )] {
        let watched = state.withLock { $0.started }.filter { !known.contains($0.endpoint) }
        let readable = try Polling.waitReadable([wakeUp] + watched.map { $0.process.rawDescriptor })
        return zip(watched, readable.dropFirst()).filter(\.1).map { part, _ in
            (part.endpoint, "\(part.endpoint) has ended: \(sentence(onEndOf: part))")
        }
    }

    private func sentence(onEndOf part: Part) -> String {
        switch end(of: part) {
        case .signaled(let number)?: Signals.name(of: number)
        case .exited(let code)?: "exit code \(code)"
        case nil: "reason unknown"
        }
    }

    /// How a part ended; nil while it runs.
    private func end(of part: Part) -> ExitStatus? { state.withLock { $0.end(of: part) } }

    /// Kills all parts at once, with their children.
    func killAll() {
        state.withLock { state in
            state.isKilled = true
            for part in state.started {
                // A part whose status was not read keeps its process identifier, and the lock keeps other threads from
                // reading it, so this cannot hit another process.
                let isRunning = state.end(of: part) == nil
                if isRunning { try? Signals.send(SIGKILL, to: -part.process.pid) }
            }
        }
    }

    /// Whether all parts were killed.
    var areKilled: Bool { state.withLock { $0.isKilled } }

    /// Begins the end of the instance: no part is started again.
    /// - Returns: The parts that have ended by themselves before, a sentence each; nil when the end has begun before.
    func beginEnd() -> [String]? {
        let parts: [Part]? = state.withLock { state in
            defer { state.isStopped = true }
            return state.isStopped ? nil : state.started
        }
        return parts?.compactMap { part in
            guard let status = end(of: part), !isWanted(status, of: part) else { return nil }
            return "\(part.endpoint) had \(status) before it was asked to end; its log is \(part.logPath)"
        }
    }

    /// Waits until all parts are gone, after they were asked to end, and kills those that remain.
    /// - Parameter isGone: Whether the instance was gone within ``endPatience``.
    /// - Returns: The parts that were killed, a sentence each.
    func finishEnd(isGone: Bool) -> [String] {
        state.withLock { $0.started }.compactMap { part in
            let patience = isGone ? LabDuration.seconds(2).stretched.nanoseconds : 1
            _ = try? Polling.waitReadable([part.process.rawDescriptor], timeoutNanoseconds: patience)
            guard end(of: part) == nil, ProcessTable.isAlive(part.process.pid) else { return nil }
            try? part.process.signal(SIGKILL)
            _ = try? Polling.waitReadable([part.process.rawDescriptor])
            _ = end(of: part)
            return
                "\(part.endpoint.fileName) did not end within \(Self.endPatience) and was killed; its log is \(part.logPath)"
        }
    }

    /// Whether a command or an armed fault explains the end of a part, or another process has replaced it.
    private func isWanted(_ status: ExitStatus, of part: Part) -> Bool {
        if state.withLock({ $0.wantedEnds.contains(part.process.pid) }) { return true }
        if process(of: part.endpoint) != nil { return true }
        guard status == .signaled(SIGKILL) else { return false }
        // A disarmed rule has left the table of faults; the trace of its process remains.
        let kills = (try? TraceReader.readAll(manifest.tracesDirectory) { $0.isKillByFault }) ?? []
        return kills.contains { $0.process == part.endpoint.actor }
    }
}
