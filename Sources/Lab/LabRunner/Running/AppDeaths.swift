internal import LabChecks
internal import LabKit
internal import LabSystem

/// The processes of apps that have ended, each by itself: that another one, or an earlier one of the same app, was wanted to
/// end explains nothing.
struct AppDeaths {
    /// Those that neither a command, a fault nor the system of the device explains, in the order of their ends.
    let unwanted: [RecordedHistory.Incarnation]

    /// Judges what devices have recorded about the ends of processes.
    ///
    /// - Parameters:
    ///   - events: Of all processes, in the order of time; other events do not matter.
    ///   - wanted: What commands have asked for. Each of them explains one end.
    init(_ events: [TraceEvent], of apps: Set<String>, wanted: [WantedEnd]) {
        var wanted = wanted
        var killed: Set<RecordedHistory.Incarnation> = []
        var ready: Set<RecordedHistory.Incarnation> = []
        var unwanted: [RecordedHistory.Incarnation] = []
        for event in events {
            if event.isKillByFault { killed.insert(event.incarnationOfProcess) }
            if event.name == .processReady { ready.insert(event.incarnationOfProcess) }
            guard event.name == .processEnded, let app = event.fields["peer"]?.stringValue, apps.contains(app) else {
                continue
            }
            let process = RecordedHistory.Incarnation(app, Int(event.fields["incarnation"]?.integerValue ?? 0))
            // The system of the device ends a process for a cause, and all of them with the device.
            if event.fields["cause"] != nil || event.fields["reason"]?.stringValue == Self.endWithDevice { continue }
            if killed.contains(process), event.fields["signal"] == "SIGKILL" { continue }
            if let explanation = wanted.firstIndex(where: { $0.explains(event, wasReady: ready.contains(process)) }) {
                wanted.remove(at: explanation)
            } else {
                unwanted.append(process)
            }
        }
        self.unwanted = unwanted
    }

    /// - Parameter records: The directory with the logs.
    static func sentence(_ death: RecordedHistory.Incarnation, in records: String) -> String {
        "the process of `\(death.process)` died by itself; its log is \(records)/logs"
    }

    /// What an agent that ends says about its apps.
    static let endWithDevice = "device ended"
}

extension AppDeaths {
    /// Judges the processes of an instance so far.
    ///
    /// - Throws: when the traces cannot be read.
    init(in instance: InstanceConnection) throws {
        let (topology, wanted) = (instance.manifest.topology, instance.wantedEnds)
        let ended = instance.watchedPeers.filter(\.watch.hasEnded)
        // A device looks for ends before it answers: what has ended by now is in its trace then.
        let devices = Set(ended.compactMap { topology.app(named: $0.name)?.device.name })
        for device in devices { _ = try? instance.processes(of: device) }
        var events = try instance.deviceEvents()
        // To read all traces takes its time, and in most scenarios no process ends.
        let mayBeUnwanted = events.contains { $0.name == .processEnded && $0.fields["cause"] == nil }
        if mayBeUnwanted || !ended.isEmpty {
            events = try TraceReader.readAll(instance.manifest.tracesDirectory) {
                [.processReady, .processEnded, .faultFired].contains($0.name)
            }
        }
        let told = AppDeaths(events, of: Set(topology.apps.map(\.name)), wanted: wanted).unwanted
        let known = Set(events.compactMap { $0.name == .processEnded ? $0.fields["pid"]?.integerValue : nil })
        // With a device whose process has died its apps die untold. Who wanted the device's end is judged with the instance.
        let untold = ended.filter { app, watch in
            guard !known.contains(Int64(watch.pid)), let (device, _) = topology.app(named: app) else { return false }
            return instance.process(of: .agent(device.name)) != nil
                && !events.contains { $0.isKillByFault && $0.process == device.name }
                && !wanted.contains { $0.app == app }
        }
        unwanted = told + untold.map { RecordedHistory.Incarnation($0.name, 0) }
    }
}

extension LabInstance {
    /// What is to be said of apps whose processes have died by themselves so far, a sentence each. Blocks.
    public var unwantedDeaths: [String] {
        do {
            return try AppDeaths(in: connection).unwanted.map { AppDeaths.sentence($0, in: manifest.runDirectory) }
        } catch {
            return ["whether a process died by itself is not known: \(error)"]
        }
    }
}

extension InstanceConnection {
    /// What the devices have recorded.
    fileprivate func deviceEvents() throws -> [TraceEvent] {
        let devices = Set(manifest.topology.devices.map(\.name))
        let directory = manifest.tracesDirectory
        return try Files.list(directory).filter { name in
            name.hasSuffix(".jsonl") && devices.contains(String(name.prefix { $0 != "#" }))
        }.flatMap { try TraceReader.read("\(directory)/\($0)").events }
    }
}

extension TraceEvent {
    /// Whether an armed fault kills the process that has recorded the event. A fault that delays or fails something explains
    /// no death.
    var isKillByFault: Bool {
        name == .faultFired && fields["action"]?.stringValue == FaultActionWord.kill.rawValue
    }
}
