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
