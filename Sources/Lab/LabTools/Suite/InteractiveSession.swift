// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import LabPoints
import LabReports
import LabSystem
public import ScenarioEngine
import ScenarioLanguage

/// A running instance for people and tools: the work of `lab up`.
///
/// Thread rule: `run` is called once, on a thread that may block.
public final class InteractiveSession: Sendable {
    let topology: String?
    let labFile: String?
    let seed: UInt64?
    private let part: LabPart
    private let beside: Companion
    let interruption: Interruption
    let print: @Sendable (String) -> Void
    let printError: @Sendable (String) -> Void

    /// Work beside the instance: started when it is ready; the returned closure ends it.
    public typealias Companion = @Sendable (InstanceConnection) throws -> @Sendable () -> Void

    /// A session.
    /// - Parameters:
    ///   - topology: The topology; nil means the default one.
    ///   - labFile: The lab file; nil looks for one.
    ///   - seed: The seed; nil draws one.
    public init(
        topology: String?, labFile: String?, seed: UInt64?, part: LabPart = .whole,
        beside: @escaping Companion = { _ in {} }, interruption: Interruption,
        print: @escaping @Sendable (String) -> Void, printError: @escaping @Sendable (String) -> Void
    ) {
        self.topology = topology
        self.labFile = labFile
        self.seed = seed
        self.part = part
        self.beside = beside
        self.interruption = interruption
        self.print = print
        self.printError = printError
    }

    /// Starts the instance, prints how to use it, reports events of its processes, and ends it on an interruption.
    public func run() throws -> RunOutcome { try part.play(in: self) }

    /// Keeps an instance of the lab file until the session is interrupted.
    /// - Parameter begin: As in ``hold(_:keeping:begin:)``.
    func holdOwn(begin: (OwnInstance) throws -> @Sendable () -> Void) throws -> RunOutcome {
        let own = try OwnInstance(topology: topology, labFile: labFile, seed: seed, part: part, printError: printError)
        guard let own else { return .badInput }
        return try hold(own.instance, keeping: own) { try begin(own) }
    }

    /// Keeps an instance until the session is interrupted.
    /// - Parameters:
    ///   - owner: Kept alive as long as the instance.
    ///   - begin: Starts it, and returns the action to perform before it is stopped, even if the start failed.
    func hold(
        _ instance: LabInstance, keeping owner: AnyObject, begin: () throws -> @Sendable () -> Void
    ) throws -> RunOutcome {
        defer { withExtendedLifetime(owner) {} }
        let wakeUp = try EventDescriptor()
        do {
            try interruption.reaching {
                wakeUp.signal()
                instance.connection.clients.interrupt()
            } during: {
                let end = try begin()
                defer { end() }
                let leave = try beside(instance.connection)
                defer { leave() }
                try watch(instance, wakeUp: wakeUp)
            }
        } catch {
            if !interruption.isSet { printError("error: \(error)") }
            for complaint in instance.stop() { printError("error: \(complaint)") }
            return interruption.isSet ? .interrupted : .inconclusive
        }
        let complaints = instance.stop()
        for complaint in complaints { printError("error: \(complaint)") }
        print("\(instance.manifest.id) has ended")
        return complaints.isEmpty ? .passed : .inconclusive
    }

    /// Prints what is running and how to use it.
    func introduce(_ instance: LabInstance, end: String) {
        let (manifest, host) = (instance.manifest, instance.connection.host)
        print("instance \(manifest.id), topology \(manifest.topology.name)")
        let server = host.hasServer ? instance.serverReady.map { "\($0.baseURL)" } : HostRole.serverElsewhere
        if let server { print("  server  \(server)") }
        for device in manifest.topology.devices {
            let apps = device.apps.map { app in
                instance.launchTimes[app.name].map { "\(app.name) (\(FailureText.milliseconds($0)))" }
                    ?? "\(app.name) (not launched)"
            }
            print("  \(device.name)  \(host.plays(device.name) ? apps.joined(separator: ", ") : HostRole.elsewhere)")
        }
        let example = host.devices.flatMap(\.apps).first?.name ?? "server"
        print("Use it with `lab exec \(example) hasValidActivation`; `lab steps` lists the commands. \(end)")
    }

