/// How far a message's timestamp may be from the current time (protocol.md, sections 7.6 and 11.3, and section 22,
/// item 16). All values are in milliseconds.
public struct FreshnessWindow: Sendable, Equatable {
    /// Greatest accepted age.
    public let past: UInt64
    /// Greatest accepted lead.
    public let future: UInt64

    /// Takes both sides.
    public init(past: UInt64, future: UInt64) {
        self.past = past
        self.future = future
    }

    /// An ECIES message: a minute to either side.
    public static let ecies = Self(past: 60_000, future: 60_000)

    /// A token header; the replay memory of 3.2 and later narrows the lead to a minute.
    public static func token(_ version: ProtocolVersion) -> Self {
        Self(past: 7_200_000, future: version >= .v3_2 ? 60_000 : 1_800_000)
    }

    /// The position of a timestamp.
    public enum Verdict: Sendable, Equatable {
        /// Acceptable.
        case fresh
        /// Older than the window.
        case tooOld
        /// Further ahead than the window.
        case tooFarAhead
    }

    /// Judges a timestamp; both ends of the window are acceptable.
    public func verdict(timestamp: UInt64, now: UInt64) -> Verdict {
        if timestamp < now { return now - timestamp <= past ? .fresh : .tooOld }
        return timestamp - now <= future ? .fresh : .tooFarAhead
    }
}
