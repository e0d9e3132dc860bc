// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import Synchronization
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("Timers of a device", .endsInTime)
struct DeviceTimerTests {
    @Test func `Timers due in one step of the clock fire in the order of their times`() throws {
        let device = try TemporaryDevice()
        try device.clock.freeze()
        let called = Mutex<[Int]>([])
        let done = DispatchSemaphore(value: 0)
        let timer = DeviceTimer(clock: device.clock)
        for seconds in [3, 1, 2] {
            _ = timer.schedule(after: TimeInterval(seconds)) {
                called.withLock { $0.append(seconds) }
                done.signal()
            }
        }
        try device.clock.advance(by: .seconds(5))
        for _ in 0..<3 { done.wait() }
        #expect(called.withLock { $0 } == [1, 2, 3])
    }

    /// A timer on a clock that stands still, and what was called.
    private final class Course: Sendable {
        let device: TemporaryDevice
        let timer: DeviceTimer
        let called = Mutex<[String]>([])

        init() throws {
            device = try TemporaryDevice()
            try device.clock.freeze()
            timer = DeviceTimer(clock: device.clock)
        }

        func call(_ name: String) { called.withLock { $0.append(name) } }

        /// Lets a time pass; all that is due has been called.
        func pass(_ seconds: Int64) throws {
            let isDue = DispatchSemaphore(value: 0)
            _ = timer.schedule(after: TimeInterval(seconds)) { isDue.signal() }
            try device.clock.advance(by: .seconds(seconds))
            isDue.wait()
            // Behind what an action has scheduled for the same moment.
            _ = timer.schedule(after: 0) { isDue.signal() }
            isDue.wait()
        }
    }

    @Test func `A timer cancelled before its time, by its owner or by an earlier timer, does not fire`() throws {
        let course = try Course()
        let entries = Mutex<[DeviceTimer.Entry]>([])
        let first = course.timer.schedule(after: 1) { course.call("cancelled before its time") }
        _ = course.timer.schedule(after: 2) {
            course.call("first")
            for entry in entries.withLock({ $0 }) { entry.cancel() }
        }
        let second = course.timer.schedule(after: 3) { course.call("cancelled by the first") }
        entries.withLock { $0 = [second] }
        first.cancel()
        first.cancel()
        try course.pass(5)
        #expect(course.called.withLock { $0 } == ["first"])
        second.cancel()
    }

    @Test func `A timer scheduled by an action fires in order, also if it is already due`() throws {
        let course = try Course()
        _ = course.timer.schedule(after: 1) {
            course.call("first")
            _ = course.timer.schedule(after: 0) { course.call("at once") }
            _ = course.timer.schedule(after: 3) { course.call("later") }
        }
        try course.pass(2)
        #expect(course.called.withLock { $0 } == ["first", "at once"])
        try course.pass(4)
        #expect(course.called.withLock { $0 } == ["first", "at once", "later"])
    }
}
