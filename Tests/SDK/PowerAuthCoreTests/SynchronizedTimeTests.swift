// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthCore
import TestSupport
import Testing

/// sdk.md, sections 9.10 and 12.11.
@Suite("Synchronised time", .endsInTime)
struct SynchronizedTimeTests {
    /// A clock that the test moves.
    private final class Clock: @unchecked Sendable {
        // Used by one thread.
        var now: TimeInterval = 1_000_000
    }

    private let clock = Clock()
    private let time: SynchronizedTime

    init() { time = SynchronizedTime { [clock] in clock.now } }

    private func synchronize(offset: TimeInterval, roundTrip: TimeInterval = 0.02) -> Bool {
        let task = time.startTimeSynchronizationTask()
        let serverTime = clock.now + offset + roundTrip / 2
        clock.now += roundTrip
        return time.completeTimeSynchronizationTask(task, withServerTime: serverTime)
    }

    @Test(.verifies("sharing.md", "Z-1"), .verifies("sdk.md", "B-50"))
    func `A new clock is local time; small differences are accepted without an adjustment`() {
        #expect(!time.isTimeSynchronized && time.currentTime() == clock.now)
        #expect(synchronize(offset: 0) && time.isTimeSynchronized && time.adjustment == 0)
        #expect(synchronize(offset: 5) && time.adjustment == 0)
        #expect(synchronize(offset: -5) && time.adjustment == 0)
    }

    @Test(.verifies("sharing.md", "Z-1"), .verifies("sdk.md", "B-51"))
    func `Differences of half a minute move the clock, small changes of them do not, a reset forgets them`() {
        #expect(synchronize(offset: 0))
        for target in [30.0, -30.0] {
            #expect(synchronize(offset: target))
            #expect(abs(time.adjustment - target) < 0.1)
            #expect(abs(time.currentTime() - clock.now - target) < 0.1)
        }
        let before = time.adjustment
        #expect(synchronize(offset: -32) && time.adjustment == before)
        #expect(synchronize(offset: 0) && abs(time.adjustment) < 0.1)
        time.reset()
        #expect(!time.isTimeSynchronized && time.adjustment == 0 && time.precision == 0)
    }

    @Test(
        .verifies("sharing.md", "Z-1"),
        .verifies("sdk.md", "B-52"))
    func `An exchange of ten seconds counts; slower ones are ignored`() {
        #expect(synchronize(offset: 0, roundTrip: 10))
        #expect(synchronize(offset: 3, roundTrip: 15.1) && time.adjustment == 0)
        time.reset()
        #expect(!synchronize(offset: 0, roundTrip: 17) && !time.isTimeSynchronized)
    }

    @Test(
        .verifies("sharing.md", "Z-1"),
        .verifies("sdk.md", "B-53"))
    func `Only the object of the start, and no start in the future, ends a measurement`() {
        for task in ["text", 5, Optional<Double>.none as Any, clock.now + 10] as [Any] {
            #expect(!time.completeTimeSynchronizationTask(task, withServerTime: clock.now))
        }
        #expect(!time.isTimeSynchronized)
    }
}
