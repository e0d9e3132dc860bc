// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuthProtocol
import Synchronization

/// The time service of an SDK: a local clock and what is known about the server's (protocol.md, section 17).
///
/// Thread rule: any thread; nothing blocks.
package final class SynchronizedTime: PowerAuthCoreTimeService {
    private let localTime: @Sendable () -> TimeInterval
    private let state = Mutex(TimeSynchronization())

    /// - Parameter localTime: the device's clock, in seconds since 1970.
    package init(localTime: @escaping @Sendable () -> TimeInterval) { self.localTime = localTime }

    package var isTimeSynchronized: Bool { state.withLock { $0.isSynchronized } }
    /// What is added to the local time, in seconds.
    package var adjustment: TimeInterval { state.withLock { $0.adjustment } }
    /// How wrong the adjustment may be, in seconds.
    package var precision: TimeInterval { state.withLock { $0.precision } }

    package func currentTime() -> TimeInterval {
        let now = localTime()
        return state.withLock { $0.currentTime(localTime: now) }
    }

    package func startTimeSynchronizationTask() -> Any { localTime() }

    @discardableResult
    package func completeTimeSynchronizationTask(_ task: Any, withServerTime serverTime: TimeInterval) -> Bool {
        // An integer bridges to `TimeInterval` on some platforms; only what start returned counts.
        guard type(of: task) == TimeInterval.self, let start = task as? TimeInterval else { return false }
        let now = localTime()
        return state.withLock { state in
            state.complete(state.start(localTime: start), serverTime: serverTime, localTime: now)
        }
    }

    /// Forgets what is known about the server's time.
    package func reset() { state.withLock { $0 = TimeSynchronization() } }
}

/// Time synchronised with the server, as the core and the encryptors need it (protocol.md, section 17).
///
/// Thread rule: any thread.
public protocol PowerAuthCoreTimeService: AnyObject, Sendable {
    /// `true` once the offset against the server's clock is known.
    var isTimeSynchronized: Bool { get }

    /// Server time in seconds since 1970; local time as long as the service is not synchronised.
    func currentTime() -> TimeInterval

    /// Starts one measurement. Call it right before, or right after preparing, a request that brings the server's time.
    /// - Returns: A task for ``completeTimeSynchronizationTask(_:withServerTime:)``.
    func startTimeSynchronizationTask() -> Any

    /// Ends a measurement.
    /// - Parameters:
    ///   - task: What ``startTimeSynchronizationTask()`` returned.
    ///   - serverTime: Server's time in seconds since 1970.
    /// - Returns: `false` if the measurement was refused and the service is still not synchronised.
    @discardableResult
    func completeTimeSynchronizationTask(_ task: Any, withServerTime serverTime: TimeInterval) -> Bool
}
