import Foundation
import ServiceLifecycle

/// Ends a service group from outside, even if requested before the group runs.
///
/// Thread rule: any thread; the state is guarded by the lock.
final class GracefulShutdown: @unchecked Sendable {
    private let lock = NSLock()
    // Both are guarded by `lock`, which is what makes the class safe to share.
    private var group: ServiceGroup?
    private var isTriggered = false

    /// Runs the group until it ends by itself or by ``trigger()``.
    func run(_ group: ServiceGroup) async throws {
        let isTooLate = lock.withLock {
            self.group = group
            return isTriggered
        }
        guard !isTooLate else { return }
        try await group.run()
    }

    /// Lets the group stop taking connections and finish the requests it has. Returns at once.
    func trigger() {
        let group = lock.withLock {
            isTriggered = true
            return self.group
        }
        guard let group else { return }
        Task { await group.triggerGracefulShutdown() }
    }
}
