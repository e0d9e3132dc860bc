public import Foundation

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
