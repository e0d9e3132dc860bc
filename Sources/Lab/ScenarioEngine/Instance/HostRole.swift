// SPDX-License-Identifier: Apache-2.0

import LabControl
package import LabCore
package import ScenarioLanguage

/// The role of this host in an instance: its only host, or one of two that share its topology (docs/two-hosts.md).
///
/// The rest of the runner uses this type and does not distinguish the two. On a single host every device is local,
/// every command keeps its usual route, and no change waits for another host.
///
/// Thread rule: any thread; only ``settle(after:)`` blocks.
package struct HostRole: Sendable {
    /// Where a device of the other host is, for people.
    package static let elsewhere = "on the other host"
    /// Where a guest's server is, for people.
    package static let serverElsewhere = "of the lab that was joined"
    /// Maximum real time for a guest to acknowledge a state.
    private static let settlePatience = LabDuration.seconds(5).stretched

    package let manifest: InstanceManifest
    package let clients: ControlClients

    private var topology: Topology { manifest.topology }
    private var isGuest: Bool { manifest.share?.side == .guest }

    /// Whether the server runs on this host. A guest uses the owner's.
    package var hasServer: Bool { !isGuest }

    /// The devices that this host plays.
    package var devices: [DeviceSpec] { topology.devices.filter { plays($0.name) } }

    /// The devices that the other host plays.
    package var awayDevices: [DeviceSpec] { topology.devices.filter { !plays($0.name) } }

    /// The links in use both of whose devices this host plays.
    package var links: [LinkSpec] { topology.linksInUse.filter { plays($0.phone) && plays($0.watch) } }

    /// Whether this host plays a device, so that its processes and their identifiers are of this host.
    package func plays(_ device: String) -> Bool { manifest.share?.devices.contains(device) ?? true }

    /// Whether an endpoint for a device is here. The owner represents the devices of its guest.
    func reaches(_ device: String) -> Bool { !isGuest || plays(device) }

    /// The destination of a command. Commands that only the runner of a device's host can carry out go there.
    func route(of target: Target) -> Target.Route {
        guard target.kind == .deviceProcess, !isGuest, !plays(target.actor) else { return target.route }
        return .endpoint(.agent(target.actor), about: target.actor)
    }

    /// Why an actor cannot be addressed here; nil when it can. Only a guest refuses: every actor can be addressed at
    /// the owner.
    func refusal(of target: Target) -> ControlError? {
        guard isGuest else { return nil }
        let isHere =
            switch target.kind {
            case .trace: true
            case .clock, .faults, .server, .serverProcess: false
            case .device, .deviceProcess: plays(target.actor)
            case .app, .app2, .appExtension, .watchApp, .process:
                topology.app(named: target.actor).map { plays($0.device.name) } ?? false
            case .link: topology.link(named: target.actor).map { plays($0.phone) } ?? false
            }
        return isHere
            ? nil
            : ControlError(
                .notHere,
                message: "`\(target.actor)` belongs to the lab that this one has joined; give the command there")
    }

    /// Waits until the joined lab has applied what a command to an actor has changed: it follows clock and faults.
    package func settle(after target: Target) {
        guard manifest.share?.side == .owner, target.kind == .clock || target.kind == .faults else { return }
        // A guest that does not answer gets the state when it reconnects.
        _ = try? clients[.join].call(ControlRequest(command: "settle"), timeout: Self.settlePatience)
    }
}

extension [DeviceSpec] {
    /// The names of the devices' processes: their agents and their apps.
    package var processNames: Set<String> { Set(flatMap { [$0.name] + $0.apps.map(\.name) }) }
}
