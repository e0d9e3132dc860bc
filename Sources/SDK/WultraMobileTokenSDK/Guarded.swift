import Foundation

/// State that is not `Sendable`, behind a lock.
final class Guarded<State>: @unchecked Sendable {
    // Safe: the state is reached only inside the lock. What leaves it are values that nobody changes, and objects whose
    // own documentation says on which thread they are used.
    private let lock = NSLock()
    private var state: State

    init(_ state: State) {
        self.state = state
    }

    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&state) }
    }
}
