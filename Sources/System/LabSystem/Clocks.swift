// SPDX-License-Identifier: Apache-2.0

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

/// Wall-clock time that never jumps: what the wall clock showed when this process first asked, carried on by the
/// monotonic clock. A step of the wall clock, forward or back, does not reach it.
public enum SteadyClock {
    /// What ``nanoseconds()`` adds to the monotonic clock. Another process that adds it too shows the same time.
    public static let epoch: Int64 = {
        // A preemption between the two readings would be an error of its length; the shortest of some rounds has none.
        let rounds = (0..<8).map { _ in
            let before = MonotonicClock.nanoseconds()
            let real = RealTimeClock.nanoseconds()
            let after = MonotonicClock.nanoseconds()
            return (length: after - before, epoch: real - Int64(before / 2 + after / 2))
        }
        return rounds.min { $0.length < $1.length }?.epoch ?? 0
    }()

    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public static func nanoseconds() -> Int64 { Int64(MonotonicClock.nanoseconds()) + epoch }
}
