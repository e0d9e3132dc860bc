package import SimulatedDevice

/// The device's route into the network. Immutable. Thread rule: any thread.
public struct NWPath: Hashable, Sendable {
    /// Whether something can be sent.
    public enum Status: Hashable, Sendable {
        /// It can.
        case satisfied
        /// It cannot.
        case unsatisfied
        /// It could if a connection were made first; never on a simulated device.
        case requiresConnection
    }

    /// Whether something can be sent.
    public let status: Status
    /// The interfaces that may be used, the preferred one first.
    public let availableInterfaces: [NWInterface]

    /// True when traffic costs money.
    public var isExpensive: Bool { usesInterfaceType(.cellular) }
    /// True when the user wants to save data; never on a simulated device.
    public var isConstrained: Bool { false }
    /// True when addresses of IPv4 can be reached.
    public var supportsIPv4: Bool { status == .satisfied }
    /// True when addresses of IPv6 can be reached; never on a simulated device.
    public var supportsIPv6: Bool { false }
    /// True when names can be resolved.
    public var supportsDNS: Bool { status == .satisfied }

    /// Whether an interface of a kind may be used.
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
        availableInterfaces.contains { $0.type == type }
    }

    /// - Parameters:
    ///   - connection: how the device reaches the network.
    ///   - required: the only kind of interface that counts; nil for all.
    ///   - prohibited: kinds that do not count.
    package init(
        _ connection: NetworkConnection, required: NWInterface.InterfaceType? = nil,
        prohibited: [NWInterface.InterfaceType] = []
    ) {
        let interface: NWInterface? =
            switch connection {
            case .wifi: NWInterface(type: .wifi, name: "en0", index: 1)
            case .cellular: NWInterface(type: .cellular, name: "pdp_ip0", index: 2)
            case .wired: NWInterface(type: .wiredEthernet, name: "en1", index: 3)
            case .none: nil
            }
        availableInterfaces = [interface].compactMap(\.self).filter { interface in
            required.map { interface.type == $0 } ?? !prohibited.contains(interface.type)
        }
        status = availableInterfaces.isEmpty ? .unsatisfied : .satisfied
    }
}
