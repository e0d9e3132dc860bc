// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
public import LabControl
public import LabCore
public import LabPoints
import LabSystem
public import LabVocabulary
public import SimulatedDevice
import Synchronization

/// A process that plays one app of the topology: it enters the app's sandbox, attaches to its device, and answers
/// commands.
///
/// Main queue only: set up before the main queue runs, used by its blocks afterwards. Command handlers run on the main
/// queue; requests arrive on the control channel's own thread and are handed over.
public final class Peer: @unchecked Sendable {
    // Sendable is safe: the only mutable part, `commands`, is touched on the main thread alone.

    /// The live instance.
    public let layout: InstanceLayout
    /// Description of the instance.
    public let manifest: InstanceManifest
    /// The device the app is installed on.
    public let device: DeviceSpec
    /// The app that the process plays.
    public let app: AppSpec
    /// What the simulated system gives to the app.
    public let sandbox: Sandbox
    /// Number of the process among those of the same app, from 1.
    public let incarnation: Int

    private let trace: TraceWriter
    private let agent: AgentConnection
    private var commands: CommandDispatcher<Void>

    /// Plays an app until the process is killed, or until the command of the command line has run.
    /// - Parameters:
    ///   - kinds: Kinds of app that this executable plays.
    ///   - own: What this executable understands, if it is a user's own; nil for the lab's executables.
    ///   - errors: Turns what handlers throw into what a scenario can match.
    ///   - setUp: The app's own code: creates SDK objects and registers commands. Runs on the main thread.
    /// - Throws: ``PeerError``, errors of the instance, what `setUp` throws, and `IncompleteCommandTable` when it has
    ///   left a command of the vocabulary without a handler.
    public static func main(
        _ options: PeerOptions, playing kinds: Set<AppSpec.Kind>, own: AppVocabulary? = nil,
        errors: @escaping @Sendable (any Error) -> ControlError = ControlError.failed,
        setUp: (Peer) throws -> Void
    ) throws -> Never {
        let layout = try InstanceToJoin.find(options)
        let manifest = try InstanceManifest.read(layout)
        guard let (device, installed) = manifest.topology.app(named: options.name) else {
            throw PeerError.unknownApp(options.name, known: manifest.topology.apps.map(\.name))
        }
        var app = installed
        guard kinds.contains(app.kind), (app.own == nil) == (own == nil) else {
            throw PeerError.otherExecutable(app: app.name, executable: app.executable)
        }
        // It may have been built anew since the instance was started.
        app.own?.vocabulary = own
        // An agent that launches an app has looked at these itself.
        if options.incarnation == nil {
            try AgentLauncher.findOrStart(layout, manifest, device: device.name)
            guard try DeviceRegistry(layout: layout, device: device.name).isInstalled(app.bundleIdentifier) else {
                throw PeerError.notInstalled(app: app.name, device: device.name)
            }
        }

        let incarnation = try options.incarnation ?? Incarnations.next(layout, app.name)
        let entrance = Entrance()
        let shell = TerminalShell(for: app, in: layout, manifest)
        let control: ControlServer
        do {
            // Before anything else: the process that holds the endpoint is the app, the others are its callers.
            control = try ControlServer(layout, .peer(app.name), incarnation: incarnation) {
                entrance.receive($0, $1)
            }
        } catch InstanceError.endpointTaken(_, let pid) {
            try PeerCommandLine.talk(to: app, in: layout, options, shell: shell, runningAs: pid)
        }
        let peer = try Peer(
            layout: layout, manifest: manifest, device: device, app: app, incarnation: incarnation, errors: errors)
        try setUp(peer)
        try peer.commands.checkComplete()
        entrance.open(peer)
        peer.agent.reportReady()
        peer.trace.emit(.processReady)
        PeerCommandLine.start(options, app: app, shell: shell, in: peer.sandbox) { request, completion in
            DispatchQueue.main.async { peer.perform(request) { outcome, _ in completion(outcome) } }
        }
        withExtendedLifetime(control) { dispatchMain() }
    }

