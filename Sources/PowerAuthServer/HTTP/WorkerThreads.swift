import Foundation

/// The threads that do what may block: SQLite and cryptography. Swift's cooperative threads never do.
///
/// Thread rule: any thread; the queue is guarded by its condition.
final class WorkerThreads: @unchecked Sendable {
    private let condition = NSCondition()
    // Both are guarded by `condition`, which is what makes the class safe to share.
    private var jobs: ArraySlice<@Sendable () -> Void> = []
    private var isStopped = false

    /// Starts the threads.
    /// - Parameter count: how many requests are worked on at once.
    init(count: Int) {
        for index in 1...max(1, count) {
            let thread = Thread { [weak self] in
                while let job = self?.next() { job() }
            }
            thread.name = "server worker \(index)"
            thread.start()
        }
    }

    deinit {
        stop()
    }

    /// Runs a function on a worker and waits for its result without blocking the caller's thread.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            submit { continuation.resume(returning: body()) }
        }
    }

    /// Runs a function on a worker, some time.
    func submit(_ job: @escaping @Sendable () -> Void) {
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    /// Lets the threads end when the queue is empty.
    func stop() {
        condition.withLock {
            isStopped = true
            condition.broadcast()
        }
    }

    private func next() -> (@Sendable () -> Void)? {
        condition.withLock {
            while jobs.isEmpty {
                if isStopped { return nil }
                condition.wait()
            }
            return jobs.removeFirst()
        }
    }
}
