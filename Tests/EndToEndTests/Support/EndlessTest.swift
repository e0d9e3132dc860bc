// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import LabTesting
import LabVocabulary
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
        @Test func `It waits for an event that never comes`() async throws {
            let test = try TestInstance()
            _ = try SharedMemoryObject.create(name: "\(test.layout.sharedMemoryPrefix)phone-1-abc", size: 256)
            // Like servers of other tests.
            let listener = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
            listener.setEventHandler {}
            listener.activate()
            print("waiting in \(test.layout.root) ")
            await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
            listener.cancel()
        }
    }

    /// Tests that hang in different ways, and one that does not.
    @Suite("Tests that hang", .enabled(if: EndlessRun.seconds != nil), .ends(withinSeconds: EndlessRun.seconds ?? 1))
    struct HangingTests {
        /// More than the test threads.
        static let cases = 0...ProcessInfo.processInfo.activeProcessorCount

        @Test(arguments: cases) func `It blocks a thread forever`(number: Int) {
            let lock = NSLock()
            lock.lock()
            lock.lock()
        }

        @Test func `It blocks its own thread`() async throws {
            try await onThread {
                let lock = NSLock()
                lock.lock()
                lock.lock()
            }
        }

        @Test func `It waits for a task that never ends`() async {
            await Task { await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in } }.value
        }

        @Test func `It ends after the others`() async {
            await Task.yield()
            #expect(EndlessRun.seconds != nil)
        }
    }
}

/// Whether this process was started to run failing tests.
enum FailingRun {
    static let variable = "LAB_FAILING_TEST"
    static let isWanted = ProcessInfo.processInfo.environment[variable] != nil
}

extension EndToEnd {
    /// ``LabTraitTests`` runs this in a separate process and checks the output of failures.
    @Suite("Tests that fail in a lab", .enabled(if: FailingRun.isWanted), .lab())
    struct FailingLabTest {
        @Test func `An expectation is not met`() async throws {
            let lab = try Lab.current
            _ = try await lab.main.failure(of: ValidatePassword { $0.password = "hunter22" })
            #expect(try await lab.main.call(HasValidActivation()))
        }

        @Test func `A requirement is not met`() async throws {
            let lab = try Lab.current
            let isActive = try await lab.main.call(HasValidActivation())
            try #require(isActive)
        }

        @Test func `A command fails`() async throws {
            try await Lab.current.main.call(PersistActivation { $0.password = "1234" })
        }
    }
}