    private func watch(_ instance: LabInstance, wakeUp: EventDescriptor) throws {
        let begin = MonotonicClock.nanoseconds()
        let follower = try TraceFollower(directory: instance.manifest.tracesDirectory) { [self] event in
            if event.time >= begin, !interruption.isSet { tell(event) }
        }
        defer { follower.stop() }
        let parts = instance.connection.parts
        var known: Set<InstanceEndpoint> = []
        while !interruption.isSet {
            for (endpoint, notice) in try parts.waitForEnd(except: known, wakeUp: wakeUp.rawDescriptor) {
                known.insert(endpoint)
                printError("\(notice); its log is in \(instance.manifest.runDirectory)/logs")
            }
        }
    }

    /// Reports the start and the end of an app's process.
    private func tell(_ event: TraceEvent) {
        switch event.name {
        case .processEnded:
            guard let peer = event.fields["peer"]?.stringValue else { return }
            printError("\(peer) has ended: \(event.fields["reason"]?.stringValue ?? "reason unknown")")
        case .processStarted:
            let pid = event.fields["pid"]?.integerValue.map { " (pid \($0))" } ?? ""
            print("\(event.process) runs as \(event.process)#\(event.incarnation)\(pid)")
        default: break
        }
    }
}

/// The instance that a person's command starts and ends: `lab up`, `lab shell`, `lab record`.
///
/// Thread rule: any thread; every call may block.
public final class OwnInstance: Sendable {
    let instance: LabInstance
    /// Absolute path of the lab file that it was made from.
    public let labFile: String
    /// Held as long as the instance exists, so that its records are not taken for those of a finished run.
    private let directory: RunDirectory

    /// Creates the instance; starts nothing.
    /// - Parameters:
    ///   - topology: The topology; nil means the default one.
    ///   - labFile: The lab file; nil looks for one upwards from here.
    ///   - seed: The seed; nil draws one.
    ///   - part: The part to play here; a guest's instance comes from the owner's lab instead.
    ///   - printError: Takes the diagnostics of an unusable lab file; nil is returned then.
    /// - Throws: ``BadUsage`` for an unknown topology, or a wrong part of it; errors in creating the instance.
    public init?(
        topology: String?, labFile: String?, seed: UInt64?, part: LabPart = .whole,
        printError: @Sendable (String) -> Void
    ) throws {
        let reading = SuiteReader(labPath: labFile).readLabFile(near: ".")
        guard let labFile = reading.labFile else {
            printError(DiagnosticRenderer().render(reading.diagnostics))
            return nil
        }
        let collector = DiagnosticCollector()
        let place = SourcePlace(.start, in: labFile.file)
        guard let resolved = labFile.topology(named: topology, at: place, overrides: nil, reporting: collector) else {
            throw BadUsage(.unknownTopology(name: topology ?? "", known: labFile.names))
        }
        let (arranged, share) = try part.arranged(resolved)
        self.labFile = Files.absolute(labFile.file.path)
        directory = try RunDirectory.create(
            in: "\(Files.directory(of: self.labFile))/.lab", keeping: RunOptions(paths: []).keptRuns)
        instance = try LabInstance(
            topology: arranged, runDirectory: directory.path,
            seed: seed ?? UInt64.random(in: 0...UInt64(UInt32.max)), executables: try Executables.find(),
            labFile: self.labFile, share: share)
    }

    /// Starts everything; a failed start is cleaned up by ``stop()``.
    /// - Returns: Access to it.
    public func start() throws -> InstanceConnection {
        try instance.start()
        return instance.connection
    }

    /// Ends everything.
    /// - Returns: Leftovers.
    public func stop() -> [String] { instance.stop() }
}
