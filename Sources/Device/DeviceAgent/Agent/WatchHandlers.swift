// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabSystem
import LabVocabulary
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

    static func addWatchHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
        table.answer(SwitchWatch.self) { arguments, agent in try agent.switchWatch(to: arguments.link) }
    }

    static func addWatchHandlers(to table: inout CommandDispatcher<LinkTarget>) {
        table.answer(PairWatch.self) { _, target in try target.agent.pair(target.link) }
        table.answer(UnpairWatch.self) { _, target in try target.agent.unpair(target.link) }
    }

    static func addWatchHandlers(to table: inout CommandDispatcher<ProcessTarget>) {
        table.answer(AddComplication.self) { _, target in try target.agent.show(true, complicationOf: target.host) }
        table.answer(RemoveComplication.self) { _, target in try target.agent.show(false, complicationOf: target.host) }
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

    /// Reads a file of an app as it is now, and queues it.
    func sendFile(_ frame: WatchFrame, from host: AppHost, over link: LinkHost) {
        func refuse(_ code: Int) {
            send(WatchFrame(.transferQueued, messageId: frame.messageId, sequence: UInt64(code)), to: host)
        }
        guard case .file(let file)? = TransferContent(frame) else { return refuse(LinkCode.generic) }
        guard let content = try? Files.read(file.path) else { return refuse(LinkCode.fileAccessDenied) }
        guard content.count <= WatchFile.limit else { return refuse(LinkCode.payloadTooLarge) }
        link.collect(.file(host.spec.name, frame.messageId, file, content))
    }

    /// Puts a file that has arrived into the container of its app, and reports it to the app. What the storage refuses stays queued.
    func handOver(_ file: ReceivedFile, to host: AppHost, of link: LinkHost) {
        guard host.address != nil, let name = file.file.name else { return }
        do {
            send(file.frame(for: host.spec.name, at: try store(file, name, for: host)), to: host)
        } catch {
            trace.emit(StorageFailure(error), of: "container", bytes: file.file.size)
            link.collect(.handOverFailed(host.spec.name))
        }
    }

    private func store(_ file: ReceivedFile, _ name: String, for host: AppHost) throws -> String {
        let directory = try inbox(of: host, file.transferId)
        if Files.exists(directory) { try Files.removeTree(directory) }
        try Files.createDirectory(directory)
        // The name may have the maximum length, which leaves no room for the name of a temporary file.
        let written = directory + "/content"
        try Files.write(file.parts.reduce(into: Data()) { $0 += $1 }, to: written)
        let path = directory + "/" + name
        try Files.rename(written, to: path)
        return path
    }

    /// The app has finished a transfer; a file that its delegate has not moved is deleted.
    func removeHandedOver(_ transferId: UUID, from host: AppHost) throws {
        let directory = try inbox(of: host, transferId)
        if Files.exists(directory) { try Files.removeTree(directory) }
    }

    private func inbox(of host: AppHost, _ transferId: UUID) throws -> String {
        try registry.container(ofApp: host.spec.bundleIdentifier)
            + "/Documents/Inbox/com.apple.watchconnectivity/\(transferId.uuidString)"
    }

    private func show(_ isShown: Bool, complicationOf host: AppHost) throws {
        let name = host.spec.name
        guard host.spec.kind == .watchApp else {
            throw ControlError.device(.wrongState, "\(name) is not an app of a watch, and has no complication.")
        }
        guard try registry.isInstalled(host.spec.bundleIdentifier) else {
            throw ControlError.device(.wrongState, "\(name) is not installed; `install` puts it back.")
        }
        guard try registry.hasComplication(host.spec.bundleIdentifier) != isShown else {
            throw ControlError.device(
                .wrongState, "The face \(isShown ? "shows" : "does not show") the complication of \(name) already.")
        }
        try registry.setComplication(host.spec.bundleIdentifier, isShown: isShown)
        tellLinksAboutComplication(of: name, isShown)
    }

    func tellLinksAboutComplications() throws {
        for app in device.apps where app.kind == .watchApp {
            tellLinksAboutComplication(of: app.name, try registry.hasComplication(app.bundleIdentifier))
        }
    }

    private func tellLinksAboutComplication(of app: String, _ isShown: Bool) {
        for link in links { link.collect(.complicationChanged(app, isEnabled: isShown)) }
    }
}
