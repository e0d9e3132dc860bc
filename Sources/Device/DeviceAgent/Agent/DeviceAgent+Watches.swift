import LabKit
import SimulatedDevice

/// The watches of a phone: which one it uses, and which are paired (watch.md, sections 9.1 and 9.6).
extension DeviceAgent {
    /// The link that new sessions belong to; nil without any.
    var activeLink: LinkHost? { links.first { $0.link.role == .active } ?? links.first }

    /// The role of a link after a start of the device.
    static func role(of link: LinkSpec, on device: DeviceSpec, _ topology: Topology, _ registry: DeviceRegistry) throws
        -> LinkRole
    {
        guard device.kind == .phone else { return .active }
        guard try registry.isPaired(link.name) else { return .unpaired }
        let chosen = try registry.activeLink() ?? topology.links(of: device.name).first?.name
        return link.name == chosen ? .active : .idle
    }

    /// Adds the command that changes the watch.
    static func addWatchHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
        table.answer(SwitchWatch.self) { arguments, agent in try agent.switchWatch(to: arguments.link) }
    }

    /// Adds the commands about the pairing of a watch.
    static func addPairingHandlers(to table: inout CommandDispatcher<LinkTarget>) {
        table.answer(PairWatch.self) { _, target in try target.agent.pair(target.link) }
        table.answer(UnpairWatch.self) { _, target in try target.agent.unpair(target.link) }
    }

    private func switchWatch(to name: String) throws {
        guard device.kind == .phone else {
            throw ControlError.device(.wrongState, "\(device.name) is a watch, which has one phone.")
        }
        guard let link = links.first(where: { $0.name == name }) else {
            throw ControlError.device(
                .wrongState,
                "\(device.name) has no link `\(name)`; it has \(links.map(\.name).joined(separator: ", ")).")
        }
        guard link.link.role != .unpaired else {
            throw ControlError.device(.wrongState, "The watch of `\(name)` is not paired; `\(name): pair` pairs it.")
        }
        guard link.link.role != .active else {
            throw ControlError.device(.wrongState, "\(device.name) uses the watch of `\(name)` already.")
        }
        try registry.setActiveLink(name)
        use(link)
    }

    /// Uses a watch. Sessions become inactive; each is deactivated when all that the watch before has sent is handled.
    private func use(_ link: LinkHost) {
        for other in links where other.link.role == .active { other.collect(.role(.idle)) }
        link.collect(.role(.active))
        for host in hosts.values.sorted(by: { $0.spec.name < $1.spec.name })
        where host.isActivated && !host.isInactive {
            host.isInactive = true
            send(WatchFrame(.sessionInactive), to: host)
        }
    }

    private func unpair(_ link: LinkHost) throws {
        guard link.link.role != .unpaired else {
            throw ControlError.device(.wrongState, "The watch of `\(link.name)` is not paired.")
        }
        try registry.setPaired(link.name, false)
        link.unpair()
    }

    private func pair(_ link: LinkHost) throws {
        guard link.link.role == .unpaired else {
            throw ControlError.device(.wrongState, "The watch of `\(link.name)` is paired already.")
        }
        try registry.setPaired(link.name, true)
        let isUsed = !links.contains { $0.link.role == .active }
        if isUsed { try registry.setActiveLink(link.name) }
        link.collect(.role(isUsed ? .active : .idle))
        guard isUsed else { return }
        // Sessions that belong to another watch, which is not paired, come over.
        for host in hosts.values where host.isActivated && host.session !== link && !host.isInactive {
            host.isInactive = true
            send(WatchFrame(.sessionInactive), to: host)
        }
    }

    /// The roles that the links have on a device that is as new.
    func forgetWatches() throws {
        for link in links {
            guard let spec = manifest.topology.link(named: link.name) else { continue }
            link.collect(.role(try Self.role(of: spec, on: device, manifest.topology, registry)))
        }
    }

    /// The link of a session that is being activated: of a watch whose data are still queued, or of the watch in use.
    func beginSession(of host: AppHost) {
        let before = links.first { $0.link.role == .idle && $0.link.inbox.count(for: host.spec.name) > 0 }
        host.session = before ?? activeLink
        host.isInactive = before != nil
    }

    /// Deactivates the sessions that have got everything of the watch before.
    func deactivateDrainedSessions() {
        for host in hosts.values.sorted(by: { $0.spec.name < $1.spec.name }) where host.isInactive {
            guard host.session?.link.inbox.count(for: host.spec.name) ?? 0 == 0 else { continue }
            endSession(of: host)
            send(WatchFrame(.sessionDeactivated), to: host)
            tellLinks(about: host)
        }
    }

    /// The session of an app is no longer activated.
    func endSession(of host: AppHost) {
        host.isActivated = false
        host.isInactive = false
        host.session = nil
    }
}
