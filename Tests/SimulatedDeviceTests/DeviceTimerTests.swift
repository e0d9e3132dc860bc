import Foundation
import LabKit
import Synchronization
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("Timers of a device", .endsInTime)
struct DeviceTimerTests {
    @Test("What becomes due in one move of the clock is called in the order of its times")
    func order() throws {
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
}
