// SPDX-License-Identifier: Apache-2.0

public import Dispatch
package import SimulatedDevice
import Synchronization

/// Reports how the device reaches the network, and each change.
///
/// The device is that of the process; a process without a device has no network. Thread rule: any thread; the handler
/// is called on the queue that the monitor was started on.
public final class NWPathMonitor: Sendable {
    private struct State {
        var handler: (@Sendable (NWPath) -> Void)?
        var queue: DispatchQueue?
        var observation: DeviceConnectivity.Observation?
        var isCancelled = false
        /// The path last passed to the handler.
        var told: NWPath?
    }

    private let connectivity: DeviceConnectivity?
    private let required: NWInterface.InterfaceType?
    private let prohibited: [NWInterface.InterfaceType]
    private let state = Mutex(State())

    /// Makes a monitor of all interfaces.
    public convenience init() { self.init(Sandbox.currentIfEntered?.connectivity) }

    /// Makes a monitor of one kind of interface: without it there is no network.
    public convenience init(requiredInterfaceType: NWInterface.InterfaceType) {
        self.init(Sandbox.currentIfEntered?.connectivity, required: requiredInterfaceType)
    }

    /// Makes a monitor of all interfaces but some.
    public convenience init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {
        self.init(Sandbox.currentIfEntered?.connectivity, prohibited: prohibitedInterfaceTypes)
    }

    /// - Parameter connectivity: that of a device; nil for a process without one.
    package init(
        _ connectivity: DeviceConnectivity?, required: NWInterface.InterfaceType? = nil,
        prohibited: [NWInterface.InterfaceType] = []
    ) {
        self.connectivity = connectivity
        self.required = required
        self.prohibited = prohibited
    }

    /// How the device reaches the network now.
    public var currentPath: NWPath {
        NWPath(connectivity?.connection ?? .none, required: required, prohibited: prohibited)
    }

    /// Called once when the monitor starts and then after each change.
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { state.withLock { $0.handler } }
        set { state.withLock { $0.handler = newValue } }
    }

    /// Where the handler is called; nil before the start.
    public var queue: DispatchQueue? { state.withLock { $0.queue } }

    /// Starts to tell. Once only; a cancelled monitor stays silent.
    public func start(queue: DispatchQueue) {
        let starts = state.withLock { state in
            guard state.queue == nil, !state.isCancelled else { return false }
            state.queue = queue
            return true
        }
        guard starts else { return }
        let observation = connectivity?.onChange { [weak self] _ in self?.tell() }
        let isTooLate = state.withLock { state in
            if !state.isCancelled { state.observation = observation }
            return state.isCancelled
        }
        if isTooLate { observation?.cancel() } else { tell() }
    }

    /// Stops to tell, for good.
    public func cancel() {
        let observation = state.withLock { state in
            state.isCancelled = true
            defer { state.observation = nil }
            return state.observation
        }
        observation?.cancel()
    }

    /// Calls the handler with what holds then, unless the monitor is cancelled before, or the handler knows it.
    private func tell() {
        queue?.async { [self] in
            let path = currentPath
            let handler = state.withLock { state in
                guard !state.isCancelled, state.told != path else { return nil as (@Sendable (NWPath) -> Void)? }
                state.told = path
                return state.handler
            }
            handler?(path)
        }
    }
}

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

/// A way into the network. Immutable. Thread rule: any thread.
public struct NWInterface: Hashable, Sendable {
    /// The kinds of interfaces.
    public enum InterfaceType: Hashable, Sendable {
        /// Of a kind that has no name here.
        case other
        /// Wireless.
        case wifi
        /// Of the mobile network.
        case cellular
        /// With a cable.
        case wiredEthernet
        /// To the device itself.
        case loopback
    }

    /// What the interface is.
    public let type: InterfaceType
    /// The system's name, for example `en0`.
    public let name: String
    /// The system's number.
    public let index: Int
}
