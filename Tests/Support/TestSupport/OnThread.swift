import LabSystem

/// Runs a body that blocks on a thread of its own, because the concurrency runtime has only a few.
///
/// - Parameter body: a test, or a part of one; it has the stack of a main thread.
public func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        _ = runOnThread(name: "test", stackSize: 8 << 20) { continuation.resume(with: Result { try body() }) }
    }
}
