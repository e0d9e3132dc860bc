import Foundation

/// The threads that do what may block: SQLite and cryptography. Swift's cooperative threads never do.
///
/// Thread rule: any thread. The threads end, after the jobs they have, when the last reference goes away.
final class WorkerThreads: Sendable {
    private let queue = JobQueue()

    /// Starts the threads.
    /// - Parameter count: how many requests are worked on at once.
    init(count: Int) {
        for index in 1...max(1, count) {
            // The threads hold the queue only, so that they do not keep their owner alive.
            let thread = Thread { [queue] in
                while let job = queue.next() { job() }
            }
            thread.name = "server worker \(index)"
            thread.start()
        }
    }

    deinit {
        queue.close()
    }

    /// Runs a function on a worker and waits for its result without blocking the caller's thread.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            submit { continuation.resume(returning: body()) }
        }
    }

    /// Runs a function on a worker, some time.
    func submit(_ job: @escaping @Sendable () -> Void) {
        queue.add(job)
    }
}

/// Jobs in the order of their arrival.
///
/// Thread rule: any thread; the state is guarded by the condition.
private final class JobQueue: @unchecked Sendable {
    private let condition = NSCondition()
    // Both are guarded by `condition`, which is what makes the class safe to share. An array and not a slice of one: a
    // slice would keep what was removed, and with it the requests and the server that they belong to.
    private var jobs: [@Sendable () -> Void] = []
    private var isClosed = false

    func add(_ job: @escaping @Sendable () -> Void) {
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    /// Lets waiting threads end when the queue is empty.
    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
    }

    /// The oldest job, waited for; nil when the queue is closed and empty.
    func next() -> (@Sendable () -> Void)? {
        condition.withLock {
            while jobs.isEmpty {
                if isClosed { return nil }
                condition.wait()
            }
            return jobs.removeFirst()
        }
    }
}
