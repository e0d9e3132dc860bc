// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabCore
import LabPoints
import LabSystem
package import LabVocabulary
import ScenarioLanguage

/// The links of an instance at one moment, as the two devices of each link report them: printed by `lab inspect link`,
/// and kept when a scenario fails.
public struct LinkState: InspectedState {
    package static let fileName = "link.json"
    package static let subject = "a link"

    /// Version of the JSON form; increased when a member changes its meaning or is removed.
    public private(set) var version = 1
    package var devices: [Device]

    /// The ends of links at one device.
    package struct Device: InspectedDevice {
        package var name: String
        package var links: [InspectLink.End]
        package var problem: String?
    }

    package static func devices(of topology: Topology) -> [DeviceSpec] {
        topology.devices.filter { !topology.links(of: $0.name).isEmpty }
    }

    package init(devices: [Device]) { self.devices = devices }

    package init(in connection: InstanceConnection, clients: ControlClients) {
        self.init(
            devices: Self.devices(of: connection.manifest.topology).map { device in
                switch DeviceAnswer(to: InspectLink.self, of: device.name, in: connection, clients: clients) {
                case .told(let links): Device(name: device.name, links: links)
                case .silent(let problem): Device(name: device.name, links: [], problem: problem)
                }
            })
    }

    /// The part about one device, or about both ends of one link; everything when `target` is nil.
    /// - Throws: ``BadUsage`` for an unknown link.
    public func about(_ target: String?) throws -> LinkState {
        guard !devices.isEmpty else { throw BadUsage(sentence: "no phone and watch of this topology have a link") }
        guard let target else { return self }
        var part = self
        part.devices = devices.compactMap { device in
            if device.name == target { return device }
            var device = device
            device.links = device.links.filter { $0.link == target }
            return device.links.isEmpty ? nil : device
        }
        guard part.devices.isEmpty else { return part }
        var known = devices.map(\.name)
        for link in devices.flatMap(\.links).map(\.link) where !known.contains(link) { known.append(link) }
        throw BadUsage(
            sentence:
                "`\(target)` is neither a device with a link nor a link\(suggestion(for: target, among: known)); there are \(known.joined(separator: ", "))"
        )
    }

    /// The link to inspect when it may explain a failure; nil when all links are idle.
    func suspect() -> String? { devices.flatMap(\.links).first(where: \.isInMotion)?.link }

    // MARK: The state of a new instance once it has settled

    /// Whether both ends of a link are up, and every app's session shows whether its counterpart is reachable.
    ///
    /// The devices of a new instance are unlocked, so a watch app with an activated session in the foreground and its
    /// phone app reach each other (watch.md, section 9.3).
    /// - Parameters:
    ///   - link: A link whose devices are in range.
    ///   - told: The last reports of the apps' processes about it.
    func isSettledAtStart(_ link: LinkSpec, told: [String: Bool]) -> Bool {
        guard let phone = end(of: link, at: link.phone), let watch = end(of: link, at: link.watch), phone.isUp,
            watch.isUp
        else { return false }
        return watch.apps.allSatisfy { $0.isReachable == $0.isUsed && $0.hasTold(told) }
            && phone.apps.allSatisfy { app in
                let counterpart = watch.apps.first { $0.app == app.counterpart }
                return app.isReachable == (app.isActivated && counterpart?.isUsed == true) && app.hasTold(told)
            }
    }

    private func end(of link: LinkSpec, at device: String) -> InspectLink.End? {
        devices.first { $0.name == device }?.links.first { $0.link == link.name }
    }

    // MARK: Text

    package var lines: [String] {
        devices.flatMap { device in
            (device.problem.map { ["\(device.name) does not answer: \($0)"] } ?? [])
                + device.links.flatMap { Self.lines(of: $0, on: device.name) }
        }
    }

