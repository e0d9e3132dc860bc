// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Tokens that come from somewhere else, or go there (sharing.md, section 15.4).
extension KeychainTokenStore {
    @discardableResult
    package func requestAccessToken(
        withName name: String, authentication: PowerAuthAuthentication?,
        completion: @escaping (PowerAuthToken?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let authentication = authentication?.copy()
        do throws(NSError) {
            guard !name.isEmpty else { throw .powerAuth(.wrongParameter, "Missing required parameter.") }
            if rules.requiresAuthentication && authentication == nil {
                throw .powerAuth(.wrongParameter, "Authentication object is missing.")
            }
            guard let activationId = environment.activation().identifier else {
                throw .powerAuth(.missingActivation, "Activation is no longer valid.")
            }
            if let record = try lookup(name, factors: authentication?.tokenFactorMask) {
                completion(PowerAuthToken(record: record, store: self), nil)
                return nil
            }
            return try join(name, activationId: activationId, authentication: authentication) { result in
                switch result {
                case .success(let token): completion(token, nil)
                case .failure(let error): completion(nil, error)
                }
            }
        } catch {
            completion(nil, error)
            return nil
        }
    }

    @discardableResult
    package func requestAccessToken(
        withName name: String, completion: @escaping (PowerAuthToken?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        requestAccessToken(withName: name, authentication: nil, completion: completion)
    }

    private func join(
        _ name: String, activationId: String, authentication: PowerAuthAuthentication?,
        callback: @escaping (TaskResult<PowerAuthToken>) -> Void
    ) throws(NSError) -> any PowerAuthOperationTask {
        guard let provider = provider.withLock({ WeakProvider(value: $0.value) }).value else {
            throw .powerAuth(.invalidToken, "Object is no longer operational.")
        }
        let factors = authentication?.tokenFactorMask ?? 0
        let request = RemoteTokenRequest(
            name: name, activationId: activationId, authentication: authentication,
            existingRecord: { [weak self] in
                guard let record = try? self?.lookup(name, factors: authentication?.tokenFactorMask) else { return nil }
                return record
            })
        while true {
            let group = groups.withLock { groups in
                if let running = groups[name], !running.task.isFinished { return running }
                let group = Group(factors: factors, task: makeGroup(request, provider))
                groups[name] = group
                return group
            }
            guard group.factors == factors else { throw Self.differentFactors }
            if let child = group.task.addChild(callback: callback) { return child }
            // It finished in between; the next round starts a new one.
        }
    }

    private func makeGroup(
        _ request: RemoteTokenRequest, _ provider: any RemoteTokenProvider
    ) -> GroupedTask<PowerAuthToken> {
        GroupedTask(
            GroupedTask.Hooks(
                start: { [weak self] group in
                    group.setOperation(
                        provider.requestToken(request) { [weak self] result in
                            guard let self else {
                                return group.complete(
                                    .failure(.powerAuth(.invalidActivationState, "Token store is no longer valid.")))
                            }
                            // After the last caller lost interest nothing is stored.
                            guard !group.isFinished else { return }
                            group.complete(result.flatMap { self.stored($0, for: request) })
                        })
                }, complete: { [weak self] _ in self?.forgetFinished(request.name) }))
    }

    /// A finished group holds the authentication of its request, with the user's password.
    private func forgetFinished(_ name: String) {
        groups.withLock { groups in
            if groups[name]?.task.isFinished == true { groups[name] = nil }
        }
    }

    /// Stores a new record, unless the activation changed while the request ran (sharing.md, D19 and D30).
    private func stored(_ record: TokenRecord, for request: RemoteTokenRequest) -> TaskResult<PowerAuthToken> {
        guard record.name == request.name else {
            return .failure(
                .powerAuth(.invalidToken, "Token '\(record.name)' received, '\(request.name)' was requested."))
        }
        let isStored = access { change -> Bool? in
            guard environment.activation().identifier == request.activationId else { return nil }
            // That of another application is there already.
            if records.record(named: record.name) != record {
                change()
                guard records.store(record) else { return false }
            }
            if rules.usesCache { cache[record.name] = record }
            return true
        }
        switch isStored {
        case true:
            changeObserver?.tokenChanged(record.name, to: record)
            return .success(PowerAuthToken(record: record, store: self))
        case .some(nil):
            return .failure(
                .powerAuth(
                    .invalidActivationState, "The activation that the token was requested for is there no more."))
        case false, nil: return .failure(.powerAuth(.invalidToken, "The token could not be stored in the keychain."))
        }
    }

    // MARK: Removal

    @discardableResult
    package func removeAccessToken(
        withName name: String, completion: @escaping (Bool, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        do throws(NSError) {
            guard !name.isEmpty else { throw .powerAuth(.wrongParameter, "Missing required parameter.") }
            guard canRequestForAccessToken() else {
                throw .powerAuth(.missingActivation, "Activation is no longer valid.")
            }
            guard let record = try lookup(name, factors: nil) else {
                throw .powerAuth(.invalidToken, "Token not found.")
            }
            guard let provider = provider.withLock({ WeakProvider(value: $0.value) }).value else {
                throw .powerAuth(.invalidToken, "Object is no longer operational.")
            }
            return remove(record, from: provider, completion: completion)
        } catch {
            completion(false, error)
            return nil
        }
    }

    private func remove(
        _ record: TokenRecord, from provider: any RemoteTokenProvider,
        completion: @escaping (Bool, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let immediate = Mutex<NSError?>(nil)
        let task = OperationTask<Void> { result in
            switch result {
            case .success: completion(true, nil)
            case .failure(let error): completion(false, error)
            }
        }
        let part = provider.removeToken(record) { [weak self] result in
            if case .success = result { self?.removeLocalToken(withName: record.name) }
            if case .failure(let error) = result { immediate.withLock { $0 = error } }
            task.complete(result)
        }
        guard let part else {
            // A provider that cannot remove reports it before it returns; so does this function.
            task.cancel()
            completion(false, immediate.withLock { $0 })
            return nil
        }
        task.add(part)
        return task
    }
}
