// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
package import PowerAuthShared
import SimulatedDevice
import Synchronization

/// What is known without asking the server (sdk.md, section 5.6).
extension PowerAuthSDK {
    /// True when an activation can be created.
    public func canStartActivation() -> Bool { session.canStartActivation() }
    /// True from the start of an activation until it is persisted, in this process only.
    public func hasPendingActivation() -> Bool { session.hasPendingActivation() }
    /// True when there is a persisted activation. The server may still refuse it; ask for its status.
    public func hasValidActivation() -> Bool { session.hasValidActivation() }
    /// True when the activation uses an older protocol than the SDK.
    public func hasProtocolUpgradeAvailable() -> Bool { session.hasProtocolUpgradeAvailable() }
    /// True while an upgrade of the protocol is running.
    public func hasPendingProtocolUpgrade() -> Bool { session.hasPendingProtocolUpgrade() }

    /// Identifier of the activation, or nil; also known while pending, once the server has answered.
    public var activationIdentifier: String? { session.activationIdentifier }
    /// Eight digits that identify the exchanged keys, or nil; also known while pending, once the server has answered.
    public var activationFingerprint: String? { session.readTask { $0.activationFingerprint } }
    /// What another application that shares the activation is doing, or nil.
    public var externalPendingOperation: PowerAuthExternalPendingOperation? { session.externalPendingOperation }
    /// The last fetched status of this activation, or nil. Not stored.
    public var lastFetchedActivationStatus: PowerAuthActivationStatus? { currentCache.status }
    /// The last received claims about the user, or nil. Not stored.
    public var lastFetchedUserInfo: PowerAuthUserInfo? { currentCache.userInfo }

    /// The cache without what belongs to an activation that another application, or a reset, has replaced.
    private var currentCache: Cache {
        if sandbox.keeps(.cachesSurviveReset) { return cache.withLock { $0 } }
        let activationId = activationIdentifier
        return cache.withLock { cache in
            if cache.activationId != activationId { cache = Cache(activationId: activationId) }
            return cache
        }
    }

    /// Remembers the activation for an SDK that is based on this one and waits for an answer of the server (sharing.md,
    /// D30).
    /// - Returns: whether the activation is still the current one; nil without an activation.
    package func activationCheck() -> (@Sendable () -> Bool)? {
        var basis: ActivationSnapshot?
        let isActivated = session.readBoolTask { core in
            basis = client.basis(in: core)
            return core.hasValidActivation
        }
        guard isActivated else { return nil }
        return { [session, basis] in (try? session.read(ifStill: basis) { _ in true }) ?? false }
    }

    /// Remembers claims about the user of an activation.
    package func remember(_ userInfo: PowerAuthUserInfo?, of activationId: String?) {
        updateCache(of: activationId) { $0.userInfo = userInfo }
    }

    /// Changes the cached results of the activation with the given identifier.
    func updateCache(of activationId: String?, _ change: @Sendable (inout Cache) -> Void) {
        cache.withLock { cache in
            if cache.activationId != activationId { cache = Cache(activationId: activationId) }
            change(&cache)
        }
    }
}

extension PowerAuthSDK {
    /// The content of the memory that this app shares with others, for the lab (sharing.md, section 7.2); nil for an
    /// app that shares nothing.
    ///
    /// Any thread; waits for the status lock.
    package func sharedState() throws -> SharedStateSnapshot? { try (session as? SharedSessionInterface)?.snapshot() }
}

/// Asking the server about the activation (sdk.md, sections 5.7, 5.15 and 9.3).
extension PowerAuthSDK {
    /// Fetches the status of the activation and synchronises the signature counter with the server.
    ///
    /// An activation of the older protocol is upgraded on the way, unless the configuration says otherwise. Calls made at
    /// the same time share one request and get the same object.
    /// - Parameter callback: takes the status, or an error. Before the function returns: `activationPending` for a
    ///   pending activation, `missingActivation` without one. Later: `networkError`, `invalidActivationData`,
    ///   `operationCancelled`, `protocolUpgrade`, `timeSynchronization`, `signatureError` when the counter could not be
    ///   synchronised, or an error of the transport.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func fetchActivationStatus(
        callback: @escaping (PowerAuthActivationStatus?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        do {
            try session.read { core in
                if core.hasPendingActivation { throw NSError.powerAuth(.activationPending) }
                if !core.hasValidActivation { throw NSError.powerAuth(.missingActivation) }
            }
        } catch {
            callback(nil, error as NSError)
            return nil
        }
        while true {
            let group = statusRequests.withLock { running in
                if let group = running, !group.isFinished { return group }
                let group = makeStatusRequest()
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

    private func makeStatusRequest() -> GroupedTask<PowerAuthActivationStatus> {
        StatusFetch(
            session: session, client: client, factorKeys: factorKeys, sandbox: sandbox,
            upgradesProtocol: upgradesProtocol
        ) { [weak self] status, activationId in
            self?.updateCache(of: activationId) { $0.status = status }
        }.makeGroup()
    }

    /// Fetches the server's status; works without an activation.
    /// - Parameter callback: takes the status, or an error with the code `networkError` or `operationCancelled`, or one
    ///   of the transport.
    @discardableResult
    public func fetchServerStatus(
        callback: @escaping (PowerAuthServerStatus?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        client.serverStatus { result in
            switch result {
            case .success(let reading): callback(reading.status, nil)
            case .failure(let error): callback(nil, error)
            }
        }
    }

    /// Fetches claims about the user.
    /// - Parameter callback: takes the claims, or an error with the code `networkError`, `missingActivation` or
    ///   `encryption`, or one of the transport.
    @discardableResult
    public func fetchUserInfo(
        callback: @escaping (PowerAuthUserInfo?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        fetchUserInfo(by: .userInfo, callback: callback)
    }

    /// As ``fetchUserInfo(callback:)``.
    /// - Parameter endpoint: the resource of the activation's protocol.
    package func fetchUserInfo(
        by endpoint: RestEndpoint, callback: @escaping (PowerAuthUserInfo?, (any Error)?) -> Void
    ) -> any PowerAuthOperationTask {
        let task = OperationTask<PowerAuthUserInfo> { result in
            switch result {
            case .success(let userInfo): callback(userInfo, nil)
            case .failure(let error): callback(nil, error)
            }
        }
        task.add(
            client.post(
                RestRequest(endpoint),
                .read { core, response in (PowerAuthUserInfo(with: response.object), core.activationIdentifier) }
            ) { [weak self] result in
                if case .success((let value, let activationId)) = result { self?.remember(value, of: activationId) }
                task.complete(result.map { userInfo, _ in userInfo })
            })
        return task
    }
}
