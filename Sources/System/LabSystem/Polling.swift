import CLabSystem
import Glibc

/// Waiting until descriptors have something to say.
public enum Polling {
    /// Waits until at least one descriptor is readable, closed by the other side, or in error.
    ///
    /// A negative descriptor in the list is skipped. Signals do not end the wait.
    ///
    /// - Parameter timeoutNanoseconds: how long at most, on the monotonic clock; nil waits without end.
    /// - Returns: one flag a descriptor, in order; all false after the time is over.
    public static func waitReadable(_ descriptors: [Int32], timeoutNanoseconds: Int64? = nil) throws -> [Bool] {
        try wait(descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }, timeoutNanoseconds)
    }

    /// Waits until a descriptor is writable, which a connection that is being made is when it is made or has failed.
    ///
    /// - Parameter timeoutNanoseconds: how long at most, on the monotonic clock.
    /// - Returns: false when the time is over.
    static func waitWritable(_ descriptor: Int32, timeoutNanoseconds: Int64) throws -> Bool {
        try wait([pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)], timeoutNanoseconds)[0]
    }

    private static func wait(_ entries: [pollfd], _ timeoutNanoseconds: Int64?) throws -> [Bool] {
        var entries = entries
        let end = timeoutNanoseconds.map { Int64(MonotonicClock.nanoseconds()) &+ max(0, $0) }
        while true {
            let rest = end.map { max(0, $0 - Int64(MonotonicClock.nanoseconds())) } ?? -1
            let count = csystem_poll(&entries, entries.count, rest)
            if count >= 0 { return entries.map { $0.revents != 0 } }
            if count != -EINTR { throw SystemError(call: "ppoll", errno: -count) }
        }
    }
}
