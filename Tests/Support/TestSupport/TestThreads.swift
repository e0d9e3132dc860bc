// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import Synchronization

/// The threads that run the bodies of tests: as many at a time as there are cores, and one more for each that is stuck.
///
/// Swift's own pool also has one thread per core, and two tests that block for ever would exhaust it. Here the threads
/// of an abandoned test do not count, so that the others continue.
///
/// Thread rule: any thread.
final class TestThreads: Sendable {
    static let shared = TestThreads(width: ProcessInfo.processInfo.activeProcessorCount)

    private struct State {
        /// What waits for a thread, in order.
        var waiting: [(job: UnownedJob, run: TestRun)] = []
        /// For each test under way, how many threads it has.
        var threads: [ObjectIdentifier: Int] = [:]
        /// They stay, so that no other test gets the identity of one.
        var abandoned: [ObjectIdentifier: TestRun] = [:]

        var busy: Int { threads.values.reduce(0, +) }

        /// Takes out what may run next.
        mutating func next(_ width: Int) -> (job: UnownedJob, run: TestRun)? {
            // The remaining work of an abandoned test does not block other tests.
            if let index = waiting.firstIndex(where: { abandoned[ObjectIdentifier($0.run)] != nil }) {
                return waiting.remove(at: index)
            }
            guard busy < width, !waiting.isEmpty else { return nil }
            // A test whose time runs comes before one that has not begun.
            let index = waiting.firstIndex { $0.run.hasBegun.load(ordering: .relaxed) } ?? waiting.startIndex
            let first = waiting.remove(at: index)
            first.run.hasBegun.store(true, ordering: .relaxed)
            threads[ObjectIdentifier(first.run), default: 0] += 1
            return first
        }

        mutating func ended(_ run: TestRun) {
            let name = ObjectIdentifier(run)
            guard let count = threads[name] else { return }
            threads[name] = count > 1 ? count - 1 : nil
        }
    }

    private let width: Int
    private let state = Mutex(State())

    init(width: Int) { self.width = width }

    fileprivate func enqueue(_ job: UnownedJob, of run: TestRun) {
        state.withLock { $0.waiting.append((job, run)) }
        startThreads()
    }

    /// The run no longer waits for the test.
    func abandon(_ run: TestRun) {
        state.withLock {
            $0.abandoned[ObjectIdentifier(run)] = run
            $0.threads[ObjectIdentifier(run)] = nil
        }
        startThreads()
    }

    private func startThreads() {
        while let first = state.withLock({ $0.next(width) }) {
            // A test has as much stack as the main thread of a program.
            runOnThread(name: "test", stackSize: 8 << 20) { [self] in
                var next: (job: UnownedJob, run: TestRun)? = first
                while let (job, run) = next {
                    job.runSynchronously(on: run.asUnownedTaskExecutor())
                    next = state.withLock {
                        $0.ended(run)
                        return $0.next(width)
                    }
                }
            }
        }
    }
}

/// One test under way, or one case of it, for the threads that run it.
final class TestRun: TaskExecutor {
    fileprivate let hasBegun = Atomic(false)
    private let threads: TestThreads

    init(_ threads: TestThreads = .shared) { self.threads = threads }

    func enqueue(_ job: consuming ExecutorJob) { threads.enqueue(UnownedJob(job), of: self) }
}
