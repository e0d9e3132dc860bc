import ServiceLifecycle
import Synchronization

/// Ends a service group from outside, even if requested before the group runs.
///
/// Thread rule: any thread.
final class GracefulShutdown: Sendable {
    private let state = Mutex<(group: ServiceGroup?, isTriggered: Bool)>((nil, false))

    /// Runs the group until it ends by itself or by ``trigger()``.
    func run(_ group: ServiceGroup) async throws {
        let isTooLate = state.withLock { state in
            state.group = group
            return state.isTriggered
        }
        guard !isTooLate else { return }
        try await group.run()
    }

    /// Lets the group stop taking connections and finish the requests it has. Returns at once.
    func trigger() {
        let group = state.withLock { state in
            state.isTriggered = true
            return state.group
        }
        guard let group else { return }
        Task { await group.triggerGracefulShutdown() }
    }
}
