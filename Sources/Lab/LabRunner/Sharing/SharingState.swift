import Foundation
import LabKit

/// The state shared by the apps of an instance at one moment: printed by `lab inspect sharing`, and kept when a
/// scenario fails.
public struct SharingState: InspectedState {
    static let fileName = "sharing.json"

    /// Version of the JSON form; increased when a member changes its meaning or is removed.
    public private(set) var version = 1
    /// The devices with apps that share.
    var devices: [Device]

    /// The state shared by the apps of one device.
    struct Device: Codable, Sendable {
        var name: String
        var activations: [InspectSharing.Activation]
        /// Why the state is unknown.
        var problem: String?
    }

    /// The devices of a topology that have apps that share.
    static func devices(of topology: Topology) -> [DeviceSpec] {
        topology.devices.filter { $0.apps.contains { $0.powerAuth.sharing != nil } }
    }

    /// A state from a record.
    init(devices: [Device]) {
        self.devices = devices
    }

    /// Asks the devices of an instance. No app is asked, and no lock is taken, so it works even if the apps hang.
    ///
    /// Thread rule: any thread; blocks.
    public init(in connection: InstanceConnection) {
        self.init(in: connection, clients: connection.clients)
    }

    /// - Parameter clients: connections that stay open when those of the steps end.
    init(in connection: InstanceConnection, clients: ControlClients) {
        let devices = Self.devices(of: connection.manifest.topology).map { device in
            switch DeviceAnswer(to: InspectSharing.self, of: device.name, in: connection, clients: clients) {
            case .told(let activations): Device(name: device.name, activations: activations)
            case .silent(let problem): Device(name: device.name, activations: [], problem: problem)
            }
        }
        self.init(devices: devices)
    }

    var isKnown: Bool { devices.contains { $0.problem == nil } }

    /// The part about one app, or one app group.
    ///
    /// - Throws: ``BadUsage`` if nothing is shared there.
    public func about(_ target: String) throws -> SharingState {
        var part = self
        part.devices = devices.compactMap { device in
            var device = device
            device.activations = device.activations.filter { $0.apps.contains(target) || $0.appGroup == target }
            return device.activations.isEmpty && device.problem == nil ? nil : device
        }
        guard part.devices.isEmpty else { return part }
        let activations = devices.flatMap(\.activations)
        var known: [String] = []
        for name in activations.flatMap(\.apps) + activations.map(\.appGroup) where !known.contains(name) {
            known.append(name)
        }
        guard !known.isEmpty else { throw BadUsage(sentence: "no app of this topology shares an activation") }
        let advice = nearest(target, among: known).map { "; did you mean `\($0)`?" } ?? ""
        throw BadUsage(
            sentence:
                "`\(target)` is neither an app that shares an activation nor an app group of one\(advice); there are \(known.joined(separator: ", "))"
        )
    }

    /// The document for programs, with sorted keys.
    public func rendered() throws -> String { try document() }
}
