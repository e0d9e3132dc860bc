import LabSystem

/// Runs asynchronous work to its end from the main thread, which does nothing else meanwhile.
enum Foreground {
    /// Blocks the calling thread, which must not belong to the concurrency runtime.
    static func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let outcome = OneShot<Result<Void, any Error>>()
        Task.detached {
            do {
                try await body()
                outcome.set(.success(()))
            } catch {
                outcome.set(.failure(error))
            }
        }
        try outcome.wait().get()
    }
}
