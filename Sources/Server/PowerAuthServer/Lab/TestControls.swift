import LabKit

/// The lab's control over the server beyond that of a client. Only a server started by a lab, or with lab powers
/// enabled, has it.
struct TestControls: Sendable {
    let faults = TrafficFaults()
    let traffic = TrafficJournal()
    /// Nil where it would be unused.
    var record: RequestRecord?
    let identityProvider = LabIdentityProvider()
}

/// A clock that a lab can move.
///
/// Thread rule: any thread; must not block for long.
public protocol AdjustableServerClock: ServerClock {
    /// Moves the clock forward.
    /// - Throws: when it refuses to, in words for the caller.
    func advance(milliseconds: Int64) throws
}
