import LabKit
import LabSystem
import SimulatedDevice

extension ControlError {
    /// The error of a refused command about a device.
    @Sendable static func ofDevice(_ error: any Error) -> ControlError {
        switch error {
        case let error as ControlError: error
        case let error as DeviceStateError: device(.wrongState, error.description)
        default: device(.failed, "The device cannot do it: \(error)")
        }
    }
}

/// What a command about a link acts on.
struct LinkTarget {
    let agent: DeviceAgent
    let link: LinkHost
}

extension DeviceAgent {
    /// Refuses to start when a command of the vocabulary has no handler.
    static func checkCommandTables() throws(IncompleteCommandTable) {
        try deviceCommands.checkComplete()
        try processCommands.checkComplete()
        try linkCommands.checkComplete()
    }

    /// Carries out a command of the control channel. Its actor is the device itself, one of its apps, or one of its
    /// links; without an actor it is the device.
    func handle(_ request: ControlRequest, _ responder: ControlResponder) {
        let actor = request.actor ?? device.name
        if request.command == "ping", actor == device.name { return responder.succeed() }
        let reply: @Sendable (Result<JSONValue, ControlError>) -> Void = { responder.reply($0) }
        if actor == device.name {
            Self.deviceCommands.perform(request, on: self, reply)
        } else if let host = hosts[actor] {
            Self.processCommands.perform(request, on: ProcessTarget(agent: self, host: host), reply)
        } else if let link = links.first(where: { $0.name == actor }) {
            Self.linkCommands.perform(request, on: LinkTarget(agent: self, link: link), reply)
        } else {
            let known = [device.name] + hosts.keys.sorted() + links.map(\.name)
            responder.fail(
                .device(
                    .unknownActor,
                    "The device `\(device.name)` has no `\(actor)`; known are \(known.joined(separator: ", "))."))
        }
    }

    /// The commands of the device.
    private static let deviceCommands: CommandDispatcher<DeviceAgent> = {
        var table = CommandDispatcher<DeviceAgent>(of: .device, errors: ControlError.ofDevice)
        table.answer(Processes.self) { _, agent in agent.processes() }
        table.answer(KeychainItems.self) { arguments, agent in try agent.keychainItems(service: arguments.service) }
        table.answer(HeldFileLocks.self) { _, agent in try agent.fileLocks() }
        table.answer(SetClockSkew.self) { arguments, agent in
            let skew = arguments.skew.nanoseconds / 1_000_000
            agent.deviceClock.setSkew(milliseconds: skew)
            agent.trace.emit(.deviceClockSet, ["skew": .integer(skew)])
        }
        addSecurityHandlers(to: &table)
        addDiskHandlers(to: &table)
        addSharedDataHandlers(to: &table)
        addSharingInspection(to: &table)
        addLinkInspection(to: &table)
        addConnectivityHandlers(to: &table)
        addNotificationHandlers(to: &table)
        addStartHandlers(to: &table)
        addWatchHandlers(to: &table)
        return table
    }()

    /// The commands of a link.
    private static let linkCommands: CommandDispatcher<LinkTarget> = {
        var table = CommandDispatcher<LinkTarget>(of: .link, errors: ControlError.ofDevice)
        table.answer(LinkDown.self) { _, target in target.link.collect(.range(isInRange: false)) }
        table.answer(LinkUp.self) { _, target in target.link.collect(.range(isInRange: true)) }
        addPairingHandlers(to: &table)
        addFaultHandlers(to: &table)
        return table
    }()

    private func processes() -> Processes.Result {
        device.apps.compactMap { app in
            guard let process = hosts[app.name]?.process else { return nil }
            return Processes.Process {
                $0.app = app.name
                $0.state = process.phase.reported
                $0.pid = process.pid
                $0.incarnation = process.incarnation
            }
        }
    }

    private func fileLocks() throws -> HeldFileLocks.Result {
        try device.apps.flatMap { app in
            guard let pid = hosts[app.name]?.process.pid else { return [HeldFileLocks.Lock]() }
            return try ProcessTable.heldLocks(by: pid).compactMap { lock in
                guard let path = lock.path, path.hasPrefix(layout.root + "/") else { return nil }
                return HeldFileLocks.Lock {
                    $0.app = app.name
                    $0.file = String(path.dropFirst(layout.root.count + 1))
                    $0.isExclusive = lock.isExclusive
                }
            }
        }
    }

    private func keychainItems(service: String?) throws -> KeychainItems.Result {
        try KeychainInventory(path: layout.keychainPath(device.name)).entries(service: service).map { entry in
            KeychainItems.Item {
                $0.service = entry.key.service
                $0.account = entry.key.account
                $0.accessGroup = entry.key.accessGroup
                $0.size = entry.size
                $0.generation = Int(entry.generation)
            }
        }
    }
}

extension AppProcess.Phase {
    /// The phase as the device reports it.
    var reported: Processes.State {
        switch self {
        case .notRunning: .notRunning
        case .launching, .running: .running
        case .suspending, .suspended: .suspended
        }
    }
}
