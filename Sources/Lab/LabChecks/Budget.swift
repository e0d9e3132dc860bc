import LabSystem

/// How long a checker may search.
public struct Budget: Sendable {
    /// The budget is spent.
    public struct Exhausted: Error, CustomStringConvertible, Sendable {
        public let description: String
    }

    private let deadline: UInt64
    private let seconds: Int
    private var spent: UInt64 = 0

    /// A budget of real time, from now on.
    public init(seconds: Int) {
        self.seconds = seconds
        deadline = MonotonicClock.nanoseconds() &+ UInt64(seconds) * 1_000_000_000
    }

    /// Pays for looking at one event.
    public mutating func spend() throws(Exhausted) {
        spent += 1
        // The clock is asked seldom: it costs more than most looks.
        guard spent % 4096 == 0, MonotonicClock.nanoseconds() > deadline else { return }
        throw Exhausted(description: "the search took longer than \(seconds) s")
    }
}
