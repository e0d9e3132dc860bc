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
    ///
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

    /// Changes the cached results of the activation with the given identifier.
    func updateCache(of activationId: String?, _ change: @Sendable (inout Cache) -> Void) {
        cache.withLock { cache in
            if cache.activationId != activationId { cache = Cache(activationId: activationId) }
            change(&cache)
        }
    }
}