    private static func lines(of end: InspectLink.End, on device: String) -> [String] {
        let state = end.isInRange == false ? "out of range" : end.isUp ? "up" : "not up"
        let contact = end.lastContact.map { "last contact \(InspectionText.time($0)) ago" } ?? "never a contact"
        let silence = end.unanswered > 0 ? ", \(end.unanswered) of 3 pings unanswered" : ""
        return ["\(end.link) on \(device), with \(end.peer): \(state), \(contact)\(silence)"]
            + end.apps.flatMap { InspectionText.rows($0.app, [text(of: $0)]) }
            + InspectionText.rows("condition", end.conditions.map(text))
            + InspectionText.rows("outbox", lines(of: end.outbox))
            + InspectionText.rows("inbox", lines(of: end.inbox))
            + InspectionText.rows("not reported", end.untold.map(text))
            + InspectionText.rows("context", end.contexts.map(text))
            + InspectionText.rows("message", end.messages.map(text))
    }

    private static func text(of app: InspectLink.App) -> String {
        let own =
            !app.isAttached
            ? "not running"
            : !app.isActivated
                ? "running, session not activated" : "activated" + (app.isForeground ? ", in the foreground" : "")
        let other = app.isReachable ? "reachable" : app.isCounterpartInstalled ? "not reachable" : "not installed"
        return "\(own); \(app.counterpart) is \(other)"
    }

    private static func text(of condition: InspectLink.Condition) -> String {
        let held = condition.held > 0 ? "; \(condition.held) held up" : ""
        return "\(condition.id) \(condition.direction.title): \(condition.effect); hit \(condition.fired) of "
            + "\(condition.matched)\(held)"
    }

    private static func lines(of outbox: InspectLink.Outbox) -> [String] {
        let count = outbox.sent + outbox.waiting
        let head = count == 0 ? "empty" : "\(outbox.sent) sent, \(outbox.waiting) waiting"
        return ["\(head); confirmed up to \(outbox.confirmed)"]
            + outbox.transfers.map(text) + rest(of: count, listed: outbox.transfers)
    }

    private static func lines(of inbox: InspectLink.Inbox) -> [String] {
        let head = inbox.waiting == 0 ? "empty" : "\(inbox.waiting) waiting"
        return ["\(head); received up to \(inbox.received)"]
            + inbox.transfers.map(text) + rest(of: inbox.waiting, listed: inbox.transfers)
    }

    private static func rest(of count: Int, listed: [InspectLink.Transfer]) -> [String] {
        count > listed.count ? ["… and \(count - listed.count) more"] : []
    }

    private static func text(of transfer: InspectLink.Transfer) -> String {
        let number = transfer.number.map { "\($0) " } ?? ""
        let state =
            switch transfer.state {
            case .waiting: "waiting"
            case .sent: "sent"
            case .ended: "taken back or refused, which the other device does not know yet"
            case .handedOver: "handed to its app"
            }
        return "\(number)\(transfer.id) of \(transfer.app ?? "a deleted app"), \(transfer.size) bytes, \(state)"
    }

    private static func text(of ended: InspectLink.Ended) -> String {
        "\(ended.id) of \(ended.app): " + (ended.code.map { "ended with \($0)" } ?? "arrived")
    }

    private static func text(of context: InspectLink.Context) -> String {
        let state =
            context.isOwn
            ? context.isDone ? "confirmed" : "not confirmed" : context.isDone ? "reported" : "not reported"
        return
            "\(context.isOwn ? "of" : "for") \(context.app), version \(context.version), \(context.size) bytes, \(state)"
    }

    private static func text(of message: InspectLink.Message) -> String {
        let state =
            switch message.state {
            case .sent: "sent, not confirmed"
            case .replyAwaited: "waits for its reply"
            case .held: "waits for its app"
            case .handedOver: "handed to its app"
            case .unanswered: "its app has not replied"
            }
        let time = message.timeLeft.map { ", for \(InspectionText.time($0)) more" } ?? ""
        return "\(message.id) \(message.isOwn ? "of" : "for") \(message.app), \(state)\(time)"
    }
}

