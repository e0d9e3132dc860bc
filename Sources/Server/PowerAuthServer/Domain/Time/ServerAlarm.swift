import Foundation

/// Wakes the one thread that waits for a moment of the server's clock.
///
/// Thread rule: any thread may ring; one thread waits.
public final class ServerAlarm: @unchecked Sendable {
    private let condition = NSCondition()
    // All are guarded by `condition`, which is what makes the class safe to share.
    private var isRung = false
    private var wake: (@Sendable () -> Void)?

    /// Creates an alarm that was not rung.
    public init() {}

    /// Ends the wait under way, or else the next one. Returns at once.
    public func ring() {
        let wake: (@Sendable () -> Void)? = condition.withLock {
            isRung = true
            condition.signal()
            return self.wake
        }
        wake?()
    }

    /// Blocks until rung, or for a time.
    /// - Parameter milliseconds: of real time; nil waits without end.
    public func wait(milliseconds: Int64?) {
        condition.withLock {
            let end = milliseconds.map { Date(timeIntervalSinceNow: Double(min($0, 86_400_000)) / 1000) }
            while !isRung {
                if let end {
                    guard condition.wait(until: end) else { break }
                } else {
                    condition.wait()
                }
            }
            isRung = false
        }
    }

    /// Runs a wait of another kind, which a ring ends by calling `wake`; not at all if rung before.
    public func wait(wakingBy wake: @escaping @Sendable () -> Void, _ body: () -> Void) {
        let mustWait: Bool = condition.withLock {
            if !isRung { self.wake = wake }
            return !isRung
        }
        if mustWait { body() }
        condition.withLock {
            self.wake = nil
            isRung = false
        }
    }
}
