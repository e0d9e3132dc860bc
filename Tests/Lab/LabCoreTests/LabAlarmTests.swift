// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import LabSystem
import Synchronization
import TestSupport
import Testing

@testable import LabCore

@Suite("The alarm", .endsInTime)
struct LabAlarmTests {
    private let directory: TemporaryDirectory
    private let clock: LabClock

    init() throws {
        directory = try TemporaryDirectory()
        clock = try LabClock.create(directory.file("clock"))
        try clock.freeze()
    }

    /// The time in so many seconds.
    private func moment(_ seconds: Int64) -> Int64 { (clock.now() + .seconds(seconds)).nanoseconds }

    @Test func `It rings once at its time, also at an earlier time that was set later`() throws {
        let rung = DispatchSemaphore(value: 0)
        let count = Atomic(0)
        let alarm = LabAlarm(clock: clock) { _ in
            count.add(1, ordering: .relaxed)
            rung.signal()
        }
        alarm.set(moment(60))
        alarm.set(moment(5))
        alarm.set(moment(600))
        alarm.set(nil)
        try clock.advance(by: .seconds(5))
        rung.wait()
        let first = count.load(ordering: .relaxed)
        #expect(first == 1)
        // The code that set the later times sets them again when it rings.
        alarm.set(moment(0))
        rung.wait()
        let second = count.load(ordering: .relaxed)
        #expect(second == 2)
        alarm.stop()
    }

    @Test func `It may be set again while it rings, for a past or a later time`() throws {
        let rung = DispatchSemaphore(value: 0)
        let left = Atomic(2)
        let now = moment(0)
        let alarm = LabAlarm(clock: clock) { alarm in
            if left.subtract(1, ordering: .relaxed).newValue > 0 { alarm.set(now) }
            rung.signal()
        }
        alarm.set(now)
        rung.wait()
        rung.wait()
        alarm.stop()
    }

    @Test func `Stopping an alarm ends its thread, waiting or not, and the alarm never rings again`() throws {
        for isSet in [true, false] {
            let rung = Atomic(false)
            weak var kept: LabAlarm?
            do {
                let alarm = LabAlarm(clock: clock) { _ in rung.store(true, ordering: .relaxed) }
                kept = alarm
                if isSet { alarm.set(moment(60)) }
                alarm.stop()
                alarm.stop()
                alarm.set(moment(0))
            }
            // Its thread has it until the end of that.
            while kept != nil { sched_yield() }
            let hasRung = rung.load(ordering: .relaxed)
            #expect(!hasRung)
        }
    }
}