extension InspectLink.End {
    /// Whether messages are in transit, delayed or affected by a fault.
    fileprivate var isInMotion: Bool {
        isInRange == false || !conditions.isEmpty || outbox.sent + outbox.waiting > 0 || inbox.waiting > 0
            || !messages.isEmpty || contexts.contains { $0.isOwn && !$0.isDone }
    }
}

extension InspectLink.App {
    /// Whether the app uses its watch session.
    fileprivate var isUsed: Bool { isActivated && isForeground && isCounterpartInstalled }

    /// Whether the app's own process shows the state that its device reports. An app without a session shows nothing.
    fileprivate func hasTold(_ told: [String: Bool]) -> Bool { !isActivated || told[app] == isReachable }
}

extension [TraceEvent] {
    /// The last reachability shown by each app's session.
    var lastReachability: [String: Bool] {
        reduce(into: [:]) { told, event in
            guard event.name == .sessionState else { return }
            told[event.process] = event.fields["reachable"] == .bool(true)
        }
    }
}

extension Topology {
    /// The links whose devices are in range when an instance starts, and which their phones use: the first one of
    /// several watches.
    var linksInUse: [LinkSpec] { links.filter { link in link.up && links(of: link.phone).first?.name == link.name } }
}

// Waits until both ends of a link have the wanted state: until then messages still pass, or are still rejected.
extension InstanceConnection {
    /// The maximum wait; an end that has died never reports.
    private static let settlePatience = LabDuration.seconds(2).stretched

    /// Waits at the start of an instance until its devices have connected, and every watch session shows whether its
    /// counterpart is reachable: otherwise the first step would meet a watch that is not yet in reach.
    func waitForLinks() { waitForLinks(host.links, since: 0) }

    /// The same for some links.
    /// - Parameter begin: When their devices were started, in monotonic nanoseconds: what processes have reported before
    ///   counts no longer.
    func waitForLinks(_ links: [LinkSpec], since begin: UInt64) {
        guard !links.isEmpty else { return }
        wait(for: "the links of a new instance") { events in
            let state = LinkState(in: self)
            let told = events().filter { $0.time >= begin }.lastReachability
            return links.allSatisfy { state.isSettledAtStart($0, told: told) }
        }
    }

    /// Waits after a command to a link.
    func waitForLink(_ name: String, toBeUp isUp: Bool) {
        guard let link = manifest.topology.links.first(where: { $0.name == name }) else { return }
        let ends = [link.phone, link.watch]
        faults.changeWaits(of: nil, by: 1)
        defer { faults.changeWaits(of: nil, by: -1) }
        wait(for: "the link \(name)") { events in
            // An end that has died reports nothing.
            if ends.contains(where: { parts.death(of: .agent($0)) != nil }) { return true }
            let changes = events().filter { $0.isChange(ofLink: name) }
            let last = ends.map { end in changes.last { $0.process == end } }
            // An end that has reported nothing has never been up.
            return last.allSatisfy { ($0?.name == .linkUp) == isUp }
        }
    }

    /// Checks again whenever a process has reported something.
    /// - Parameter isSo: The condition. Gets a function that returns all events reported so far.
    private func wait(for what: String, until isSo: (_ events: () -> [TraceEvent]) -> Bool) {
        let traces = manifest.tracesDirectory
        // Starts watching before the first check, so that no event is missed in between.
        guard let watch = try? DirectoryWatch(traces) else { return }
        let deadline = Deadline(after: Self.settlePatience, of: what)
        while !deadline.isOver, !isSo({ (try? TraceReader.readAll(traces)) ?? [] }) {
            _ = try? Polling.waitReadable([watch.rawDescriptor], timeoutNanoseconds: deadline.rest.nanoseconds)
            _ = try? watch.changes()
        }
    }
}

extension TraceEvent {
    /// Whether the event reports that a link is up or down from here on.
    func isChange(ofLink link: String) -> Bool {
        (name == .linkUp || name == .linkDown) && fields["link"] == .string(link)
    }
}
