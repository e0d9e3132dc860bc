import Foundation

/// A value that the process keeps until it ends, guarded by a lock.
final class Retained<Value>: @unchecked Sendable {
    // Safe to share: `lock` guards the only mutable member.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Answer>(_ body: (inout Value) -> Answer) -> Answer {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
