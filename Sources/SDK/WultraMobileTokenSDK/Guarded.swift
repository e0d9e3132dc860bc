import Foundation

/// State that is not `Sendable`, behind a lock.
final class Guarded<State>: @unchecked Sendable {
    // Safe: the state is reached only inside the lock. Only immutable values leave it, and objects whose documentation
    // states the thread on which they are used.
    private let lock = NSLock()
    private var state: State

    init(_ state: State) {
        self.state = state
    }

    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&state) }
    }
}
