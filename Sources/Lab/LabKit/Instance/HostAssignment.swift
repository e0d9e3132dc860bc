/// Which part of a topology an instance plays, when the labs of two hosts play it together (docs/two-hosts.md).
public struct HostAssignment: Codable, Equatable, Sendable {
    /// What an instance is to the other one.
    public enum Side: String, Codable, Sendable {
        /// It has the server, the clock and the faults, and listens for the other one.
        case owner
        /// It has joined the owner, and follows its clock and its faults.
        case guest
    }

    /// What this instance is.
    public var side: Side
    /// The devices that it plays, by their names.
    public var devices: [String]
    /// Owner: where its agents listen for the other host's, `tcp://address:port`, by the names of the links.
    public var linkAddresses: [String: String]
    /// Guest: the processes of its agents count from here on, so that a link does not take a greeting for one of a device
    /// that has played the same part before.
    public var bootsBefore: UInt64

    /// Describes a part.
    public init(side: Side, devices: [String], linkAddresses: [String: String] = [:], bootsBefore: UInt64 = 0) {
        self.bootsBefore = bootsBefore
        self.side = side
        self.devices = devices
        self.linkAddresses = linkAddresses
    }
}

extension InstanceManifest {
    /// Whether a device is played by this instance, and not by the one of another host.
    public func plays(_ device: String) -> Bool { share?.devices.contains(device) ?? true }

    /// Whether the instance has joined another one, which has server, clock and faults.
    public var isGuest: Bool { share?.side == .guest }

    /// The devices that are played on another host.
    public var awayDevices: [DeviceSpec] { topology.devices.filter { !plays($0.name) } }
}
