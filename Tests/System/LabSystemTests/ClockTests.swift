// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("Clocks", .endsInTime)
struct ClockTests {
    /// What the kernel shows, in nanoseconds.
    private func kernel(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    @Test func `The monotonic clock is the kernel's, in nanoseconds`() {
        let before = kernel(CLOCK_MONOTONIC)
        let shown = Int64(MonotonicClock.nanoseconds())
        #expect((before...kernel(CLOCK_MONOTONIC)).contains(shown))
    }

    @Test func `Real and steady time count from 1970`() {
        let hour: Int64 = 3_600_000_000_000
        let now = Int64(Date().timeIntervalSince1970 * 1e9)
        #expect(abs(RealTimeClock.nanoseconds() - now) < hour)
        #expect(abs(SteadyClock.nanoseconds() - now) < hour)
    }

    @Test func `Steady time is the monotonic clock and a constant`() {
        let before = Int64(MonotonicClock.nanoseconds()) + SteadyClock.epoch
        let shown = SteadyClock.nanoseconds()
        #expect((before...(Int64(MonotonicClock.nanoseconds()) + SteadyClock.epoch)).contains(shown))
    }

    @Test(arguments: [3, 0, -1])
    func `A pause lasts as long as it was asked for at least, and one of no time has ended`(milliseconds: Int64) {
        let before = MonotonicClock.nanoseconds()
        MonotonicClock.pause(nanoseconds: milliseconds * 1_000_000)
        #expect(Int64(MonotonicClock.nanoseconds() - before) >= milliseconds * 1_000_000)
    }

    @Test func `A wait for nothing ends with its time, which is over at once when it is negative`() throws {
        let event = try EventDescriptor()
        let before = MonotonicClock.nanoseconds()
        #expect(try Polling.waitReadable([event.rawDescriptor], timeoutNanoseconds: 3_000_000) == [false])
        #expect(MonotonicClock.nanoseconds() - before >= 3_000_000)
        #expect(try Polling.waitReadable([event.rawDescriptor], timeoutNanoseconds: -1) == [false])
        #expect(try Polling.waitReadable([], timeoutNanoseconds: 0) == [])
    }
}
