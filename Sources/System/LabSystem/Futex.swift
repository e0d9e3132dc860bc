import CLabSystem
import Glibc

/// Waiting on a word of shared memory until another thread or process changes it.
public enum Futex {
    /// How a wait ended.
    public enum Outcome: Sendable {
        /// The word was woken, it did not hold the expected value, or a signal came: look again.
        case lookAgain
        /// The deadline passed.
        case timedOut
    }

    /// Blocks the thread while the word holds `expected`.
    ///
    /// - Parameter deadline: absolute time on `MonotonicClock`, in nanoseconds; nil waits without end.
    public static func wait(
        _ word: MappedWord32, while expected: UInt32, until deadline: Int64? = nil
    ) throws -> Outcome {
        let result = csystem_futex_wait(word.pointer, expected, deadline.map { max(0, $0) } ?? -1)
        switch -result {
        case 0, EINTR: return .lookAgain
        case ETIMEDOUT: return .timedOut
        default: throw SystemError(call: "futex", errno: -result)
        }
    }

    /// Wakes every thread, of any process, that waits on the word.
    public static func wakeAll(_ word: MappedWord32) {
        csystem_futex_wake(word.pointer, Int32.max)
    }
}
