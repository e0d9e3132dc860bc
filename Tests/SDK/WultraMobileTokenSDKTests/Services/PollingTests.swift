// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import WultraMobileTokenSDK

@Suite("Polling (mobile-token.md, section 6.4)", .endsInTime)
struct PollingTests {
    /// Polls on a device whose clock stands still until the test moves it.
    private final class Poll: Sendable {
        let polling: OperationPolling
        let center = Box(NotificationCenter())
        private let pause: PollingPause
        private let sandbox: Sandbox
        private let clock: LabClock
        private let counter: Counter

        /// Safe: the centre is documented to be thread-safe.
        struct Box: @unchecked Sendable {
            let center: NotificationCenter
            init(_ center: NotificationCenter) { self.center = center }
        }

        /// How often the list was refreshed.
        final class Counter: Sendable {
            let count = Mutex(0)
            let stream: AsyncStream<Int>
            let continuation: AsyncStream<Int>.Continuation
            init() { (stream, continuation) = AsyncStream.makeStream() }
            func increment() {
                continuation.yield(
                    count.withLock {
                        $0 += 1; return $0
                    })
            }
        }

        init() throws {
            let device = try TemporaryDevice()
            clock = device.clock
            try clock.freeze()
            sandbox = try device.sandbox()
            let counter = Counter()
            self.counter = counter
            polling = OperationPolling(time: DeviceTime(sandbox)) { counter.increment() }
            pause = PollingPause(polling, center: center.center)
        }

        var count: Int { counter.count.withLock { $0 } }

        func refreshes(_ wanted: Int) async {
            for await count in counter.stream where count >= wanted { return }
        }

        func advance(_ seconds: Int64) throws { try clock.advance(by: .seconds(seconds)) }
        func post(_ name: Notification.Name) { center.center.post(name: name, object: nil) }
    }

    @Test func `The list is refreshed at once and then in every interval, until that is ended`() async throws {
        let poll = try Poll()
        #expect(!poll.polling.isPolling)
        poll.polling.start(interval: 7, delayStart: false)
        #expect(poll.polling.isPolling && poll.count == 1)
        for count in 2...4 {
            try poll.advance(7)
            await poll.refreshes(count)
        }
        poll.polling.stop()
        #expect(!poll.polling.isPolling)
        try poll.advance(60)
        poll.polling.start(interval: 7, delayStart: false)
        #expect(poll.count == 5)
    }

    @Test(.verifies("size", "OperationPolling.minimum"))
    func `A delayed start waits for the first interval, which is five seconds at least`() async throws {
        let poll = try Poll()
        poll.polling.start(interval: 1, delayStart: true)
        try poll.advance(4)
        #expect(poll.count == 0)
        try poll.advance(1)
        await poll.refreshes(1)
    }

    @Test func `Polling that runs keeps its interval when it is started again`() async throws {
        let poll = try Poll()
        poll.polling.start(interval: 10, delayStart: true)
        poll.polling.start(interval: 5, delayStart: false)
        #expect(poll.count == 0)
        try poll.advance(9)
        #expect(poll.count == 0)
        try poll.advance(1)
        await poll.refreshes(1)
    }

    @Test func `In the background polling waits, and continues at once when the app is active again`() async throws {
        let poll = try Poll()
        poll.polling.start(interval: 7, delayStart: false)
        poll.post(AppLife.willResignActive)
        #expect(poll.polling.isPolling)
        try poll.advance(60)
        #expect(poll.count == 1)
        poll.polling.start(interval: 7, delayStart: false)
        #expect(poll.count == 1)
        poll.post(AppLife.didBecomeActive)
        #expect(poll.count == 2)
        try poll.advance(7)
        await poll.refreshes(3)
        poll.post(AppLife.didBecomeActive)
        #expect(poll.count == 3)
    }

    @Test(.verifies("mobile-token.md", "B-48"))
    func `Polling that was ended while it waited does not continue`() throws {
        let poll = try Poll()
        poll.polling.start(interval: 7, delayStart: false)
        poll.post(AppLife.willResignActive)
        poll.polling.stop()
        #expect(!poll.polling.isPolling)
        poll.post(AppLife.didBecomeActive)
        try poll.advance(60)
        #expect(poll.count == 1 && !poll.polling.isPolling)
    }
}
