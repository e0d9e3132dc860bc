// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import WultraMobileTokenSDK

@Suite("The expiration watcher (mobile-token.md, section 11)", .endsInTime)
struct ExpirationWatcherTests {
    private final class Expirable: WMTExpirableOperation, Sendable {
        let operationExpires: Date
        init(_ date: Date) { operationExpires = date }
    }

    /// Timers that ring when the test says so.
    private final class ManualTimers: Sendable {
        private let actions = Mutex<[@Sendable () -> Void]>([])

        var count: Int { actions.withLock { $0.count } }

        func add(_ action: @escaping @Sendable () -> Void) -> DeviceTime.Cancellation {
            actions.withLock { $0.append(action) }
            return {}
        }

        func ringLast() { actions.withLock { $0.last }?() }
    }

    /// A watcher on a device whose clock stands still until the test moves it.
    private final class Watch: WMTOperationExpirationWatcherDelegate, Sendable {
        let watcher: WMTOperationExpirationWatcher
        let sandbox: Sandbox
        private let clock: LabClock
        private let reports: AsyncStream<Int>
        private let continuation: AsyncStream<Int>.Continuation
        private let watched = Mutex<[Int]>([])

        init() throws {
            let device = try TemporaryDevice()
            clock = device.clock
            try clock.freeze()
            sandbox = try device.sandbox()
            watcher = WMTOperationExpirationWatcher(time: DeviceTime(sandbox))
            (reports, continuation) = AsyncStream.makeStream()
            watcher.currentDateProvider = Clock(sandbox: sandbox)
            watcher.delegate = self
        }

        struct Clock: WMTCurrentDateProvider {
            let sandbox: Sandbox
            var currentDate: Date { sandbox.clock.now() }
        }

        /// How many operations were watched at each report.
        var watchedAtReports: [Int] { watched.withLock { $0 } }

        func operationsExpired(_ expiredOperations: [any WMTExpirableOperation]) {
            precondition(MainQueue.isCurrent, "Delegates are called on the main queue.")
            watched.withLock { $0.append(watcher.getWatchedOperations().count) }
            continuation.yield(expiredOperations.count)
        }

        func operation(in seconds: TimeInterval) -> Expirable {
            Expirable(sandbox.clock.now().addingTimeInterval(seconds))
        }

        /// How many operations the next report has.
        func report() async -> Int? { await reports.first { _ in true } }
        func advance(milliseconds: Int64) throws {
            try clock.advance(by: LabDuration(nanoseconds: milliseconds * 1_000_000))
        }
    }

    private func operation(_ id: String) throws -> WMTUserOperation {
        try JSON.read(
            WMTUserOperation.self,
            Example.operation.with("id", .string(id)).with("operationExpires", "2126-03-01T08:20:30+0000"))
    }

    @Test(.verifies("mobile-token.md", "B-40"))
    func `Each operation is watched once, and the watched ones are returned`() throws {
        let watcher = try Watch().watcher
        let (one, again, two, three) = try (operation("1"), operation("1"), operation("2"), operation("3"))
        #expect(watcher.add(one).count == 1 && watcher.add(again).count == 1)
        #expect(watcher.remove(two).count == 1)
        #expect(watcher.add([two, three, one]).count == 3 && watcher.getWatchedOperations().count == 3)
        #expect(watcher.add([]).count == 3 && watcher.remove([]).count == 3)
        #expect(watcher.remove([again, three]).count == 1)
        #expect(watcher.removeAll().isEmpty && watcher.getWatchedOperations().isEmpty)
    }

    @Test func `Operations are equal by identifier, data and expiration; other objects, if they are one`() throws {
        let one = try operation("1")
        let (same, two) = try (operation("1"), operation("2"))
        #expect(one.equals(other: same) && !one.equals(other: two))
        let other = try JSON.read(WMTUserOperation.self, Example.operation.with("id", "1"))
        #expect(!one.equals(other: other))
        let expirable = Expirable(one.operationExpires)
        #expect(expirable.equals(other: expirable))
        #expect(!expirable.equals(other: Expirable(one.operationExpires)) && !expirable.equals(other: one))
    }

    @Test(.verifies("mobile-token.md", "B-41"))
    func `An operation that expires now is reported after five seconds, no longer watched; a later one stays`()
        async throws
    {
        let watch = try Watch()
        watch.watcher.add([watch.operation(in: 0), watch.operation(in: 20)])
        try watch.advance(milliseconds: 5_000)
        #expect(watch.watcher.getWatchedOperations().count == 2)
        try watch.advance(milliseconds: 200)
        #expect(await watch.report() == 1)
        #expect(watch.watchedAtReports == [1])
        try watch.advance(milliseconds: 15_000)
        #expect(await watch.report() == 1)
        #expect(watch.watcher.getWatchedOperations().isEmpty)
    }

    @Test func `A clock that was set back does not silence the watcher`() async throws {
        let watch = try Watch()
        let timers = ManualTimers()
        let time = DeviceTime(now: { watch.sandbox.clock.now() }, after: { _, action in timers.add(action) })
        let watcher = WMTOperationExpirationWatcher(time: time)
        watcher.currentDateProvider = Watch.Clock(sandbox: watch.sandbox)
        watcher.delegate = watch
        watcher.add(watch.operation(in: 0))
        watch.sandbox.clock.setSkew(milliseconds: -10_000)
        timers.ringLast()
        #expect(watcher.getWatchedOperations().count == 1)
        watch.sandbox.clock.setSkew(milliseconds: 10_000)
        // The timer that found nothing has set another one.
        #expect(timers.count == 2)
        timers.ringLast()
        #expect(await watch.report() == 1)
    }

    @Test
    func `Only the last of several changes counts for the timer, and an empty watcher reports nothing`() async throws {
        let watch = try Watch()
        let first = watch.operation(in: 0)
        watch.watcher.add(first)
        watch.watcher.add(watch.operation(in: 0))
        watch.watcher.remove(first)
        try watch.advance(milliseconds: 6_000)
        #expect(await watch.report() == 1)
        watch.watcher.add(watch.operation(in: 0))
        watch.watcher.removeAll()
        try watch.advance(milliseconds: 60_000)
        #expect(watch.watchedAtReports == [0])
    }

    @Test func `A date provider moves the device's clock`() {
        let now = WMTOffsetDateProvider()
        let before = now.currentDate
        let moved = WMTOffsetDateProvider(offset: 3_600).currentDate
        let after = now.currentDate
        #expect(before.addingTimeInterval(3_600) <= moved && moved <= after.addingTimeInterval(3_600))
    }

    @Test func `A watcher of the process watches nothing at first`() {
        #expect(WMTOperationExpirationWatcher().getWatchedOperations().isEmpty)
    }
}
