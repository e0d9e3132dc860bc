public import Foundation
import Synchronization

/// Asking the server about the activation (sdk.md, sections 5.7, 5.15 and 9.3).
extension PowerAuthSDK {
    /// Fetches the status of the activation and synchronises the signature counter with the server.
    ///
    /// An activation of the older protocol is upgraded on the way, unless the configuration says otherwise. Calls made at
    /// the same time share one request and get the same object.
    ///
    /// - Parameter callback: takes the status, or an error. Before the function returns: `activationPending` for a
    ///   pending activation, `missingActivation` without one. Later: `networkError`, `invalidActivationData`,
    ///   `operationCancelled`, `protocolUpgrade`, `timeSynchronization`, `signatureError` when the counter could not be
    ///   synchronised, or an error of the transport.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func fetchActivationStatus(
        callback: @escaping (PowerAuthActivationStatus?, NSError?) -> Void
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
    ///
    /// - Parameter callback: takes the status, or an error with the code `networkError` or `operationCancelled`, or one
    ///   of the transport.
    @discardableResult
    public func fetchServerStatus(
        callback: @escaping (PowerAuthServerStatus?, NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        client.serverStatus { result in
            switch result {
            case .success(let reading): callback(reading.status, nil)
            case .failure(let error): callback(nil, error)
            }
        }
    }

    /// Fetches claims about the user.
    ///
    /// - Parameter callback: takes the claims, or an error with the code `networkError`, `missingActivation` or
    ///   `encryption`, or one of the transport.
    @discardableResult
    public func fetchUserInfo(
        callback: @escaping (PowerAuthUserInfo?, NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let task = OperationTask<PowerAuthUserInfo> { result in
            switch result {
            case .success(let userInfo): callback(userInfo, nil)
            case .failure(let error): callback(nil, error)
            }
        }
        task.add(
            client.post(
                RestRequest(.userInfo),
                .read { core, response in (PowerAuthUserInfo(with: response.object), core.activationIdentifier) }
            ) { [weak self] result in
                if case .success((let value, let activationId)) = result {
                    self?.updateCache(of: activationId) { $0.userInfo = value }
                }
                task.complete(result.map { userInfo, _ in userInfo })
            })
        return task
    }
}
