import Glibc

/// Time that never jumps, the same for all processes of the machine: deadlines, durations, trace stamps.
public enum MonotonicClock {
    /// Nanoseconds since an arbitrary start.
    public static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Holds the calling thread for a given time. Only for what is a delay by definition, such as an injected one;
    /// code that waits *for* something uses a condition, `poll` or a futex.
    public static func pause(nanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        let end = self.nanoseconds() + UInt64(nanoseconds)
        var deadline = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nil) == EINTR {}
    }
}

/// The machine's wall clock.
public enum RealTimeClock {
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
