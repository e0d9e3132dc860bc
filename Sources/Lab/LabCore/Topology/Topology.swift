// SPDX-License-Identifier: Apache-2.0

/// The cast of a run: one server, the simulated devices with their apps, and the links between them.
///
/// A topology is read from `lab.yaml` (plus a scenario's overrides), resolved completely before anything
/// starts, and stored in `instance.json`, where every process of the instance reads it.
public struct Topology: Codable, Equatable, Sendable {
    /// The name under which `lab.yaml` lists it.
    public var name: String
    /// The lab's PowerAuth server.
    public var server: ServerSpec
    /// The simulated devices, in the order of the file.
    public var devices: [DeviceSpec]
    /// The pairings between a phone and a watch.
    public var links: [LinkSpec]

    /// Creates a resolved topology.
    public init(name: String, server: ServerSpec = ServerSpec(), devices: [DeviceSpec], links: [LinkSpec] = []) {
        self.name = name
        self.server = server
        self.devices = devices
        self.links = links
    }

    /// All apps of all devices, in the order of the file.
    public var apps: [AppSpec] { devices.flatMap(\.apps) }

    /// The device with the given name.
    public func device(named name: String) -> DeviceSpec? { devices.first { $0.name == name } }

    /// The app with the given actor name, together with the device it is installed on.
    public func app(named name: String) -> (device: DeviceSpec, app: AppSpec)? {
        for device in devices {
            if let app = device.apps.first(where: { $0.name == name }) { return (device, app) }
        }
        return nil
    }

    /// The link with the given actor name.
    public func link(named name: String) -> LinkSpec? { links.first { $0.name == name } }

    /// The links in which a device takes part.
    public func links(of device: String) -> [LinkSpec] { links.filter { $0.phone == device || $0.watch == device } }

    /// The devices that take part in a link, in the order of ``devices``: their agents take turns in a block whose order
    /// is decided.
    public var linkedDevices: [DeviceSpec] { devices.filter { !links(of: $0.name).isEmpty } }
}

/// Settings of the lab's server.
public struct ServerSpec: Codable, Equatable, Sendable {
    /// TCP port on loopback; 0 lets the system choose a free one.
    public var port: Int
    /// Failed attempts after which an activation is blocked.
    public var maxFailedAttempts: Int
    /// Number of counter values the server tries for one signature, 1 to 64.
    public var signatureLookAhead: Int
    /// Everything else that differs from the original's defaults.
    public var settings: ServerSettings

    /// Creates server settings; the defaults are those of the original server.
    public init(
        port: Int = 0, maxFailedAttempts: Int = 5, signatureLookAhead: Int = 20,
        settings: ServerSettings = ServerSettings()
    ) {
        self.port = port
        self.settings = settings
        self.maxFailedAttempts = maxFailedAttempts
        self.signatureLookAhead = signatureLookAhead
    }
}

/// A pairing of a phone with a watch; the link carries all WatchConnectivity traffic between the two.
public struct LinkSpec: Codable, Equatable, Sendable {
    /// Actor name of the link in scenarios.
    public var name: String
    /// Name of the phone.
    public var phone: String
    /// Name of the watch.
    public var watch: String
    /// Whether the two devices are in range when the instance starts.
    public var up: Bool
    /// What carries it between the agents of the two devices.
    public var transport: Transport

    /// What can carry a link.
    public enum Transport: String, Codable, CaseIterable, Sendable {
        /// A socket in the instance's directory.
        case local
        /// TCP on loopback, encrypted, with keys that only the two agents have.
        case tcp
    }

    /// How many transfers a queue of each end holds; more are refused with `WCError` 7015.
    public var capacity: Int

    /// Transfers in a queue by default.
    public static let defaultCapacity = 20_000

    /// Creates a link between two devices of the same topology.
    public init(
        name: String, phone: String, watch: String, up: Bool = true, transport: Transport = .local,
        capacity: Int = LinkSpec.defaultCapacity
    ) {
        self.name = name
        self.phone = phone
        self.watch = watch
        self.up = up
        self.transport = transport
        self.capacity = capacity
    }
}
