import LabSystem

/// Runs a body that blocks on a thread of its own, because the concurrency runtime has only a few.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        _ = runOnThread(name: "test") {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}
