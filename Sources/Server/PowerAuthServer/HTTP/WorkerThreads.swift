import Foundation
import LabSystem

/// The threads that do what may block: SQLite and cryptography. Swift's cooperative threads never do.
///
/// Thread rule: any thread. The threads end, after the jobs they have, when the last reference goes away.
final class WorkerThreads: Sendable {
    private let jobs = Mailbox<@Sendable () -> Void>()

    /// Starts the threads.
    /// - Parameter count: how many requests are worked on at once.
    init(count: Int) {
        for index in 1...max(1, count) {
            // The threads hold the mailbox only, so that they do not keep their owner alive.
            let thread = Thread { [jobs] in
                while let job = jobs.take() { job() }
            }
            thread.name = "server worker \(index)"
            thread.start()
        }
    }

    deinit { jobs.close() }

    /// Runs a function on a worker and waits for its result without blocking the caller's thread.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            submit { continuation.resume(returning: body()) }
        }
    }

    /// Runs a function on a worker, some time.
    func submit(_ job: @escaping @Sendable () -> Void) {
        jobs.send(job)
    }
}
