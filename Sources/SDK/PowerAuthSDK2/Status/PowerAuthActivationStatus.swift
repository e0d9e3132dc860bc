// SPDX-License-Identifier: Apache-2.0

public import PowerAuth2
import PowerAuthCore
import PowerAuthProtocol

/// Status of an activation. Immutable. Thread rule: any thread.
public final class PowerAuthActivationStatus: @unchecked Sendable {
    // Safe to share: the custom object holds only values that the JSON parser made, which are never mutated.

    /// State of the activation.
    public let state: PowerAuthActivationState
    /// Failed attempts since the last successful one.
    public let failCount: UInt32
    /// Failed attempts that block the activation.
    public let maxFailCount: UInt32
    /// Attempts left; 0 unless the activation is active.
    public var remainingAttempts: UInt32 {
        state == .active && maxFailCount >= failCount ? maxFailCount - failCount : 0
    }
    /// Object from the application's server.
    public let customObject: [String: Any]?
    /// Whether the server offers protocol 4 to an activation of protocol 3.
    public let isProtocolUpgradeAvailable: Bool
    /// False if the application no longer supports the algorithms of the activation.
    public let isAlgorithmSupported: Bool

    init(_ status: PowerAuth2.PowerAuthActivationStatus, canUpgrade: Bool) {
        state = status.state
        failCount = status.failCount
        maxFailCount = status.maxFailCount
        customObject = status.customObject
        isProtocolUpgradeAvailable = canUpgrade && status.offersVersion4
        isAlgorithmSupported = true
    }

    init(_ synchronized: SynchronizedStatus, customObject: [String: Any]?) {
        // Both enumerations have the same raw values.
        state = PowerAuthActivationState(rawValue: synchronized.state.rawValue)!
        failCount = UInt32(synchronized.status.failedAttempts)
        maxFailCount = UInt32(synchronized.status.maxFailedAttempts)
        self.customObject = customObject
        isProtocolUpgradeAvailable = false
        isAlgorithmSupported = !synchronized.status.flags.contains(.algorithmUnsupported)
    }
}
