// SPDX-License-Identifier: Apache-2.0

import Glibc
import LabChecks
package import LabControl
package import LabCore
import LabPoints
import LabSystem
import LabVocabulary
package import ScenarioLanguage

/// The ended processes of apps, each judged by itself: a command to end another process, or an earlier one of the same
/// app, explains nothing.
struct AppDeaths {
    /// Processes whose end neither a command, a fault nor the device's system explains, in the order of their ends.
    let unwanted: [RecordedHistory.Incarnation]

    /// Evaluates the devices' records of process ends.
    /// - Parameter wanted: The ends that commands have asked for. Each of them explains one end.
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
            // The device's system ends a process for a cause, and all processes when the device shuts down.
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
    package static func sentence(_ death: RecordedHistory.Incarnation, in records: String) -> String {
        "the process of `\(death.process)` died by itself; its log is \(records)/logs"
    }

    /// The message of an ending agent about its apps.
    static let endWithDevice = "device ended"

    /// Evaluates the processes of an instance so far.
    /// - Throws: if the traces cannot be read.
    init(in instance: InstanceConnection) throws {
        let (topology, wanted) = (instance.manifest.topology, instance.wantedEnds)
        let ended = instance.watchedPeers.filter(\.watch.hasEnded)
        // A device looks for ends before it answers, so its trace contains every process that has ended by now.
        let devices = Set(ended.compactMap { topology.app(named: $0.name)?.device.name })
        for device in devices { _ = try? instance.processes(of: device) }
        var events = try instance.deviceEvents()
        // Reading all traces takes time, and in most scenarios no process ends.
        let mayBeUnwanted = events.contains { $0.name == .processEnded && $0.fields["cause"] == nil }
        if mayBeUnwanted || !ended.isEmpty {
            events = try TraceReader.readAll(instance.manifest.tracesDirectory) {
                [.processReady, .processEnded, .faultFired].contains($0.name)
            }
        }
        let told = AppDeaths(events, of: Set(topology.apps.map(\.name)), wanted: wanted).unwanted
        let known = Set(events.compactMap { $0.name == .processEnded ? $0.fields["pid"]?.integerValue : nil })
        // The apps of a device whose process died die unrecorded. The instance decides whether the device's end was
        // wanted.
        let untold = ended.filter { app, watch in
            guard !known.contains(Int64(watch.pid)), let (device, _) = topology.app(named: app) else { return false }
            return instance.parts.process(of: .agent(device.name)) != nil
                && !events.contains { $0.isKillByFault && $0.process == device.name }
                && !wanted.contains { $0.app == app }
        }
        unwanted = told + untold.map { RecordedHistory.Incarnation($0.name, 0) }
    }
}

extension LabInstance {
    /// The messages about apps whose processes have died unexpectedly so far, a sentence each. Blocks.
    public var unwantedDeaths: [String] {
        do {
            return try AppDeaths(in: connection).unwanted.map { AppDeaths.sentence($0, in: manifest.runDirectory) }
        } catch {
            return ["whether a process died by itself is not known: \(error)"]
        }
    }
}

extension InstanceConnection {
    /// The records of the devices.
    fileprivate func deviceEvents() throws -> [TraceEvent] {
        let devices = Set(manifest.topology.devices.map(\.name))
        let directory = manifest.tracesDirectory
        return try Files.list(directory).filter { name in
            name.hasSuffix(".jsonl") && devices.contains(String(name.prefix { $0 != "#" }))
        }.flatMap { try TraceReader.read("\(directory)/\($0)").events }
    }
}

extension TraceEvent {
    /// Whether an armed fault kills the process that recorded the event. A fault that delays or fails an operation
    /// explains no death.
    var isKillByFault: Bool {
        name == .faultFired && fields["action"]?.stringValue == FaultActionWord.kill.rawValue
    }
}

