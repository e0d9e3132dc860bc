/// Generation of the protocol an activation works with.
public enum PowerAuthCoreProtocolVersion: Int, Sendable {
    /// No version is known.
    case NA = 0
    /// Numeric signature counter, decimal signatures.
    case V2 = 2
    /// Hash-based signature counter.
    case V3 = 3
}
