import Foundation
import LabKit

/// The links of an instance at one moment, as the two devices of each link report them: printed by `lab inspect link`,
/// and kept when a scenario fails.
public struct LinkState: InspectedState {
    static let fileName = "link.json"

    /// Version of the JSON form; increased when a member changes its meaning or is removed.
    public private(set) var version = 1
    /// The devices that have a link.
    var devices: [Device]

    /// The ends of links at one device.
    struct Device: Codable, Sendable {
        var name: String
        var links: [InspectLink.End]
        /// Why the state is unknown.
        var problem: String?
    }

    static func devices(of topology: Topology) -> [DeviceSpec] {
        topology.devices.filter { !topology.links(of: $0.name).isEmpty }
    }

    /// A state from a record.
    init(devices: [Device]) {
        self.devices = devices
    }

    /// Asks the devices of an instance. No app is asked.
    ///
    /// Thread rule: any thread; blocks.
    public init(in connection: InstanceConnection) {
        self.init(in: connection, clients: connection.clients)
    }

    init(in connection: InstanceConnection, clients: ControlClients) {
        self.init(
            devices: Self.devices(of: connection.manifest.topology).map { device in
                switch DeviceAnswer(to: InspectLink.self, of: device.name, in: connection, clients: clients) {
                case .told(let links): Device(name: device.name, links: links)
                case .silent(let problem): Device(name: device.name, links: [], problem: problem)
                }
            })
    }

    var isKnown: Bool { devices.contains { $0.problem == nil } }

    /// The part about one device, or about both ends of one link; everything when `target` is nil.
    ///
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
        let advice = nearest(target, among: known).map { "; did you mean `\($0)`?" } ?? ""
        throw BadUsage(
            sentence:
                "`\(target)` is neither a device with a link nor a link\(advice); there are \(known.joined(separator: ", "))"
        )
    }

    /// The link to inspect when it may explain a failure; nil when all links are idle.
    func suspect() -> String? {
        devices.flatMap(\.links).first(where: \.isInMotion)?.link
    }

    /// The document for programs, with sorted keys.
    public func rendered() throws -> String { try document() }
}

extension InspectLink.End {
    /// Whether messages are in transit, delayed or affected by a fault.
    fileprivate var isInMotion: Bool {
        isInRange == false || !conditions.isEmpty || outbox.sent + outbox.waiting > 0 || inbox.waiting > 0
            || !messages.isEmpty || contexts.contains { $0.isOwn && !$0.isDone }
    }
}