/// The end of an app's process that a command explains.
package struct WantedEnd: Sendable {
    /// How the process may end.
    enum Manner: Sendable {
        /// At once.
        case killed
        /// It was asked to end, and chooses its exit code.
        case terminated
        /// In any way, before it is ready: the command that launched it has failed.
        case notLaunched
        /// In any way, this process: a command expected its end.
        case died(pid: Int32)
    }

    package let app: String
    let manner: Manner

    /// Whether it explains the recorded end of a process.
    func explains(_ event: TraceEvent, wasReady: Bool) -> Bool {
        let (signal, status) = (event.fields["signal"]?.stringValue, event.fields["status"])
        guard event.fields["peer"] == .string(app) else { return false }
        return switch manner {
        case .killed: status == nil && [nil, "SIGKILL"].contains(signal)
        case .terminated: status != nil || [nil, "SIGKILL", "SIGTERM"].contains(signal)
        case .notLaunched: !wasReady
        case .died(let pid): event.fields["pid"] == .integer(Int64(pid))
        }
    }

    /// The ends of processes that a command asks for.
    /// - Parameter error: The error of the command; part of its work may have been done.
    package static func of(_ command: String, to target: Target, error: ControlError?, in topology: Topology)
        -> [WantedEnd]
    {
        let actor = target.actor
        func killed(_ apps: [String]) -> [WantedEnd] { apps.map { WantedEnd(app: $0, manner: .killed) } }
        let notLaunched = error == nil ? [] : [WantedEnd(app: actor, manner: .notLaunched)]
        switch (target.kind, command) {
        case (.process, Kill.name), (.process, OutOfMemory.name), (.process, ForceQuit.name): return killed([actor])
        case (.process, Terminate.name): return [WantedEnd(app: actor, manner: .terminated)]
        case (.process, Launch.name): return notLaunched
        case (.process, Relaunch.name): return killed([actor]) + notLaunched
        case (.process, Uninstall.name), (.process, Reinstall.name):
            let extensions = topology.apps.filter { $0.kind == .appExtension && $0.host == actor }
            return killed([actor] + extensions.map(\.name))
        case (.device, Reboot.name), (.device, Erase.name), (.device, RestoreBackup.name),
            (.device, ChangeVendorIdentifier.name), (.deviceProcess, KillDevice.name),
            (.deviceProcess, SwitchOffDevice.name):
            return killed((topology.device(named: actor)?.apps ?? []).map(\.name))
        default: return []
        }
    }
}

extension InstanceConnection {
    /// Records that an app has died during a command that expects that.
    func expectDeath(answeredBy error: ControlError?, to target: Target) {
        guard error?.isDeath == true, case .endpoint(.peer(let app), _) = target.route,
            let pid = watch(of: .peer(app))?.pid
        else { return }
        expect([WantedEnd(app: app, manner: .died(pid: pid))])
    }

    /// Kills an app without its device, if an order of turns holds the agent of that: it answers no command, and records
    /// the end when it continues.
    /// - Returns: Whether the app was killed; it is gone then. False while the agent is not held.
    /// - Throws: ``LabFailure`` if the process is not known or does not end.
    private func killBesideHeldAgent(_ app: String) throws -> Bool {
        guard let (device, _) = manifest.topology.app(named: app),
            case .held = faults.turns.place(of: device.name).place
        else { return false }
        guard let process = watch(of: .peer(app)) else { throw LabFailure("the process of `\(app)` is not known") }
        expect([WantedEnd(app: app, manner: .died(pid: process.pid))])
        try process.signal(SIGKILL)
        try waitForEnd(of: process)
        return true
    }

    /// Waits until the apps of a device that was killed are gone, and the other devices have noticed it, so that the
    /// next turn depends on neither. A device that an order of turns holds notices it when it continues.
    /// - Throws: ``LabFailure`` if an app does not end.
    private func settle(afterDeathOf device: DeviceSpec) throws {
        for (app, process) in watchedPeers where device.apps.contains(where: { $0.name == app }) {
            try waitForEnd(of: process)
        }
        for other in manifest.topology.linkedDevices where other.name != device.name && host.plays(other.name) {
            guard faults.turns.place(of: other.name).place == .running else { continue }
            // A device looks for ends before it answers; one that has died, too, answers nothing.
            _ = try? processes(of: other.name)
        }
    }

