import LabKit
import LabSystem

/// A timeout of the link's end for the other device: it expires at a time of the lab's clock, but not before the other
/// process has had some real time to answer. So a fast clock does not take a busy machine for a lost device, and a
/// stopped clock causes no timeout.
struct LinkWait: Equatable {
    /// When it is over, in nanoseconds of lab time.
    var due: Int64
    /// Not before, in monotonic nanoseconds.
    var earliest: UInt64

    /// - Parameters:
    ///   - due: in nanoseconds of lab time.
    ///   - patience: how much real time the other process has at least.
    init(until due: Int64, patience: LabDuration) {
        self.due = due
        earliest = MonotonicClock.nanoseconds() + UInt64(patience.nanoseconds)
    }

    func isOver(at now: LabTime) -> Bool {
        due <= now.nanoseconds && earliest <= MonotonicClock.nanoseconds()
    }

    /// The moment of lab time to wait for; nil when only real time is left to wait for.
    func alarm(at now: LabTime) -> Int64? { due > now.nanoseconds ? due : nil }

    /// The moment of real time to wait for, in monotonic nanoseconds; nil while lab time is to come first.
    func deadline(at now: LabTime) -> UInt64? { due > now.nanoseconds ? nil : earliest }
}
