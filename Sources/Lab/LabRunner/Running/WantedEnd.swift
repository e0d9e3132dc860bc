import LabKit
import LabSystem

/// The end of an app's process that a command explains.
struct WantedEnd: Sendable {
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

    let app: String
    let manner: Manner

    /// Whether it explains the recorded end of a process.
    ///
    /// - Parameters:
    ///   - event: The device's record of the end.
    ///   - wasReady: Whether the process had become ready.
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
    ///
    /// - Parameter error: The error of the command; part of its work may have been done.
    static func of(_ command: String, to target: Target, error: ControlError?, in topology: Topology) -> [WantedEnd] {
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
        case (.device, Reboot.name), (.device, Erase.name), (.deviceProcess, KillDevice.name),
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
}
