// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Foundation
package import SimulatedDevice
import Synchronization

/// Time of the server, as far as the SDK knows it (sdk.md, section 5.22). Thread rule: any thread.
public protocol PowerAuthTimeSynchronizationService: AnyObject {
    /// True once the deviation of the local clock is known.
    var isTimeSynchronized: Bool { get }
    /// Seconds that are added to the local time.
    var localTimeAdjustment: TimeInterval { get }
    /// How many seconds the adjustment may be wrong.
    var localTimeAdjustmentPrecision: TimeInterval { get }
    /// Server time in seconds since 1970; local time as long as time is not synchronised.
    func currentTime() -> TimeInterval

    /// Synchronises time with the server.
    /// - Parameters:
    ///   - callback: takes nil, or an error: `timeSynchronization` when the measurement took too long,
    ///     `operationCancelled` when the SDK object was released, or one of the request.
    ///   - callbackQueue: where the callback is called; nil is the main queue.
    /// - Returns: the task; nil when the SDK object was released.
    @discardableResult
    func synchronizeTime(
        callback: @escaping ((any Error)?) -> Void, callbackQueue: DispatchQueue?
    ) -> (any PowerAuthOperationTask)?

    /// Forgets what is known about the server's time.
    func resetTimeSynchronization()
}

/// The time service of an SDK object. It may outlive the object.
package final class TimeSynchronizationService: PowerAuthTimeSynchronizationService, Sendable {
    private let time: SynchronizedTime
    private let client = Mutex(WeakClient())
    private let foregroundObservation: ApplicationLifecycle.Observation

    private struct WeakClient: @unchecked Sendable {
        // Safe: reached only inside the mutex above.
        weak var value: RestClient?
    }

    /// - Parameters:
    ///   - time: what is known about the server's time; forgotten when the application returns to the foreground,
    ///     because the user may have changed the clock meanwhile.
    ///   - sandbox: the device.
    package init(time: SynchronizedTime, sandbox: Sandbox) {
        self.time = time
        foregroundObservation = sandbox.lifecycle.on(.willEnterForeground) { time.reset() }
    }

    /// Sets the client that asks the server; held weakly.
    package func setClient(_ client: RestClient) { self.client.withLock { $0.value = client } }

    package var isTimeSynchronized: Bool { time.isTimeSynchronized }
    package var localTimeAdjustment: TimeInterval { time.adjustment }
    package var localTimeAdjustmentPrecision: TimeInterval { time.precision }

    package func currentTime() -> TimeInterval { time.currentTime() }
    package func resetTimeSynchronization() { time.reset() }

    package func synchronizeTime(
        callback: @escaping ((any Error)?) -> Void, callbackQueue: DispatchQueue?
    ) -> (any PowerAuthOperationTask)? {
        let queue = callbackQueue ?? .main
        guard let client = client.withLock({ WeakClient(value: $0.value) }).value else {
            let callback = Callback(callback)
            queue.async { callback(NSError.powerAuth(.operationCancelled)) }
            return nil
        }
        return client.synchronizeTime(queue: queue) { result in
            switch result {
            case .success: callback(nil)
            case .failure(let error): callback(error)
            }
        }
    }
}

extension PowerAuthTimeSynchronizationService {
    /// As ``synchronizeTime(callback:callbackQueue:)``. A cancel of the caller's task cancels the request.
    /// - Throws: the callback's error, or `CancellationError`.
    public func synchronizeTime() async throws {
        // The service is usable from any thread.
        let service = UncheckedTransfer<any PowerAuthTimeSynchronizationService>(self)
        try await awaitCompletion { service.value.synchronizeTime(callback: $0, callbackQueue: nil) }
    }
}
