// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import LabCore
import LabSystem
import Synchronization

#if canImport(Testing)
    /// Knows the tests under way and ends the wait for one that exceeds its limit.
    ///
    /// Thread rule: any thread. It has a thread of its own, because all others may be what hangs.
    final class TestWatchdog: Sendable {
        static let shared = TestWatchdog()

        /// How long the run may take to continue without a test: if that hangs, too, the process ends.
        private static let patience = LabDuration.seconds(30).stretched

        private struct Running {
            let name: String
            let start: UInt64
            let limit: LabDuration
            let end: TestEnd
            let run: TestRun
            /// The wait for it was ended; the waiting task has not continued yet.
            var isOverdue = false

            func seconds(at now: UInt64) -> Double { Double(now - start) / 1e9 }
        }

        private let running = Mutex<[ObjectIdentifier: Running]>([:])
        private let leavesAtOnce = Atomic(false)

        private init() {
            // The directory and its guardian come before the first test.
            _ = TestProcess.directory
            EndBySignal.listen()
            let parent = try? ProcessWatch(pid: getppid())
            runOnThread(name: "test watchdog") { [self] in
                while true {
                    // Half a second between two checks, or the end of the parent process: the results are not read
                    // then.
                    let watched = parent.map { [$0.rawDescriptor] } ?? []
                    let hasEnded = (try? Polling.waitReadable(watched, timeoutNanoseconds: 500_000_000)) ?? []
                    if hasEnded.contains(true) { _exit(SIGTERM + 128) }
                    look()
                }
            }
        }

        func begin(_ name: String, _ limit: LabDuration, _ end: TestEnd, _ run: TestRun) {
            running.withLock {
                $0[ObjectIdentifier(end)] = Running(
                    name: name, start: MonotonicClock.nanoseconds(), limit: limit, end: end, run: run)
            }
        }

        /// The test has ended, or the run continues without it.
        func forget(_ end: TestEnd) { running.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(end)) } }

        private func look() {
            // Read while no test can start, so that none starts after it.
            let (now, tests) = running.withLock { running in
                (MonotonicClock.nanoseconds(), running.values.sorted { $0.start < $1.start })
            }
            for test in tests {
                let excess = Int64(now - test.start) - test.limit.nanoseconds
                if excess > 0, !test.isOverdue {
                    report("A test did not end within \(test.limit): \(test.name)", tests, at: now)
                    leaveAtOnceAtTheEnd()
                    running.withLock { $0[ObjectIdentifier(test.end)]?.isOverdue = true }
                    // First its threads: who waits for the end may need one.
                    TestThreads.shared.abandon(test.run)
                    test.end.come(nil)
                } else if excess > Self.patience.nanoseconds {
                    report("The run does not go on without the test: \(test.name)", tests, at: now)
                    // Not exit(): what runs at an ordinary end may wait for what hangs.
                    _exit(EXIT_FAILURE)
                }
            }
        }

        private func report(_ title: String, _ tests: [Running], at now: UInt64) {
            var text = "\n\(title)\nTests under way, with the seconds since their start:\n"
            for test in tests { text += String(format: "%8.1f  ", test.seconds(at: now)) + test.name + "\n" }
            FileHandle.standardError.write(Data(text.utf8))
        }

        /// What runs at an ordinary end of the process may wait for what hangs, so it does not run.
        private func leaveAtOnceAtTheEnd() {
            guard !leavesAtOnce.exchange(true, ordering: .relaxed) else { return }
            // Of the functions for the end, the last one is called first.
            atexit {
                // A lock of the output may be what hangs.
                let isWritten = DispatchSemaphore(value: 0)
                runOnThread(name: "test output") {
                    fflush(nil)
                    isWritten.signal()
                }
                _ = isWritten.wait(timeout: .now() + 1)
                _exit(EXIT_FAILURE)
            }
        }
    }
#endif
