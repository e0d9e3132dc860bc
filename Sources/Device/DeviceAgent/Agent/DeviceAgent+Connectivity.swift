import LabKit
import SimulatedDevice

/// The network of the device.
extension DeviceAgent {
    /// Whether the push service reaches the device.
    var isOnline: Bool { connectivity.isOnline }

    /// Adds the commands about the network.
    static func addConnectivityHandlers(to table: inout CommandDispatcher<DeviceAgent>) {
        table.answer(GoOffline.self) { _, agent in agent.connectivity.set(.none) }
        table.answer(GoOnline.self) { arguments, agent in
            agent.connectivity.set(arguments.network.connection)
            try agent.receiveKeptPushes()
        }
    }
}

extension GoOnline.Network {
    fileprivate var connection: NetworkConnection {
        switch self {
        case .wifi: .wifi
        case .cellular: .cellular
        case .wired: .wired
        }
    }
}
