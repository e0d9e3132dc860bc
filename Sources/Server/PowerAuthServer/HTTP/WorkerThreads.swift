// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem

/// The threads that do what may block: SQLite and cryptography. Swift's cooperative threads never do.
///
/// Thread rule: any thread. The threads end, after the jobs they have, when the last reference goes away.
final class WorkerThreads: Sendable {
    /// Runs tasks on the threads. A task that waits for something asynchronous keeps no thread.
    final class Executor: TaskExecutor {
        fileprivate enum Job: Sendable {
            case function(@Sendable () -> Void)
            case task(UnownedJob)
        }

        fileprivate let jobs = Mailbox<Job>()

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            guard !jobs.send(.task(job)) else { return }
            // The threads have ended, and a task whose job does not run would never end.
            runOnThread(name: "late server worker", stackSize: 8 << 20) {
                job.runSynchronously(on: self.asUnownedTaskExecutor())
            }
        }

        fileprivate func work() {
            while let job = jobs.take() {
                switch job {
                case .function(let body): body()
                case .task(let job): job.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
        }
    }

    /// For asynchronous methods. A function value need not be on the threads yet when it is called: a synchronous one
    /// that was converted to an asynchronous one stays where its caller was.
    let executor = Executor()

    /// Starts the threads.
    /// - Parameter count: how many requests are worked on at once.
    init(count: Int) {
        for index in 1...max(1, count) {
            // The threads hold the executor only, so that they do not keep their owner alive.
            let thread = Thread { [executor] in executor.work() }
            thread.name = "server worker \(index)"
            thread.start()
        }
    }

    deinit { close() }

    /// Refuses jobs from now on; those that wait are done.
    func close() { executor.jobs.close() }

    /// Runs a function on a worker and waits for its result without blocking the caller's thread.
    func run<Value>(_ body: () throws -> Value) async rethrows -> Value {
        try await withTaskExecutorPreference(executor) { try body() }
    }

    /// Runs a function on a worker, some time.
    /// - Returns: false, with nothing done, after ``close()``.
    @discardableResult func submit(_ job: @escaping @Sendable () -> Void) -> Bool { executor.jobs.send(.function(job)) }
}

/// Runs each job of a task on a thread of its own, which may be held without keeping other tasks waiting.
///
/// Thread rule: any thread.
final class ThreadPerJob: TaskExecutor {
    static let shared = ThreadPerJob()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        runOnThread(name: "held request", stackSize: 8 << 20) {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
