// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabPoints
import LabVocabulary
import SimulatedDevice

extension ControlError {
    @Sendable static func ofDevice(_ error: any Error) -> ControlError {
        switch error {
        case let error as ControlError: error
        case let error as DeviceStateError: device(.wrongState, error.description)
        default: device(.failed, "The device cannot do it: \(error)")
        }
    }
}

extension DeviceAgent {
    /// Refuses to start when a command of the vocabulary has no handler.
    static func checkCommandTables(_ vocabulary: Vocabulary) throws(IncompleteCommandTable) {
        try deviceCommands.checkComplete(vocabulary)
        try processCommands.checkComplete(vocabulary)
        try linkCommands.checkComplete(vocabulary)
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

    private static let deviceCommands: CommandDispatcher<DeviceAgent> = {
        var table = CommandDispatcher<DeviceAgent>(of: .device, errors: ControlError.ofDevice)
        table.answer(Processes.self) { _, agent in agent.processes() }
        table.answer(KeychainItems.self) { arguments, agent in try agent.keychainItems(service: arguments.service) }
        table.answer(SetClockSkew.self) { arguments, agent in
            let skew = arguments.skew.nanoseconds / 1_000_000
            agent.deviceClock.setSkew(milliseconds: skew)
            agent.trace.emit(.deviceClockSet, ["skew": .integer(skew)])
        }
        table.answer(ChangeVendorIdentifier.self) { _, agent in try agent.changeVendorIdentifier() }
        table.answer(GoOffline.self) { _, agent in agent.connectivity.set(.none) }
        table.answer(GoOnline.self) { arguments, agent in
            agent.connectivity.set(arguments.network.connection)
            try agent.receiveKeptPushes()
        }
        addSecurityHandlers(to: &table)
        addBackupHandlers(to: &table)
        addStorageHandlers(to: &table)
        addSharingHandlers(to: &table)
        addLinkHandlers(to: &table)
        addNotificationHandlers(to: &table)
        addWatchHandlers(to: &table)
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

    private func changeVendorIdentifier() throws -> ChangeVendorIdentifier.Result {
        let before = try registry.vendorIdentifier(team: device.team)
        try endApps()
        let now = try registry.changeVendorIdentifier(team: device.team)
        return ChangeVendorIdentifier.Result {
            $0.before = before
            $0.now = now
        }
    }

    /// Whether the push service reaches the device.
    var isOnline: Bool { connectivity.isOnline }
}

extension GoOnline.Network {
    fileprivate var connection: NetworkConnection {
        switch self {
        case .wifi: .wifi
        case .cellular: .cellular
        case .wired: .wired
        }
    }
}
