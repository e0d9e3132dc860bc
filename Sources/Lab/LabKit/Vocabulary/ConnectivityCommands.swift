extension Vocabulary {
    /// Commands about the network of a device.
    static let connectivityCommands: [any Command.Type] = [GoOffline.self, GoOnline.self]
}

public struct GoOffline: Command {
    public static let info = CommandInfo(
        "goOffline", of: .device,
        "Takes the device off the network: its apps reach no server, and the push service keeps what it has for it.",
        endedBy: GoOnline.self)
    public init() {}
}

public struct GoOnline: Command {
    public static let info = CommandInfo(
        "goOnline", of: .device, "Brings the device back to the network; what the push service has kept arrives.")
    @Field("The network that it joins.") public var network: Network = .wifi

    public enum Network: String, Choice {
        case wifi, cellular, wired
    }

    public init() {}
}
