import Foundation

/// The machine's own clock, for a server that runs without a lab instance.
public struct SystemClock: ServerClock {
    /// Creates the clock.
    public init() {}

    public func now() -> ServerTime {
        ServerTime(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
