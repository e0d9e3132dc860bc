// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The server's time", .endsInTime)
struct ServerTimeTests {
    @Test func `A step beyond the end of time leads to its end`() {
        func advanced(_ from: Int64, _ step: Int64) -> Int64 {
            ServerTime(milliseconds: from).advanced(by: step).milliseconds
        }
        #expect(advanced(5, 3) == 8 && advanced(5, -8) == -3 && advanced(.max, .min) == -1)
        #expect(advanced(.max, 1) == .max && advanced(.max - 1, 1) == .max && advanced(1, .max) == .max)
        #expect(advanced(.min, -1) == .min && advanced(.min + 1, -1) == .min && advanced(-2, .min) == .min)
    }

    @Test func `Seconds are whole ones, and moments are in the order of their milliseconds`() {
        #expect([0, 999, 1_000, 1_999].map { ServerTime(milliseconds: $0).seconds } == [0, 0, 1, 1])
        let (early, late) = (ServerTime(milliseconds: 1), ServerTime(milliseconds: 2))
        #expect(early < late && !(late < early) && !(early < early) && early <= early && max(early, late) == late)
    }

    @Test func `A product beyond the range is the nearest end of it`() {
        #expect(Int64(6).multipliedSaturating(by: -7) == -42)
        #expect(Int64.max.multipliedSaturating(by: 1_000) == .max && Int64.min.multipliedSaturating(by: -1) == .max)
        #expect(Int64.min.multipliedSaturating(by: 1_000) == .min && Int64.max.multipliedSaturating(by: -1_000) == .min)
    }

    // MARK: The alarm

    /// Waits for an alarm in a way of the test's own.
    /// - Returns: whether that wait began.
    private func waits(
        for alarm: ServerAlarm, wakingBy wake: @escaping @Sendable () -> Void = {}, _ body: () -> Void = {}
    ) -> Bool {
        var hasBegun = false
        alarm.wait(wakingBy: wake) {
            hasBegun = true
            body()
        }
        return hasBegun
    }

    @Test func `A ring ends the next wait of any kind, once, however often it rang`() {
        let alarm = ServerAlarm()
        #expect(waits(for: alarm))
        for _ in 1...2 { alarm.ring() }
        #expect(!waits(for: alarm))
        #expect(waits(for: alarm))
        for limit in [nil, 0, 86_400_000] as [Int64?] {
            alarm.ring()
            alarm.wait(milliseconds: limit)
            #expect(waits(for: alarm))
        }
        alarm.wait(milliseconds: 0)
        alarm.wait(milliseconds: -1)
    }

    @Test func `A ring during a wait ends it in its own way, and wakes nothing afterwards`() {
        let alarm = ServerAlarm()
        let wakes = Mutex(0)
        let hasBegun = waits(for: alarm, wakingBy: { wakes.withLock { $0 += 1 } }) { alarm.ring() }
        #expect(hasBegun && wakes.withLock { $0 } == 1)
        // That ring has ended its wait, and not the next.
        #expect(waits(for: alarm))
        alarm.ring()
        let waitsAgain = waits(for: alarm, wakingBy: { wakes.withLock { $0 += 1 } })
        #expect(!waitsAgain)
        #expect(wakes.withLock { $0 } == 1)
    }

    private struct StoppedClock: ServerClock {
        func now() -> ServerTime { ServerTime(milliseconds: 1_000) }
    }

    @Test func `A clock of real time waits for no moment that has come, and for no other once it is rung`() {
        let (clock, alarm) = (StoppedClock(), ServerAlarm())
        for deadline in [Int64.min, 0, 1_000] {
            clock.wait(until: ServerTime(milliseconds: deadline), orRung: alarm)
        }
        for deadline in [nil, ServerTime(milliseconds: .max)] {
            alarm.ring()
            clock.wait(until: deadline, orRung: alarm)
        }
        #expect(waits(for: alarm))
    }
}
