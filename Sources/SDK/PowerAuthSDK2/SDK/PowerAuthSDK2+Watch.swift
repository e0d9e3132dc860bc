// SPDX-License-Identifier: Apache-2.0

import PowerAuth2
public import PowerAuthShared

/// The watch of the phone. A watch has no SDK 2.0 of its own: that of 1.9 uses tokens of both protocols.
extension PowerAuthSDK {
    /// What the phone sends to its watch unasked; initially nothing.
    public var watchSynchronization: PowerAuthWatchSynchronization {
        get { base.watchSynchronization }
        set { base.watchSynchronization = newValue }
    }

    /// Sends the watch the state of the activation, as soon as it can be sent.
    /// - Returns: false when the watch session cannot be used, or when the state of the activation cannot be read; then
    ///   nothing is sent.
    @discardableResult
    public func sendActivationStatusToWatch() -> Bool { base.sendActivationStatusToWatch() }

    /// Sends the state of the activation to the watch, which must be reachable.
    /// - Parameter completion: takes nil when the watch has stored the status, or an error with the code
    ///   `watchConnectivity`, `invalidActivationState` (the state cannot be read), or one of `WCErrorDomain`, on the main
    ///   queue.
    public func sendActivationStatusToWatch(completion: @escaping ((any Error)?) -> Void) {
        base.sendActivationStatusToWatch(completion: completion)
    }
}
