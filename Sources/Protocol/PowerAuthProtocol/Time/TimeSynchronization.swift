// SPDX-License-Identifier: Apache-2.0

/// The client's idea of the server's clock (protocol.md, section 17). Pure state: the caller brings the
/// local time. All times are in seconds.
public struct TimeSynchronization: Sendable, Equatable {
    /// One attempt, from the moment its request was sent.
    public struct Attempt: Sendable, Equatable {
        let start: Double
    }

    /// What is added to the local time.
    public private(set) var adjustment: Double = 0
    /// Half the duration of the exchange that set the adjustment: how wrong it may be.
    public private(set) var precision: Double = 0
    /// Whether the server's time is known.
    public private(set) var isSynchronized = false

    /// Longest exchange that is still believed.
    public static let longestExchange = 16.0
    /// Largest change of the difference that counts as noise.
    public static let stableDifference = 10.0
    /// Largest difference that needs no adjustment.
    public static let acceptedDifference = 2.0

    /// Not synchronised, no adjustment.
    public init() {}
    /// Call before the request is sent.
    public func start(localTime: Double) -> Attempt { Attempt(start: localTime) }

    /// Call when the response with the server's time has arrived.
    /// - Returns: whether the time is synchronised now.
    public mutating func complete(_ attempt: Attempt, serverTime: Double, localTime: Double) -> Bool {
        let elapsed = localTime - attempt.start
        guard elapsed >= 0 else { return false }
        guard elapsed <= Self.longestExchange else { return isSynchronized }
        let difference = serverTime + elapsed / 2 - localTime
        let isStable = abs(adjustment - difference) < Self.stableDifference
        if abs(difference) < Self.acceptedDifference && isStable {
            precision = elapsed / 2
            isSynchronized = true
        } else if !(isSynchronized && isStable) {
            adjustment = difference
            precision = elapsed / 2
            isSynchronized = true
        }
        return true
    }

    /// Forgets that the time is known, for example when the application returns to the foreground; the
    /// adjustment stays as the best guess.
    public mutating func invalidate() { isSynchronized = false }
    /// The server's time for a local time.
    public func currentTime(localTime: Double) -> Double { localTime + adjustment }
}

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
