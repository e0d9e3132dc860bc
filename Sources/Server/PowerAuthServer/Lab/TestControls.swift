import LabKit

/// What a lab can do to the server beyond what any client can. A server that was not started by a lab, or told to,
/// has none of it.
struct TestControls: Sendable {
    let faults = TrafficFaults()
    let traffic = TrafficJournal()
    /// Nil where nobody would read it.
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