    private init(
        layout: InstanceLayout, manifest: InstanceManifest, device: DeviceSpec, app: AppSpec, incarnation: Int,
        errors: @escaping @Sendable (any Error) -> ControlError
    ) throws {
        self.layout = layout
        self.manifest = manifest
        self.device = device
        self.app = app
        self.incarnation = incarnation
        commands = CommandDispatcher(of: app.actorKind, errors: errors)
        let trace = try TraceWriter(directory: manifest.tracesDirectory, process: app.name, incarnation: incarnation)
        self.trace = trace
        let faults = try FaultTable.open(layout.faultsPath)
        faults.traceFirings(to: trace)
        trace.emit(.processStarted, ["executable": .string(app.executable), "pid": .integer(Int64(getpid()))])
        let sandbox = try Sandbox(
            layout: layout, device: device, app: app, incarnation: incarnation, trace: trace,
            clock: try LabClock.open(layout.clockPath), faults: faults)
        self.sandbox = sandbox
        setenv("HOME", sandbox.home, 1)
        agent = try AgentConnection(
            layout: layout, device: device,
            attach: AttachBody(name: app.name, pid: getpid(), incarnation: incarnation),
            handlers: AgentConnection.Handlers(
                willEnterForeground: {
                    DispatchQueue.main.async {
                        sandbox.lifecycle.enterForeground()
                        trace.emit(.appForeground)
                    }
                },
                willEnterBackground: {
                    DispatchQueue.main.async {
                        sandbox.lifecycle.enterBackground()
                        trace.emit(.appBackground)
                    }
                },
                deviceCrashed: { reason in
                    FileHandle.standardError.write(Data("\(app.name): \(reason)\n".utf8))
                    Signals.killSelf()
                },
                pass: { try faults.pass($0, process: app.name) },
                touch: { faults.touch(.device, writing: true, process: app.name) },
                sends: { faults.changeWork(of: device.name, by: 1) },
                handled: { faults.changeWork(of: app.name, by: -1) },
                callbacks: { faults.changeCallbacks(of: app.name, by: $0) },
                waits: { faults.changeWaits(of: app.name, by: $0) },
                trace: { trace.emit($0, $1) }))
        sandbox.connect(watchSession: agent)
        sandbox.connect(notifications: agent.notifications)
        sandbox.connect(backgroundTasks: agent.backgroundTasks)
        Sandbox.enter(sandbox)
    }

    // MARK: Commands

    /// Registers a command whose outcome comes later. `body` runs on the main queue and calls its second parameter
    /// once, from any thread, or throws instead.
    public func handle<C: Command>(
        _ command: C.Type, _ body: @escaping (C, @escaping CommandDispatcher<Void>.Reply<C.Result>) throws -> Void
    ) {
        // Safe: handlers are registered and called on the main thread alone, see `perform(_:_:)`.
        nonisolated(unsafe) let body = body
        commands.start(command) { arguments, _, reply in try body(arguments, reply) }
    }

    /// Registers a command that only its declaration describes. `body` gets arguments that were checked and completed,
    /// runs on the main queue and calls its second parameter once, from any thread, or throws instead.
    public func handle(
        _ command: CommandDeclaration,
        _ body: @escaping (JSONValue, @escaping CommandDispatcher<Void>.Reply<JSONValue>) throws -> Void
    ) {
        // Safe: handlers are registered and called on the main thread alone, see `perform(_:_:)`.
        nonisolated(unsafe) let body = body
        commands.start(command) { arguments, _, reply in try body(arguments, reply) }
    }

    /// Registers a command whose outcome is known when `body` returns.
    @_disfavoredOverload  // A body without a result is meant for the method below, however many statements it has.
    public func handleSync<C: Command>(_ command: C.Type, _ body: @escaping (C) throws -> C.Result) {
        handle(command) { arguments, reply in reply(Result { try body(arguments) }) }
    }

    /// Registers a command that answers nothing and is done when `body` returns.
    public func handleSync<C: Command>(
        _ command: C.Type, _ body: @escaping (C) throws -> Void
    ) where C.Result == NoResult {
        handle(command) { arguments, reply in
            try body(arguments)
            reply(.success(NoResult()))
        }
    }

    /// Registers a command that waits for the user. `prepare` runs on the main queue; what it gives blocks a thread of its
    /// own, while the main queue runs other commands.
    public func handleBlocking<C: Command>(
        _ command: C.Type, _ prepare: @escaping (C) throws -> @Sendable () throws -> C.Result
    ) {
        handle(command) { arguments, reply in
            let body = try prepare(arguments)
            let operation = Sandbox.operation
            runOnThread(name: C.name) { Sandbox.$operation.withValue(operation) { reply(Result { try body() }) } }
        }
    }

