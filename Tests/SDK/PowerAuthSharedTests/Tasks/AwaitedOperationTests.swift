// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import PowerAuthShared
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("Waiting for an operation", .endsInTime)
struct AwaitedOperationTests {
    /// What a cancel meets.
    enum Moment: CaseIterable, Sendable {
        /// The operation runs.
        case running
        /// The operation reports before the cancel reaches it.
        case reporting
        /// The operation has ended when the cancel reaches it, and reports a moment later.
        case aboutToReport
        /// The operation fails with an error of its own because it is cancelled.
        case failing
    }

    @Test
    func `A cancelled wait ends when the operation is cancelled; a faster operation gives its result`() async throws {
        let running = Task { try await Self.wait(cancelledWhile: .running) }
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(try await Self.wait(cancelledWhile: .reporting) == 7)
        #expect(try await Self.wait(cancelledWhile: .aboutToReport) == 7)
        let failing = Task { try await Self.wait(cancelledWhile: .failing) }
        await #expect(throws: CancellationError.self) { try await failing.value }
    }

    @Test
    func `A wait that is cancelled while the operation starts cancels it as soon as it has started`() async throws {
        let (isStarting, mayStart) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let operation = OperationToCancel()
        let waiting = Task {
            try await awaitValue { (_: @escaping (Int?, (any Error)?) -> Void) in
                isStarting.signal()
                mayStart.wait()
                return operation
            }
        }
        try await onThread { isStarting.wait() }
        waiting.cancel()
        mayStart.signal()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(operation.isCancelled)
    }

    @Test func `A wait of a task that is cancelled already starts nothing`() async throws {
        let waiting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await awaitValue { (_: @escaping (Int?, (any Error)?) -> Void) in
                Issue.record("nothing is started")
                return nil
            }
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `Of several reports the first one counts, and one that comes after a cancel is late`() async throws {
        let value = try await awaitValue { (report: @escaping (Int?, (any Error)?) -> Void) in
            report(1, nil)
            report(2, nil)
            report(nil, NSError(domain: "late", code: 1))
            return nil
        }
        #expect(value == 1)
        let operation = OperationToCancel()
        let reports = AsyncStream<UncheckedTransfer<(Int?, (any Error)?) -> Void>>.makeStream()
        let waiting = Task {
            try await awaitValue { (report: @escaping (Int?, (any Error)?) -> Void) in
                reports.continuation.yield(UncheckedTransfer(report))
                return operation
            }
        }
        for await report in reports.stream {
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            report.value(7, nil)
            break
        }
        #expect(operation.isCancelled)
    }

    @Test
    func `A wait gives the value or throws the error; an operation that reports neither has failed`() async throws {
        func value(_ value: Int?, _ error: NSError?) async -> Result<Int, NSError> {
            do {
                return .success(
                    try await awaitValue { (report: @escaping (Int?, (any Error)?) -> Void) in
                        report(value, error)
                        return nil
                    })
            } catch {
                return .failure(error as NSError)
            }
        }
        let failure = NSError.powerAuth(.encryption)
        #expect(try await value(7, nil).get() == 7)
        #expect(await value(nil, failure).code == .encryption)
        #expect(await value(nil, nil).code == .networkError)

        try await awaitCompletion { report in
            report(nil)
            return nil
        }
        let error = await #expect(throws: NSError.self) {
            try await awaitCompletion { report in
                report(failure)
                return nil
            }
        }
        #expect(error?.powerAuthErrorCode == .encryption)
    }

    @Test func `The operation starts within the lab operation of the waiting task`() async throws {
        let operation = try await Sandbox.$operation.withValue("operation-7") {
            try await awaitValue { (report: @escaping (String?, (any Error)?) -> Void) in
                report(Sandbox.operation ?? "none", nil)
                return nil
            }
        }
        #expect(operation == "operation-7")
    }

    private static func wait(cancelledWhile moment: Moment) async throws -> Int {
        let operation = OperationToCancel()
        let started = AsyncStream<Void>.makeStream()
        let waiting = Task {
            try await awaitValue { (report: @escaping (Int?, (any Error)?) -> Void) in
                let report = UncheckedTransfer(report)
                switch moment {
                case .running: break
                case .reporting: operation.beforeCancel { report.value(7, nil) }
                case .aboutToReport:
                    operation.beforeCancel {}
                    operation.whenAsked { report.value(7, nil) }
                case .failing: operation.beforeCancel { report.value(nil, NSError(domain: "cancelled", code: 1)) }
                }
                started.continuation.yield()
                return operation
            }
        }
        for await _ in started.stream { break }
        waiting.cancel()
        let value = try await waiting.value
        #expect(operation.isCancelled == (moment == .running))
        return value
    }
}

/// An operation that runs until it is cancelled. Any thread.
private final class OperationToCancel: PowerAuthOperationTask, Sendable {
    private struct State {
        var isCancelled = false
        var beforeCancel: (@Sendable () -> Void)?
        var whenAsked: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var isCancelled: Bool {
        let (isCancelled, whenAsked) = state.withLock { state in
            defer { state.whenAsked = nil }
            return (state.isCancelled, state.whenAsked)
        }
        whenAsked?()
        return isCancelled
    }

    /// Lets the operation report when it is first asked whether it is cancelled.
    func whenAsked(_ report: @escaping @Sendable () -> Void) { state.withLock { $0.whenAsked = report } }

    /// Lets the operation end with a report just before a cancel, which then has no effect.
    func beforeCancel(_ report: @escaping @Sendable () -> Void) { state.withLock { $0.beforeCancel = report } }

    func cancel() {
        let report = state.withLock { state in
            state.isCancelled = state.beforeCancel == nil
            return state.beforeCancel
        }
        report?()
    }
}
