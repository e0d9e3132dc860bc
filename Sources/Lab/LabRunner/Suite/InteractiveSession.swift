import LabKit
import LabSystem

/// A running instance for people and tools: the work of `lab up`.
///
/// Thread rule: `run` is called once, on a thread that may block.
public final class InteractiveSession: Sendable {
    private let topology: String?
    private let labFile: String?
    private let seed: UInt64?
    private let part: LabPart
    private let beside: Companion
    let interruption: Interruption
    let print: @Sendable (String) -> Void
    let printError: @Sendable (String) -> Void

    /// Work beside the instance: started when it is ready; the returned closure ends it.
    public typealias Companion = @Sendable (InstanceConnection) throws -> @Sendable () -> Void

    /// A session.
    ///
    /// - Parameters:
    ///   - topology: The topology; nil means the default one.
    ///   - labFile: The lab file; nil looks for one.
    ///   - seed: The seed; nil draws one.
    ///   - part: The part to play here.
    ///   - beside: The work beside it.
    ///   - interruption: Ends the session.
    ///   - print: Takes lines.
    ///   - printError: Takes diagnostics.
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
    public func run() throws -> RunOutcome {
        if case .guest(let devices, let address, let keyPath) = part {
            guard topology == nil, seed == nil else {
                throw BadUsage(sentence: "topology and seed are set by the lab that is joined; specify them there")
            }
            return try join(address, keyPath: keyPath, devices: devices, labFile: labFile)
        }
        guard case .owner(let devices, let address, let keyPath) = part else {
            guard
                let own = try OwnInstance(topology: topology, labFile: labFile, seed: seed, printError: printError)
            else { return .badInput }
            return try hold(own.instance, keeping: own) { instance in
                try instance.start()
                introduce(instance, end: "Ctrl-C ends it.")
                return {}
            }
        }
        let own = try OwnInstance(topology: topology, labFile: labFile, seed: seed, printError: printError) {
            try LabPart.share(of: $0, devices: devices, listen: address)
        }
        guard let own else { return .badInput }
        let path = keyPath ?? "\(Files.directory(of: own.labFile))/.lab/join.key"
        return try hold(own.instance, keeping: own) { instance in
            try listen(at: address, keyPath: Files.absolute(path), for: instance)
        }
    }

    /// Keeps an instance until the session is interrupted.
    ///
    /// - Parameters:
    ///   - instance: The instance.
    ///   - owner: Kept alive as long as the instance.
    ///   - begin: Starts it, and returns the action to perform before it is stopped, even if the start failed.
    func hold(
        _ instance: LabInstance, keeping owner: AnyObject,
        begin: (LabInstance) throws -> @Sendable () -> Void
    ) throws -> RunOutcome {
        defer { withExtendedLifetime(owner) {} }
        let wakeUp = try EventDescriptor()
        do {
            try interruption.reaching {
                wakeUp.signal()
                instance.connection.clients.interrupt()
            } during: {
                let end = try begin(instance)
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
        let manifest = instance.manifest
        print("instance \(manifest.id), topology \(manifest.topology.name)")
        if manifest.isGuest {
            print("  server  of the lab that was joined")
        } else if let ready = instance.serverReady {
            print("  server  \(ready.baseURL)")
        }
        for device in manifest.topology.devices {
            guard manifest.plays(device.name) else {
                print("  \(device.name)  on the other host")
                continue
            }
            let apps = device.apps.map { app in
                instance.launchTimes[app.name].map { "\(app.name) (\(TerminalReport.milliseconds($0)))" }
                    ?? "\(app.name) (not launched)"
            }
            print("  \(device.name)  \(apps.joined(separator: ", "))")
        }
        let played = manifest.topology.devices.filter { manifest.plays($0.name) }.flatMap(\.apps)
        let example = played.first?.name ?? "server"
        print("Use it with `lab exec \(example) hasValidActivation`; `lab steps` lists the commands. \(end)")
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
