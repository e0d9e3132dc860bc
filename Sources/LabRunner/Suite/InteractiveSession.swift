internal import Foundation
internal import LabFile
internal import LabKit
internal import LabSystem

/// An instance kept for people and tools: what `lab up` does.
///
/// Thread rule: `run` is called once, on a thread that may block.
public final class InteractiveSession: Sendable {
    private let topology: String?
    private let labFile: String?
    private let seed: UInt64?
    private let interruption: Interruption
    private let print: @Sendable (String) -> Void
    private let printError: @Sendable (String) -> Void

    /// A session.
    ///
    /// - Parameters:
    ///   - topology: The topology; nil means the default one.
    ///   - labFile: The lab file; nil looks for one.
    ///   - seed: The seed; nil draws one.
    ///   - interruption: Ends the session.
    ///   - print: Takes lines.
    ///   - printError: Takes diagnostics.
    public init(
        topology: String?, labFile: String?, seed: UInt64?, interruption: Interruption,
        print: @escaping @Sendable (String) -> Void, printError: @escaping @Sendable (String) -> Void
    ) {
        self.topology = topology
        self.labFile = labFile
        self.seed = seed
        self.interruption = interruption
        self.print = print
        self.printError = printError
    }

    /// Starts the instance, tells how to use it, reports what happens to its processes, and ends it when
    /// interrupted.
    public func run() throws -> RunOutcome {
        let reading = SuiteReader(labPath: labFile).readLabFile(near: ".")
        guard let labFile = reading.labFile else {
            printError(DiagnosticRenderer().render(reading.diagnostics))
            return .badInput
        }
        let collector = DiagnosticCollector()
        let place = SourcePlace(.start, in: labFile.file)
        guard let resolved = labFile.topology(named: topology, at: place, overrides: nil, reporting: collector) else {
            throw BadUsage(.unknownTopology(name: topology ?? "", known: labFile.names))
        }
        let path = Files.absolute(labFile.file.path)
        let directory = try RunDirectory.create(
            in: "\(Files.directory(of: path))/.lab", keeping: RunOptions(paths: []).keptRuns)
        defer { withExtendedLifetime(directory) {} }
        let wakeUp = try EventDescriptor()
        let instance = try LabInstance(
            topology: resolved, runDirectory: directory.path, seed: seed ?? UInt64.random(in: 0...UInt64(UInt32.max)),
            executables: try Executables.find(), labFile: path)
        do {
            try interruption.reaching {
                wakeUp.signal()
                instance.connection.clients.interrupt()
            } during: {
                try instance.start()
                introduce(instance)
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

    private func introduce(_ instance: LabInstance) {
        print("instance \(instance.manifest.id), topology \(instance.manifest.topology.name)")
        if let ready = instance.serverReady { print("  server  \(ready.baseURL)") }
        for device in instance.manifest.topology.devices {
            let apps = device.apps.map { app in
                instance.launchTimes[app.name].map { "\(app.name) (\(TerminalReport.milliseconds($0)))" }
                    ?? "\(app.name) (not launched)"
            }
            print("  \(device.name)  \(apps.joined(separator: ", "))")
        }
        let example = instance.manifest.topology.apps.first?.name ?? "server"
        print("Use it with `lab exec \(example) hasValidActivation`; `lab steps` lists the commands. Ctrl-C ends it.")
    }

    private func watch(_ instance: LabInstance, wakeUp: EventDescriptor) throws {
        let begin = MonotonicClock.nanoseconds()
        let follower = try TraceFollower(directory: instance.manifest.tracesDirectory) { [self] event in
            if event.time >= begin, !interruption.isSet { tell(event) }
        }
        defer { follower.stop() }
        var known: Set<InstanceEndpoint> = []
        while !interruption.isSet {
            for (endpoint, notice) in try instance.waitForEnd(except: known, wakeUp: wakeUp.rawDescriptor) {
                known.insert(endpoint)
                printError("\(notice); its log is in \(instance.manifest.runDirectory)/logs")
            }
        }
    }

    /// Tells of the begin and the end of an app's process.
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