    private func waitForEnd(of process: ProcessWatch) throws {
        guard try process.waitForExit(timeoutNanoseconds: TurnScheduler.bound.nanoseconds) else {
            throw LabFailure("process \(process.pid) does not end")
        }
    }
}

/// A command after which a process that an order of turns has killed runs again.
package struct Restart: Sendable {
    /// The name of the command.
    package let command: String
    /// The actor that gets it.
    package let actor: String
}

// What an order of turns kills, and what starts it again. All calls block.
extension InstanceConnection {
    /// Kills an app, or a device with its apps, and returns when all of them are gone.
    /// - Parameter perform: Gives a command to an actor, and notes that the death is wanted.
    /// - Throws: What `perform` throws; ``LabFailure`` if a process does not end.
    package func killInTurn(
        _ process: String, by perform: (_ command: String, _ actor: String) throws -> Void
    ) throws {
        if try killBesideHeldAgent(process) { return }
        // That of an app ends when its device has recorded the end.
        try perform(Kill.name, process)
        if let device = manifest.topology.device(named: process) { try settle(afterDeathOf: device) }
    }

    /// The commands after which each device that a plan kills, and its apps, are as they are now.
    /// - Parameters:
    ///   - branches: The apps of the block: each one runs at its end.
    ///   - timeout: The longest time to wait for the answer of a device, in real time.
    package func restarts(
        after plan: TurnScheduler.Plan, of branches: [String], timeout: LabDuration
    ) throws -> [String: [Restart]] {
        var restarts: [String: [Restart]] = [:]
        for turn in plan.turns where turn.dies && manifest.topology.device(named: turn.process) != nil {
            restarts[turn.process] = try restart(of: turn.process, with: branches, timeout: timeout)
        }
        return restarts
    }

    private func restart(of device: String, with branches: [String], timeout: LabDuration) throws -> [Restart] {
        let security = try ActorSession(instance: self).call(SecurityOfDevice(), by: device, timeout: timeout)
        var commands = [Restart(command: SwitchOnDevice.name, actor: device)]
        if security.isUnlockedSinceBoot { commands.append(Restart(command: UnlockDevice.name, actor: device)) }
        for process in try processes(of: device)
        where process.state != .notRunning || branches.contains(process.app) {
            commands.append(Restart(command: Launch.name, actor: process.app))
            if process.state == .suspended { commands.append(Restart(command: Suspend.name, actor: process.app)) }
        }
        if security.isLocked { commands.append(Restart(command: LockDevice.name, actor: device)) }
        return commands
    }

    /// Starts the apps and devices that have died in a block, so that what follows finds each of them running.
    /// - Parameters:
    ///   - restarts: The commands for each device that has died.
    ///   - perform: Gives a command.
    ///   - onFailure: Called with the death, the command and its error.
    /// - Returns: Those that could not be started.
    package func startAgain(
        _ deaths: [Turn], by restarts: [String: [Restart]], perform: (Restart) throws -> Void,
        onFailure: (Turn, Restart, any Error) -> Void
    ) -> Set<String> {
        let begin = MonotonicClock.nanoseconds()
        var missing: Set<String> = []
        for death in deaths {
            // The commands of its device launch it, too.
            if let (device, _) = manifest.topology.app(named: death.process), restarts[device.name] != nil { continue }
            for restart in restarts[death.process] ?? [Restart(command: Launch.name, actor: death.process)] {
                do {
                    try perform(restart)
                } catch {
                    missing.insert(death.process)
                    onFailure(death, restart, error)
                    break
                }
            }
        }
        let links = host.links.filter { restarts[$0.phone] != nil || restarts[$0.watch] != nil }
        waitForLinks(links.filter { (try? linksInRange(of: $0.phone))?[$0.name] == true }, since: begin)
        return missing
    }
}
