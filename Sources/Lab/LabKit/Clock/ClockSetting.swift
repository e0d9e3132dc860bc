/// How a ``LabClock`` is set: what makes the lab's time of the machine's.
public struct ClockSetting: Codable, Equatable, Sendable {
    /// Added to real time, in nanoseconds.
    var offset: Int64 = 0
    /// Where a frozen clock stands, in nanoseconds since 1970.
    var frozenAt: Int64?
    /// The real time since which the clock runs faster, in nanoseconds since 1970.
    var fastSince: Int64 = 0
    /// By how many seconds a second; 0 is the speed of real time.
    var gain: Int64 = 0

    /// The same setting for a machine whose real time is ahead of this one's by some nanoseconds, so that both show the same
    /// lab time at the same moment.
    public func onMachine(aheadBy difference: Int64) -> ClockSetting {
        var setting = self
        setting.offset &-= difference
        if gain != 0 { setting.fastSince &+= difference }
        return setting
    }

    /// Moves the clock forward.
    mutating func advance(by nanoseconds: Int64) {
        if let frozenAt { self.frozenAt = frozenAt + nanoseconds } else { offset += nanoseconds }
    }
}
