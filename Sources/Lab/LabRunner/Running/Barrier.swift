import Foundation

/// Lets a number of threads continue only when all have arrived.
///
/// Thread rule: any thread; used once.
final class Barrier: @unchecked Sendable {
    // Safe: `missing` is touched only while `condition` is locked.
    private let condition = NSCondition()
    private var missing: Int

    init(count: Int) {
        missing = count
    }

    func arriveAndWait() {
        condition.lock()
        defer { condition.unlock() }
        missing -= 1
        if missing <= 0 {
            condition.broadcast()
        } else {
            while missing > 0 { condition.wait() }
        }
    }
}
