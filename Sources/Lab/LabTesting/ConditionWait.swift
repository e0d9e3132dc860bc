import LabKit
import LabRunner
import LabSystem

/// Waits for conditions, woken by trace events.
struct ConditionWait {
    let tracesDirectory: String

    func wait(within limit: LabDuration, _ what: String, until condition: () throws -> Bool) throws {
        // To follow means to read every trace from its beginning.
        if try condition() { return }
        let wakeUp = try EventDescriptor()
        let follower = try TraceFollower(directory: tracesDirectory) { _ in wakeUp.signal() }
        defer { follower.stop() }
        let deadline = Int64(MonotonicClock.nanoseconds()) + limit.nanoseconds
        while try !condition() {
            let rest = deadline - Int64(MonotonicClock.nanoseconds())
            guard rest > 0 else { throw LabFailure("It did not happen within \(limit): \(what).") }
            // Not everything leaves a trace, so the condition is asked again soon in any case.
            _ = try wakeUp.wait(timeoutNanoseconds: min(rest, 20_000_000))
            wakeUp.drain()
        }
    }
}
