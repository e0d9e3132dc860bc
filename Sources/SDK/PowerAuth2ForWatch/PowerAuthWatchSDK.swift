// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
// An application imports only the SDK's module (sdk.md, section 3, item 1).
@_exported public import PowerAuthShared
package import SimulatedDevice

/// PowerAuth on a watch: what the phone reported about its activation, and copies of the phone's tokens (watch.md,
/// section 6.4).
///
/// Thread rule: any thread. Every property reads the keychain.
public final class PowerAuthWatchSDK: PowerAuthSessionStatusProvider, Sendable {
    private let instanceId: String
    private let storage: WatchStorage
    private let manager: PowerAuthWCSessionManager
    private let keychainTokenStore: KeychainTokenStore
    private let provider: PhoneTokenProvider
    private let makeConfiguration: @Sendable () -> PowerAuthConfiguration

    /// Connects to the data of one instance. Nothing is validated, and nothing can fail.
    /// - Parameter configuration: copied; its `instanceId` must equal the one on the phone.
    public convenience init(configuration: PowerAuthConfiguration) {
        self.init(configuration: configuration, storage: .shared, manager: .sharedInstance, sandbox: .current)
    }

    /// - Parameters:
    ///   - configuration: copied.
    ///   - storage: where the watch's synchronization service stores.
    ///   - manager: the link to the phone.
    ///   - sandbox: the device, for its clock.
    package init(
        configuration: PowerAuthConfiguration, storage: WatchStorage, manager: PowerAuthWCSessionManager,
        sandbox: Sandbox
    ) {
        let instanceId = configuration.instanceId
        let template = UncheckedTransfer(configuration.copy())
        self.instanceId = instanceId
        self.storage = storage
        self.manager = manager
        // Only copied from here on, so the threads that copy do not disturb each other.
        makeConfiguration = { template.value.copy() }
        provider = PhoneTokenProvider(instanceId: instanceId, manager: manager, storage: storage)
        // No stored identifier means that the phone has not reported it yet (watch.md, section 13, item 6).
        var environment = TokenStoreEnvironment(
            activation: {
                storage.activationId(instanceId).map { .identifier($0) }
                    ?? (sandbox.keeps(.tokenBeforeStatusIsDestroyed) ? .none : .unknown)
            },
            currentTime: { storage.time(instanceId).currentTime() })
        // The newest version needs the server's time, which the watch has only from a phone that sends it (watch.md,
        // section 13, item 20).
        environment.headerVersion = {
            storage.time(instanceId).isTimeSynchronized ? TokenStoreRules.application.headerVersion : nil
        }
        keychainTokenStore = KeychainTokenStore(
            rules: .watch, environment: environment, records: storage.records(instanceId), lock: storage)
        keychainTokenStore.setProvider(provider)
    }

    deinit { keychainTokenStore.cancelAllRequests() }

    /// A copy of the configuration.
    public var configuration: PowerAuthConfiguration { makeConfiguration() }
    /// The tokens that the watch has or can get from the phone.
    public var tokenStore: any PowerAuthTokenStore { keychainTokenStore }
    /// Identifier of the phone's activation, nil without one, or if the phone has not reported it.
    public var activationIdentifier: String? { storage.activationId(instanceId) }

    /// True if the phone has reported an activation.
    public func hasValidActivation() -> Bool { activationIdentifier != nil }
    /// Always false: a watch does not activate.
    public func canStartActivation() -> Bool { false }
    /// Always false: a watch does not activate.
    public func hasPendingActivation() -> Bool { false }
    /// Always false: upgrades are the phone's matter.
    public func hasPendingProtocolUpgrade() -> Bool { false }
    /// Always false: upgrades are the phone's matter.
    public func hasProtocolUpgradeAvailable() -> Bool { false }

    /// Asks the phone for its activation; the answer arrives as a message of its own (watch.md, section 6.5).
    /// - Returns: false when the session cannot be used.
    @discardableResult
    public func updateActivationStatus() -> Bool { manager.send(statusRequest) }

    /// Asks the phone, which must be reachable, for its activation and stores the answer.
    /// - Parameter completion: takes the identifier (nil for no activation), or an error with the code
    ///   `watchConnectivity` or one of `WCErrorDomain`, on the main queue. An error leaves the stored state as it was.
    public func updateActivationStatus(completion: @escaping (String?, (any Error)?) -> Void) {
        let task = OperationTask<String?> { result in
            switch result {
            case .success(let identifier): completion(identifier, nil)
            case .failure(let error): completion(nil, error)
            }
        }
        let question = UncheckedTransfer(storage.time(instanceId).startTimeSynchronizationTask())
        manager.send(statusRequest, expecting: WatchStatusPayload.self) { [storage, instanceId] result in
            task.complete(
                result.flatMap { status in
                    guard status.command == .put else { return .failure(WatchError.wrongStatusFromPhone.nsError) }
                    storage.takeTime(status.serverTime, of: instanceId, askedAt: question.value)
                    guard storage.update(activationId: status.activationId, of: instanceId, order: status.order)
                    else { return .failure(WatchError.watchStorage.nsError) }
                    return .success(storage.activationId(instanceId))
                })
        }
    }

    private var statusRequest: WatchPacket {
        WatchPacket(target: WatchTarget.session(instanceId), payload: WatchStatusPayload(.get))
    }
}
