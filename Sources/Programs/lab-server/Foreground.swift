import Foundation

/// Runs asynchronous work to its end from the main thread, which does nothing else meanwhile.
enum Foreground {
    /// Blocks the calling thread, which must not belong to the concurrency runtime.
    static func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let outcome = Outcome()
        Task.detached {
            do {
                try await body()
                outcome.finish(.success(()))
            } catch {
                outcome.finish(.failure(error))
            }
        }
        try outcome.wait()
    }

    /// The end of the work. Thread rule: any thread; the result is written before the semaphore is signalled.
    private final class Outcome: @unchecked Sendable {
        private let finished = DispatchSemaphore(value: 0)
        // Written once before `finished` is signalled and read after it was waited for.
        private var result: Result<Void, any Error> = .success(())

        func finish(_ result: Result<Void, any Error>) {
            self.result = result
            finished.signal()
        }

        func wait() throws {
            finished.wait()
            try result.get()
        }
    }
}
