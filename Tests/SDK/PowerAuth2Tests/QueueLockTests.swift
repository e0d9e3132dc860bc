// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import PowerAuth2
import PowerAuthShared
import SDKTestSupport
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// Only one signed request of all applications that share an activation runs at a time. However the request with the
/// queue lock ends, the next one gets the lock, in its own application and in the others.
@Suite("The queue lock of signed requests after the end of its owner (sharing.md, section 7.9)", .endsInTime)
struct QueueLockTests {
    /// What has the turn.
    enum Owner: CaseIterable, Sendable {
        case request, block, operation
    }

    /// When it is cancelled.
    enum Moment: CaseIterable, Sendable {
        /// Behind another one of the same application.
        case queued
        /// When its turn has come, and another application still has the lock.
        case waitingForTheLock
        case running
        case ended
    }

    private static let path = "/pa/v3/signature/validate"

    /// Something on the queue of an SDK object.
    private struct Entry: Sendable {
        let cancel: @Sendable () -> Void
        /// Ends it by itself; nil for what the server ends.
        var end: (@Sendable () -> Void)?
    }

    private let app: TestApp
    private let other: TestApp

    init() async throws {
        app = try await TestApp.activated(.sharing)
        other = try app.neighbour()
    }

    @Test(arguments: Owner.allCases, Moment.allCases)
    func
        `A request cancelled at any moment, even twice, releases the queue lock to the next one, here and in other applications`(
            owner: Owner, moment: Moment
        ) async throws
    {
        switch moment {
        case .queued:
            let first = await hold(app.sdk)
            let entry = add(owner) { Issue.record("what is cancelled in the queue does not run") }
            cancelTwice(entry)
            first.value.cancel()
        case .waitingForTheLock:
            let first = await hold(other.sdk)
            let entry = try await addUntilItWaits { add(owner) {} }
            cancelTwice(entry)
            first.value.cancel()
            await app.sdk.serialQueueIsIdle()
            entry.end?()
        case .running:
            let entry = await run(owner)
            cancelTwice(entry)
            entry.end?()
        case .ended:
            let entry = await run(owner)
            (entry.end ?? { app.transport.release(Self.path) })()
            if owner == .block { entry.cancel() }
            await app.sdk.serialQueueIsIdle()
            cancelTwice(entry)
        }
        try await expectTurns()
    }

    @Test func `A request that waits for the lock when its activation is removed releases it`() async throws {
        let first = await hold(other.sdk)
        let report = Reports()
        _ = try await addUntilItWaits {
            _ = app.sdk.validatePassword(password: TestApp.password) { report.add($0) }
            return Entry {}
        }
        app.sdk.removeActivationLocal()
        first.value.cancel()
        #expect(await report.next()?.powerAuthErrorCode == .operationCancelled)
        try await app.activate()
        try await expectTurns()
    }

    @Test(arguments: [true, false])
    func `A request that fails in the network releases the lock to the next one`(isAnswerLost: Bool) async throws {
        app.transport.order(isAnswerLost ? .loseAnswer(.timedOut) : .fail(.timedOut), for: Self.path)
        #expect(await app.validate() != nil)
        try await expectTurns()
    }

    @Test func `An SDK object released during its request releases the lock`() async throws {
        do {
            let sdk = try app.restarted()
            app.transport.order(.hold(.request), for: Self.path)
            sdk.validatePassword(password: TestApp.password) { _ in }
            await app.transport.holds(Self.path)
        }
        app.transport.release(Self.path)
        try await expectTurns()
    }

    @Test
    func `Where the lock cannot be taken nothing runs: each request learns why, and the next one has its turn`()
        async throws
    {
        try app.device.faults.arm(FaultRule(point: .queueLockTake, process: "main", action: .fail("EIO"), limit: 0))
        #expect(await app.validate()?.powerAuthErrorCode == .invalidActivationState)
        let refusal: NSError? = await callback { report in
            _ = app.sdk.executeBlock(
                onSerialQueue: { _ in Issue.record("a block runs without the lock") }, refused: { report($0) })
        }
        #expect(refusal?.powerAuthErrorCode == .invalidActivationState)
        #expect(refusal?.localizedDescription.contains("cannot be taken") == true)
        let operation = BlockOperation { Issue.record("an operation runs without the lock") }
        #expect(app.sdk.executeOperation(onSerialQueue: operation))
        while !operation.isCancelled { await Task.yield() }
        _ = try app.device.faults.disarm()
        try await expectTurns()
    }

    // MARK: Support

    private func expectTurns() async throws {
        await other.sdk.serialQueueIsIdle()
        await app.sdk.serialQueueIsIdle()
        #expect(await other.validate() == nil)
        #expect(await app.validate() == nil)
    }

    private func cancelTwice(_ entry: Entry) {
        entry.cancel()
        entry.cancel()
    }

    /// Something of an application that has the turn until its task is cancelled.
    private func hold(_ sdk: PowerAuthSDK) async -> UncheckedTransfer<any PowerAuthOperationTask> {
        await callback { report in _ = sdk.executeBlock(onSerialQueue: { report(UncheckedTransfer($0)) }) }
    }

    /// Adds something to the queue, which may come to its turn later.
    private func add(_ owner: Owner, _ started: @escaping @Sendable () -> Void) -> Entry {
        switch owner {
        case .request:
            let task = app.sdk.validatePassword(password: TestApp.password) { _ in
                Issue.record("what is cancelled reports nothing")
            }
            let given = UncheckedTransfer(task)
            return Entry { given.value?.cancel() }
        case .block:
            let given = UncheckedTransfer(
                app.sdk.executeBlock(onSerialQueue: { task in
                    started()
                    task.cancel()
                }))
            return Entry { given.value?.cancel() }
        case .operation:
            let mayEnd = DispatchSemaphore(value: 0)
            let operation = BlockOperation {
                started()
                mayEnd.wait()
            }
            app.sdk.executeOperation(onSerialQueue: operation)
            let given = UncheckedTransfer(operation)
            return Entry(cancel: { given.value.cancel() }, end: { mayEnd.signal() })
        }
    }

    /// Adds something and waits until it has the turn.
    private func run(_ owner: Owner) async -> Entry {
        switch owner {
        case .request:
            app.transport.order(.hold(.request), for: Self.path)
            let given = UncheckedTransfer(app.sdk.validatePassword(password: TestApp.password) { _ in })
            await app.transport.holds(Self.path)
            return Entry { given.value?.cancel() }
        case .block:
            let task = await hold(app.sdk)
            return Entry { task.value.cancel() }
        case .operation:
            let started = AsyncStream<Void>.makeStream()
            let entry = add(.operation) { started.continuation.yield() }
            for await _ in started.stream { break }
            return entry
        }
    }

    /// Adds something and waits until it asks for the lock, which another application has.
    private func addUntilItWaits(_ add: () -> Entry) async throws -> Entry {
        let point = FaultRule(point: .queueLockTake, process: "main", action: .delay(.zero), limit: 0)
        let number = try app.device.faults.arm(point)
        let entry = add()
        while !app.device.faults.rules().contains(where: { $0.id == number && $0.fired > 0 }) { await Task.yield() }
        try app.device.faults.disarm()
        return entry
    }

    /// What a callback was given.
    private final class Reports: Sendable {
        private let stream = AsyncStream<NSError?>.makeStream()

        func add(_ error: (any Error)?) { stream.continuation.yield(error as NSError?) }

        func next() async -> NSError? {
            for await error in stream.stream { return error }
            return nil
        }
    }
}
