import Dispatch
import Synchronization

/// A commit of the server that waits for the test. Any thread.
final class HeldCommit: Sendable {
    private let state = Mutex((isHolding: false, isAnswered: false))
    private let held = DispatchSemaphore(value: 0)
    private let mayGoOn = DispatchSemaphore(value: 0)

    var isAnswered: Bool { state.withLock { $0.isAnswered } }

    /// Keeps the next commit.
    func hold() { state.withLock { $0.isHolding = true } }
    func noteAnswer() { state.withLock { $0.isAnswered = true } }
    func waitUntilHeld() { held.wait() }
    func release() { mayGoOn.signal() }

    /// Called by the server before or after a commit.
    func pass() {
        let mustWait = state.withLock { state in
            defer { state.isHolding = false }
            return state.isHolding
        }
        guard mustWait else { return }
        held.signal()
        mayGoOn.wait()
    }
}
