/// Authentication factors of a signature.
public struct PowerAuthCoreSignatureFactor: OptionSet, Sendable {
    /// Bit mask as the vendor defines it.
    public let rawValue: UInt

    /// Makes a set from its bit mask.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Something the user has: the key bound to the device.
    public static let possession = PowerAuthCoreSignatureFactor(rawValue: 0x001)
    /// Something the user knows: the password.
    public static let knowledge = PowerAuthCoreSignatureFactor(rawValue: 0x010)
    /// Something the user is: the key protected by biometry.
    public static let biometry = PowerAuthCoreSignatureFactor(rawValue: 0x100)

    /// Possession and knowledge.
    public static let possessionKnowledge: PowerAuthCoreSignatureFactor = [.possession, .knowledge]
    /// Possession and biometry.
    public static let possessionBiometry: PowerAuthCoreSignatureFactor = [.possession, .biometry]
    /// All three factors.
    public static let possessionKnowledgeBiometry: PowerAuthCoreSignatureFactor = [.possession, .knowledge, .biometry]
}
