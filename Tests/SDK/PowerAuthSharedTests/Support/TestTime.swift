import Foundation
import PowerAuthShared

/// A time service for sessions that never need the time.
final class TestTime: PowerAuthCoreTimeService {
    static let shared = TestTime()

    var isTimeSynchronized: Bool { true }
    func currentTime() -> TimeInterval { 1_728_388_800 }
    func startTimeSynchronizationTask() -> Any { 0 }
    func completeTimeSynchronizationTask(_ task: Any, withServerTime serverTime: TimeInterval) -> Bool { true }
}
