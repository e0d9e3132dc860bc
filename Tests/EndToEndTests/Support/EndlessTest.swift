import Foundation
import Glibc
import LabKit
import LabSystem
import TestSupport
import Testing

/// Whether this process was started to hang, and for how long.
enum EndlessRun {
    /// The seconds until the watchdog must act; without this variable the test is skipped.
    static let variable = "LAB_ENDLESS_TEST"
    static let seconds = ProcessInfo.processInfo.environment[variable].flatMap(Int64.init)
}

extension EndToEnd {
    /// ``TestProcessTests`` runs this in a separate process and checks its end.
    @Suite("A test without end", .enabled(if: EndlessRun.seconds != nil), .ends(withinSeconds: EndlessRun.seconds ?? 1))
    struct EndlessTest {
        @Test("It waits for an event that never comes")
        func waits() async throws {
            let directory = try TemporaryDirectory()
            let instance = try Instance.create(in: directory.path) { layout in
                InstanceManifest(
                    id: layout.id, labFile: nil, topology: Topology(name: "endless", devices: []),
                    runDirectory: directory.file("run"), seed: 1, executablesDirectory: "/nowhere")
            }
            _ = try SharedMemoryObject.create(name: "\(instance.layout.sharedMemoryPrefix)phone-1-abc", size: 256)
            // Like servers of other tests.
            let listener = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
            listener.setEventHandler {}
            listener.activate()
            print("waiting in \(instance.layout.root) ")
            await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
            listener.cancel()
        }
    }

    /// Tests that hang in different ways, and one that does not.
    @Suite("Tests that hang", .enabled(if: EndlessRun.seconds != nil), .ends(withinSeconds: EndlessRun.seconds ?? 1))
    struct HangingTests {
        /// More than the test threads.
        static let cases = 0...ProcessInfo.processInfo.activeProcessorCount

        @Test("It blocks a thread forever", arguments: cases)
        func blocks(number: Int) {
            let lock = NSLock()
            lock.lock()
            lock.lock()
        }

        @Test("It blocks its own thread")
        func blocksElsewhere() async throws {
            try await onThread {
                let lock = NSLock()
                lock.lock()
                lock.lock()
            }
        }

        @Test("It waits for a task that never ends")
        func waits() async {
            await Task { await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in } }.value
        }

        @Test("It ends after the others")
        func ends() async {
            await Task.yield()
            #expect(EndlessRun.seconds != nil)
        }
    }
}
