/// How a device reaches the network.
public enum NetworkConnection: String, CaseIterable, Codable, Sendable {
    /// Over a wireless network, which costs nothing.
    case wifi
    /// Over the mobile network, which costs money.
    case cellular
    /// Over a cable.
    case wired
    /// Not at all.
    case none
}
