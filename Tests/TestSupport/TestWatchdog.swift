import Foundation
import Glibc
import LabKit
import LabSystem
import Synchronization

/// Knows the tests under way and ends the process when one of them never ends.
///
/// Thread rule: any thread. It has a thread of its own, because all others may be what hangs.
final class TestWatchdog: Sendable {
    static let shared = TestWatchdog()

    private struct Running {
        let name: String
        let start: UInt64
        let limit: LabDuration

        func seconds(at now: UInt64) -> Double { Double(now - start) / 1e9 }
    }

    private let running = Mutex<(next: Int, tests: [Int: Running])>((0, [:]))

    private init() {
        // The directory and its guardian come before the first test.
        _ = TestProcess.directory
        EndBySignal.listen()
        let parent = try? ProcessWatch(pid: getppid())
        runOnThread(name: "test watchdog") { [self] in
            while true {
                // Half a second between two looks, or the end of who started the tests: nobody reads the results then.
                let watched = parent.map { [$0.rawDescriptor] } ?? []
                let hasEnded = (try? Polling.waitReadable(watched, timeoutNanoseconds: 500_000_000)) ?? []
                if hasEnded.contains(true) { _exit(SIGTERM + 128) }
                look()
            }
        }
    }

    func begin(_ name: String, _ limit: LabDuration) -> Int {
        running.withLock {
            $0.next += 1
            $0.tests[$0.next] = Running(name: name, start: MonotonicClock.nanoseconds(), limit: limit)
            return $0.next
        }
    }

    func end(_ number: Int) {
        running.withLock { _ = $0.tests.removeValue(forKey: number) }
    }

    private func look() {
        // Read while no test can start, so that none starts after it.
        let (now, tests) = running.withLock { running in
            (MonotonicClock.nanoseconds(), running.tests.values.sorted { $0.start < $1.start })
        }
        guard let hanging = tests.first(where: { Int64(now - $0.start) > $0.limit.nanoseconds }) else { return }
        var text = "\nA test did not end within \(hanging.limit): \(hanging.name)\n"
        text += "Tests under way, with the seconds since their start:\n"
        for test in tests { text += String(format: "%8.1f  ", test.seconds(at: now)) + test.name + "\n" }
        FileHandle.standardError.write(Data(text.utf8))
        // Not exit(): what runs at an ordinary end may wait for what hangs.
        _exit(EXIT_FAILURE)
    }
}
