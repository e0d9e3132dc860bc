import Dispatch
import Foundation
import Synchronization

/// The threads that do what may block: SQLite and cryptography. Swift's cooperative threads never do.
///
/// Thread rule: any thread. The threads end, after the jobs they have, when the last reference goes away.
final class WorkerThreads: Sendable {
    private let queue = JobQueue()
    private let count: Int

    /// Starts the threads.
    /// - Parameter count: how many requests are worked on at once.
    init(count: Int) {
        self.count = max(1, count)
        for index in 1...self.count {
            // The threads hold the queue only, so that they do not keep their owner alive.
            let thread = Thread { [queue] in
                while let job = queue.next() { job() }
            }
            thread.name = "server worker \(index)"
            thread.start()
        }
    }

    deinit {
        queue.close(threads: count)
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
/// A semaphore and not a condition variable: glibc before 2.41 can lose a condition's signal when a new waiter takes
/// one that was meant for an older (bug 25847), and a request whose job wakes no thread is never answered.
///
/// Thread rule: any thread.
private final class JobQueue: Sendable {
    // An array and not a slice of one: a slice would keep what was removed, and with it the requests and the server that
    // they belong to.
    private let jobs = Mutex<[@Sendable () -> Void]>([])
    /// Counts the jobs, and after the end one more for each thread.
    private let available = DispatchSemaphore(value: 0)

    func add(_ job: @escaping @Sendable () -> Void) {
        jobs.withLock { $0.append(job) }
        available.signal()
    }

    /// Lets so many threads end when the queue is empty.
    func close(threads count: Int) {
        for _ in 0..<count { available.signal() }
    }

    /// The oldest job, waited for; nil when the queue is closed and empty.
    func next() -> (@Sendable () -> Void)? {
        available.wait()
        return jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
