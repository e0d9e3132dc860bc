/// State of an activation (sdk.md, section 5.17).
public enum PowerAuthActivationState: Int, Sendable {
    /// The record exists on the server, no key exchange yet.
    case created = 1
    /// Keys are exchanged, the server waits for a commit.
    case pendingCommit = 2
    /// The activation can be used.
    case active = 3
    /// Too many failed attempts, or blocked by the server.
    case blocked = 4
    /// Removed on the server.
    case removed = 5
    /// The signature counters of client and server can never meet again. Computed by the SDK, never sent.
    case deadlock = 128
}

/// Status of an activation (sdk.md, section 5.17). Immutable. Thread rule: any thread.
public final class PowerAuthActivationStatus: @unchecked Sendable {
    // Safe to share: the custom object holds only values that the JSON parser made, which are never mutated.

    /// State of the activation.
    public let state: PowerAuthActivationState
    /// Failed attempts since the last successful one.
    public let failCount: UInt32
    /// Failed attempts that block the activation.
    public let maxFailCount: UInt32
    /// Attempts left; 0 unless the activation is active.
    public let remainingAttempts: UInt32
    /// Object from the application's server.
    public let customObject: [String: Any]?

    init(_ status: PowerAuthCoreActivationStatus, customObject: [String: Any]?) {
        // Both enumerations have the same raw values.
        state = PowerAuthActivationState(rawValue: status.state.rawValue)!
        failCount = status.failCount
        maxFailCount = status.maxFailCount
        remainingAttempts = status.remainingAttempts
        self.customObject = customObject
    }
}
