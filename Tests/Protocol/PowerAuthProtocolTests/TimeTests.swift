// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Time", .endsInTime)
struct TimeTests {
    private func synchronized(serverAhead: Double, elapsed: Double = 0.2) -> TimeSynchronization {
        var time = TimeSynchronization()
        let attempt = time.start(localTime: 1000)
        let isSynchronized = time.complete(
            attempt, serverTime: 1000 + elapsed / 2 + serverAhead, localTime: 1000 + elapsed)
        #expect(isSynchronized)
        return time
    }

    @Test func `Small differences need no adjustment`() {
        let time = synchronized(serverAhead: 1.9)
        #expect(time.isSynchronized && time.adjustment == 0 && abs(time.precision - 0.1) < 1e-9)
    }

    @Test func `Larger differences are adjusted`() {
        let time = synchronized(serverAhead: -300)
        #expect(abs(time.adjustment + 300) < 1e-6)
        #expect(abs(time.currentTime(localTime: 2000) - 1700) < 1e-6)
    }

    @Test func `A synchronised clock ignores noise`() {
        var time = synchronized(serverAhead: 100)
        let adjustment = time.adjustment
        let afterNoise = time.complete(time.start(localTime: 2000), serverTime: 2109, localTime: 2000)
        #expect(afterNoise && time.adjustment == adjustment)
        let afterJump = time.complete(time.start(localTime: 3000), serverTime: 3111, localTime: 3000)
        #expect(afterJump && abs(time.adjustment - 111) < 1e-6)
    }

    @Test func `A clock that was put right takes the small difference, and forgets the large one`() {
        var time = synchronized(serverAhead: 100)
        let isSynchronized = time.complete(time.start(localTime: 3000), serverTime: 3001.5, localTime: 3000)
        #expect(isSynchronized && time.adjustment == 1.5 && time.precision == 0)
    }

    @Test func `After the time was forgotten, the next answer counts, also where it would have been noise`() {
        var time = synchronized(serverAhead: 100)
        time.invalidate()
        let isSynchronized = time.complete(time.start(localTime: 2000), serverTime: 2103, localTime: 2004)
        #expect(isSynchronized && time.isSynchronized && time.adjustment == 101 && time.precision == 2)
    }

    @Test func `The precision is that of the exchange that was used last`() {
        var time = synchronized(serverAhead: 0)
        let afterSlower = time.complete(time.start(localTime: 2000), serverTime: 2002, localTime: 2004)
        #expect(afterSlower && time.precision == 2 && time.adjustment == 0)
        var adjusted = synchronized(serverAhead: 100)
        let afterNoise = adjusted.complete(adjusted.start(localTime: 2000), serverTime: 2105, localTime: 2006)
        #expect(afterNoise && abs(adjusted.precision - 0.1) < 1e-9, "noise is not used")
    }

    @Test func `Late and impossible answers are ignored`() {
        var time = TimeSynchronization()
        let attempt = time.start(localTime: 1000)
        let afterLate = time.complete(attempt, serverTime: 5000, localTime: 1016.1)
        let afterImpossible = time.complete(attempt, serverTime: 5000, localTime: 999)
        #expect(!afterLate && !afterImpossible && time == TimeSynchronization())
        let inTime = time.complete(attempt, serverTime: 5000, localTime: 1016)
        #expect(inTime)
        var copy = time
        let afterAnotherLate = time.complete(time.start(localTime: 0), serverTime: 0, localTime: 100)
        #expect(afterAnotherLate && time == copy, "still synchronised as before")
        copy.invalidate()
        #expect(!copy.isSynchronized && copy.adjustment == time.adjustment)
    }

    @Test func `Freshness windows have their limits`() {
        let now: UInt64 = 10_000_000
        for (timestamp, verdict) in [
            (now, FreshnessWindow.Verdict.fresh), (now - 60_000, .fresh), (now - 60_001, .tooOld),
            (now + 60_000, .fresh), (now + 60_001, .tooFarAhead), (0, .tooOld), (UInt64.max, .tooFarAhead),
        ] {
            #expect(FreshnessWindow.ecies.verdict(timestamp: timestamp, now: now) == verdict, "\(timestamp)")
        }
        #expect(FreshnessWindow.token(.v3_3).verdict(timestamp: now - 7_200_000, now: now) == .fresh)
        #expect(FreshnessWindow.token(.v3_3).verdict(timestamp: now + 60_001, now: now) == .tooFarAhead)
        #expect(FreshnessWindow.token(.v3_1).verdict(timestamp: now + 1_800_000, now: now) == .fresh)
    }
}
