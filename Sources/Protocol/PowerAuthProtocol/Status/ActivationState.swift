/// The state of an activation as the status blob carries it (protocol.md, section 12.2).
public enum ActivationState: UInt8, Sendable, CaseIterable {
    /// A code exists, no device yet.
    case created = 1
    /// Keys were exchanged, the commit is missing.
    case pendingCommit = 2
    /// In use.
    case active = 3
    /// Refuses signatures until it is unblocked.
    case blocked = 4
    /// Removed; it never has another state again.
    case removed = 5
}
