// SPDX-License-Identifier: Apache-2.0

package import Foundation
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
    /// - Returns: false when the watch session cannot be used, or when the state of the activation cannot be read; then
    ///   nothing is sent.
    @discardableResult
    public func sendActivationStatusToWatch() -> Bool {
        PowerAuthWCSessionManager.sharedInstance.send(try watchService.statusPacket().get())
    }

    /// Sends the state of the activation to the watch, which must be reachable.
    /// - Parameter completion: takes nil when the watch has stored the status, or an error with the code
    ///   `watchConnectivity`, `invalidActivationState` (the state cannot be read), or one of `WCErrorDomain`, on the main queue.
    public func sendActivationStatusToWatch(completion: @escaping ((any Error)?) -> Void) {
        PowerAuthWCSessionManager.sharedInstance.sendCommand(watchService.statusPacket(), completion: completion)
    }
}

extension PowerAuthToken {
    /// Gives the watch a copy of the token, as soon as it can be given (watch.md, section 5.4).
    /// - Returns: false when the watch session cannot be used, or when the token is not one of the current
    ///   activation; then nothing is sent.
    @discardableResult
    public func sendToWatch() -> Bool { PowerAuthWCSessionManager.sharedInstance.send(try copyPacket().get()) }

    /// Gives the watch, which must be reachable, a copy of the token.
    /// - Parameter completion: takes nil when the watch has stored the token, or an error with the code
    ///   `missingActivation` (no activation), `invalidToken` (the token belongs to a former one), `watchConnectivity`,
    ///   or one of `WCErrorDomain`, on the main queue.
    public func sendToWatch(completion: @escaping ((any Error)?) -> Void) {
        PowerAuthWCSessionManager.sharedInstance.sendCommand(copyPacket(), completion: completion)
    }

    /// Removes the copy of the token from the watch, as soon as that can be done. Needs no activation.
    /// - Returns: false when the watch session cannot be used, or the SDK object has been released.
    @discardableResult
    public func removeFromWatch() -> Bool { PowerAuthWCSessionManager.sharedInstance.send(try removalPacket().get()) }

    /// Removes the copy of the token from the watch, which must be reachable. Needs no activation.
    /// - Parameter completion: takes nil if the watch no longer has the token, or an error with the code
    ///   `watchConnectivity` or one of `WCErrorDomain`, on the main queue.
    public func removeFromWatch(completion: @escaping ((any Error)?) -> Void) {
        PowerAuthWCSessionManager.sharedInstance.sendCommand(removalPacket(), completion: completion)
    }

    /// The message with a copy. A token of a former activation is not sent: the watch would erase it (watch.md,
    /// section 13, item 12).
    package func copyPacket() -> Result<WatchPacket, NSError> {
        guard let store = keychainStore, store.canRequestForAccessToken() else {
            return .failure(WatchError.cannotSendTokenWithoutActivation.nsError)
        }
        let service = store.changeObserver as? PhoneWatchService
        guard canGenerateHeader else { return .failure(WatchError.staleToken.nsError) }
        return .success(
            WatchPacket(
                target: WatchTarget.token(store.instanceId),
                payload: service?.tokenPayload(self)
                    ?? WatchTokenPayload(.put, tokenName: tokenName, tokenData: serializedRecord)))
    }

    /// The message that removes the copy. The address is the one of the store, so the store must live (watch.md,
    /// section 13, item 13).
    package func removalPacket() -> Result<WatchPacket, NSError> {
        guard let store = keychainStore else { return .failure(WatchError.tokenStoreIsGone.nsError) }
        (store.changeObserver as? PhoneWatchService)?.tokenWillBeTaken(tokenName)
        return .success(
            WatchPacket(
                target: WatchTarget.token(store.instanceId),
                payload: WatchTokenPayload(.remove, tokenName: tokenName)))
    }
}
