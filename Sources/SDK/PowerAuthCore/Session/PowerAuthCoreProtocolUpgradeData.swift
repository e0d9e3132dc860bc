/// What the server sends for an upgrade of an activation to a newer protocol (sdk.md, section 6.3).
public protocol PowerAuthCoreProtocolUpgradeData {
    /// Version that the data upgrade to.
    var toVersion: PowerAuthCoreProtocolVersion { get }
}

/// Data of the upgrade to the protocol 3. Immutable. Thread rule: any thread.
public final class PowerAuthCoreProtocolUpgradeDataV3: PowerAuthCoreProtocolUpgradeData, Sendable {
    /// Base64 of the first counter (16 bytes).
    public let ctrData: String

    /// - Parameter ctrData: Base64 of the first counter (16 bytes).
    public init(ctrData: String) {
        self.ctrData = ctrData
    }

    /// Always ``PowerAuthCoreProtocolVersion/V3``.
    public var toVersion: PowerAuthCoreProtocolVersion { .V3 }
}

extension PowerAuthCoreSession {
    /// Takes the server's data into the session whose upgrade was started.
    ///
    /// - Returns: false when no upgrade to the data's version was started, or the data cannot be used.
    @discardableResult
    public func applyProtocolUpgradeData(_ data: any PowerAuthCoreProtocolUpgradeData) -> Bool {
        guard let data = data as? PowerAuthCoreProtocolUpgradeDataV3 else { return false }
        return applyProtocolUpgradeData(data.ctrData)
    }
}
