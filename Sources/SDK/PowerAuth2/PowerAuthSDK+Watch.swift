public import Foundation
public import PowerAuthShared

extension PowerAuthSDK {
    /// What the phone sends to its watch unasked; initially nothing, as in the original.
    public var watchSynchronization: PowerAuthWatchSynchronization {
        get { watchService.synchronization }
        set { watchService.synchronization = newValue }
    }

    /// Sends the watch the state of the activation, as soon as it can be sent (watch.md, section 5.3).
    ///
    /// Send it after the watch session was activated, after each persisted and each removed activation, and before
    /// any token: the SDK never sends anything by itself.
    ///
    /// - Returns: false when the watch session cannot be used, or when the state of the activation cannot be read; then
    ///   nothing is sent.
    @discardableResult
    public func sendActivationStatusToWatch() -> Bool {
        PowerAuthWCSessionManager.sharedInstance.send(try watchService.statusPacket().get())
    }

    /// Sends the state of the activation to the watch, which must be reachable.
    ///
    /// - Parameter completion: takes nil when the watch has stored the status, or an error with the code
    ///   `watchConnectivity`, `invalidActivationState` (the state cannot be read), or one of `WCErrorDomain`, on the main queue.
    public func sendActivationStatusToWatch(completion: @escaping (NSError?) -> Void) {
        PowerAuthWCSessionManager.sharedInstance.sendCommand(
            watchService.statusPacket(), completion: completion)
    }
}
