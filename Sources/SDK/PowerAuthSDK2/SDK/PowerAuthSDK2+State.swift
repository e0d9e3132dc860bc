// SPDX-License-Identifier: Apache-2.0

import Foundation
public import PowerAuth2
import PowerAuthCore
public import PowerAuthShared
import Synchronization

/// What is known without asking the server.
extension PowerAuthSDK {
    /// True when an activation can be created.
    public func canStartActivation() -> Bool { base.canStartActivation() }
    /// True from the start of an activation until it is persisted, in this process only.
    public func hasPendingActivation() -> Bool { base.hasPendingActivation() }
    /// True when there is a persisted activation. The server may still refuse it; ask for its status.
    public func hasValidActivation() -> Bool { base.hasValidActivation() }
    /// True when the last fetched status offers an upgrade of the protocol.
    public func hasProtocolUpgradeAvailable() -> Bool {
        lastFetchedActivationStatus?.isProtocolUpgradeAvailable ?? false
    }
    /// True when the server has answered the start of an upgrade of the protocol, and has not confirmed it yet; until then
    /// the activation works with the older one.
    public func hasPendingProtocolUpgrade() -> Bool { base.session.readBoolTask { $0.hasPendingUpgradeV4 } }

    /// Identifier of the activation, or nil; also known while pending, once the server has answered.
    public var activationIdentifier: String? { base.activationIdentifier }
    /// Eight digits that identify the exchanged keys, or nil; also known while pending, once the server has answered.
    public var activationFingerprint: String? { base.activationFingerprint }
    /// What another application that shares the activation is doing, or nil.
    public var externalPendingOperation: PowerAuthExternalPendingOperation? { base.externalPendingOperation }
    /// The last received claims about the user, or nil. Not stored.
    public var lastFetchedUserInfo: PowerAuthUserInfo? { base.lastFetchedUserInfo }

    /// The last fetched status of this activation, or nil. Not stored.
    public var lastFetchedActivationStatus: PowerAuthActivationStatus? {
        let activationId = activationIdentifier
        return statusCache.withLock { $0.activationId == activationId ? $0.status : nil }
    }
}

/// Asking the server about the activation.
extension PowerAuthSDK {
    /// Fetches the status of the activation and synchronises the counter with the server.
    ///
    /// Calls made at the same time share one request and get the same object. While an upgrade of the protocol is pending,
    /// the server is asked first how far it is, and an upgrade that it has confirmed ends.
    /// - Parameter callback: takes the status, or an error. Before the function returns: `activationPending` for a
    ///   pending activation, `missingActivation` without one. Later: `networkError`, `invalidActivationData`,
    ///   `operationCancelled`, `timeSynchronization`, `encryption`, `signatureError` when the counter could not be
    ///   synchronised, or an error of the transport.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func fetchActivationStatus(
        callback: @escaping (PowerAuthActivationStatus?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard !hasVersion4Activation else { return fetchVersion4Status(callback) }
        guard makesVersion4, hasPendingProtocolUpgrade() else { return fetchVersion3Status(callback) }
        let task = OperationTask<PowerAuthActivationStatus>(callback)
        task.add(
            ProtocolUpgradeV4.endIfConfirmed(base) { [weak self] error in
                guard let self, error == nil else {
                    return task.complete(.failure(error ?? .powerAuth(.operationCancelled)))
                }
                let report = { (status: PowerAuthActivationStatus?, error: (any Error)?) in
                    if let status { task.complete(.success(status)) }
                    if let error { task.complete(.failure(error as NSError)) }
                }
                let fetch: (any PowerAuthOperationTask)? =
                    hasVersion4Activation ? fetchVersion4Status(report) : fetchVersion3Status(report)
                if let fetch { task.add(fetch) }
            })
        return task
    }

    private func fetchVersion3Status(
        _ callback: @escaping (PowerAuthActivationStatus?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let (activationId, canUpgrade) = (activationIdentifier, makesVersion4)
        return base.fetchActivationStatus { [weak self] status, error in
            let status = status.map { PowerAuthActivationStatus($0, canUpgrade: canUpgrade) }
            if let status { self?.remember(status, of: activationId) }
            callback(status, error)
        }
    }

    private func fetchVersion4Status(
        _ callback: @escaping (PowerAuthActivationStatus?, (any Error)?) -> Void
    ) -> any PowerAuthOperationTask {
        while true {
            let group = statusRequests.withLock { running in
                if let group = running, !group.isFinished { return group }
                let fetch = StatusFetchV4(base: base) { [weak self] status, activationId in
                    self?.remember(status, of: activationId)
                }
                let group = fetch.makeGroup()
                running = group
                return group
            }
            let child = group.addChild { result in
                switch result {
                case .success(let status): callback(status, nil)
                case .failure(let error): callback(nil, error)
                }
            }
            if let child { return child }
        }
    }

    private func remember(_ status: PowerAuthActivationStatus, of activationId: String?) {
        statusCache.withLock { $0 = StatusCache(activationId: activationId, status: status) }
    }

    /// Fetches the server's status; works without an activation.
    /// - Parameter callback: takes the status, or an error with the code `networkError` or `operationCancelled`, or one
    ///   of the transport.
    @discardableResult
    public func fetchServerStatus(
        callback: @escaping (PowerAuthServerStatus?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        base.fetchServerStatus(callback: callback)
    }

    /// Fetches claims about the user.
    /// - Parameter callback: takes the claims, or an error with the code `networkError`, `missingActivation` or
    ///   `encryption`, or one of the transport.
    @discardableResult
    public func fetchUserInfo(
        callback: @escaping (PowerAuthUserInfo?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        base.fetchUserInfo(by: hasVersion4Activation ? .userInfoV4 : .userInfo, callback: callback)
    }
}