    /// Writes into the trace what happened inside the app, such as a call of a delegate. Thread rule: any thread.
    public func emit(_ event: TraceEventName, _ fields: [String: JSONValue]) {
        trace.emit(event, operation: Sandbox.operation, fields)
    }

    /// Where the lab's server listens. Waits for it for at most ten seconds of real time.
    /// - Throws: ``PeerError/serverUnavailable``.
    public func serverReady() throws -> ServerReady {
        if let ready = try ServerReady.read(layout) { return ready }
        guard let ready = try ServerReady.wait(layout, timeout: .seconds(10).stretched) else {
            throw PeerError.serverUnavailable
        }
        return ready
    }

    /// Runs a command. Main queue only; `completion` is called once, on any thread, with the outcome and the nanoseconds of
    /// work, which lie between the two events of the trace.
    fileprivate func perform(
        _ request: ControlRequest, _ completion: @escaping @Sendable (Result<JSONValue, ControlError>, UInt64) -> Void
    ) {
        let trace = trace
        let sandbox = sandbox
        sandbox.touch(.answers, writing: false)
        trace.emit(.commandStarted, operation: request.operation, ["command": .string(request.command)])
        let begin = MonotonicClock.nanoseconds()
        let hasEnded = Atomic(false)
        let finished: @Sendable (Result<JSONValue, ControlError>) -> Void = { outcome in
            // A message without a reply is answered when it is sent, and may be lost afterwards.
            guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
            let worked = MonotonicClock.nanoseconds() - begin
            var fields: [String: JSONValue] = ["command": .string(request.command)]
            if case .failure(let error) = outcome { fields["error"] = .string(error.name ?? error.domain) }
            trace.emit(.commandFinished, operation: request.operation, fields)
            sandbox.touch(.answers, writing: true)
            completion(outcome, worked)
        }
        Sandbox.$operation.withValue(request.operation) { commands.perform(request, on: (), finished) }
    }
}

/// Hands requests of the control channel to the peer. What arrives before the app is set up waits on the main queue,
/// which runs only then.
///
/// `receive` runs on the control channel's thread, everything else on the main thread.
private final class Entrance: @unchecked Sendable {
    // Sendable is safe: `peer` is written and read on the main thread alone.
    private var peer: Peer?

    func open(_ peer: Peer) { self.peer = peer }

    func receive(_ request: ControlRequest, _ responder: ControlResponder) {
        if request.command == "ping" { return responder.succeed() }
        DispatchQueue.main.async { [self] in
            peer?.perform(request) { responder.reply($0, worked: $1) }
        }
    }
}

/// Why a peer cannot join an instance.
public enum PeerError: Error, CustomStringConvertible, Sendable {
    /// No live instance was made from the file.
    case noInstance(labFile: String)
    /// Several live instances were made from the file.
    case severalInstances(labFile: String, roots: [String])
    /// The topology has no app of this name.
    case unknownApp(String, known: [String])
    /// The app is played by another executable.
    case otherExecutable(app: String, executable: String)
    /// The app was taken off its device.
    case notInstalled(app: String, device: String)
    /// The app runs already, so that it cannot be started once more.
    case runsAlready(app: String, pid: Int32?)
    /// The device's agent did not come up.
    case agentUnavailable(device: String, reason: String)
    /// The server did not come up.
    case serverUnavailable

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .noInstance(let labFile):
            "No live instance was made from \(labFile). Start one with `lab up`, or name another with --instance."
        case .severalInstances(let labFile, let roots):
            "Several live instances were made from \(labFile): \(roots.joined(separator: ", ")). "
                + "Choose one with --instance or LAB_INSTANCE."
        case .unknownApp(let name, let known):
            "The topology has no app `\(name)`"
                + (nearest(name, among: known).map { "; did you mean `\($0)`?" }
                    ?? "; its apps are \(known.joined(separator: ", ")).")
        case .otherExecutable(let app, let executable):
            "`\(app)` is played by the program \(executable); start that one."
        case .notInstalled(let app, let device):
            "`\(app)` is not installed on `\(device)`; its command `install` puts it back."
        case .runsAlready(let app, let pid):
            "`\(app)` runs already\(pid.map { " as process \($0)" } ?? ""). "
                + "Give a command or --prompt to talk to it, or end it first."
        case .agentUnavailable(let device, let reason):
            "The agent of the device `\(device)` does not answer: \(reason)"
        case .serverUnavailable:
            "The lab's server does not answer. `lab up` starts it; its log is in the run directory."
        }
    }
}
