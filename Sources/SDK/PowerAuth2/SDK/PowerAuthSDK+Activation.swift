// SPDX-License-Identifier: Apache-2.0

package import Foundation
import LabPoints
import SimulatedDevice
import Synchronization

/// Creating an activation and protecting it (sdk.md, sections 5.7, 9.1 and 9.2).
extension PowerAuthSDK {
    /// Starts an activation: exchanges keys with the server. Persist it after the callback.
    /// - Parameters:
    ///   - activation: the activation data; copied.
    ///   - callback: takes the result, or an error. Before the function returns: `wrongParameter` or
    ///     `invalidActivationData` for an unusable object, `invalidActivationState` when there is an activation,
    ///     `invalidActivationData` when the code's signature is wrong, `externalPendingOperation` while another
    ///     application creates one. Later: `networkError`, `invalidActivationData`, `encryption`,
    ///     `timeSynchronization`, or an error of the transport; the session is empty again then.
    /// - Returns: the task, or nil when the callback was called already. A cancel makes the session empty again.
    @discardableResult
    public func createActivation(
        _ activation: PowerAuthActivation, callback: @escaping (PowerAuthActivationResult?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        if let error = activation.validateAndGetError() {
            callback(nil, error)
            return nil
        }
        return createActivation(by: ActivationExchange(activation, sandbox: sandbox), callback: callback)
    }

    /// As ``createActivation(_:callback:)``, by a key exchange of either generation of the protocol.
    package func createActivation<Exchange: KeyExchange>(
        by exchange: Exchange, callback: @escaping (Exchange.Outcome?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let session = session
        do {
            try session.write { core in try exchange.start(core, session: session) }
        } catch {
            callback(nil, error as NSError)
            return nil
        }
        let task = OperationTask<Exchange.Outcome> { result in
            switch result {
            case .success(let value): callback(value, nil)
            case .failure(let error): callback(nil, error)
            }
        }
        task.onCancel { DispatchQueue.main.async { exchange.abandon(in: session) } }
        task.add(
            client.post(
                RestRequest(Exchange.endpoint) { core in try exchange.requestObject(core) },
                .write(refusal: .invalidActivationData) { core, response in
                    (try exchange.finish(core, response), core.activationIdentifier)
                }
            ) { [weak self] finished in
                guard let self else {
                    exchange.abandon(in: session)
                    return task.complete(.failure(.powerAuth(.operationCancelled)))
                }
                switch finished {
                case .success((let result, let activationId)):
                    remember(Exchange.userInfo(of: result), of: activationId)
                case .failure: exchange.abandon(in: session)
                }
                task.complete(finished.map { result, _ in result })
            })
        return task
    }

    /// Starts an activation by code; see ``createActivation(_:callback:)``.
    /// - Parameters:
    ///   - name: what the user calls the activation.
    ///   - activationCode: the code, with or without its signature.
    ///   - extras: data for the application's server.
    ///   - callback: also takes `invalidActivationCode`, before the function returns, for an invalid code.
    @discardableResult
    public func createActivation(
        withName name: String?, activationCode: String, extras: String? = nil,
        callback: @escaping (PowerAuthActivationResult?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        createActivation(extras, callback) { try PowerAuthActivation(activationCode: activationCode, name: name) }
    }

    /// Starts an activation by credentials the application's server understands; see ``createActivation(_:callback:)``.
    /// - Parameters:
    ///   - name: what the user calls the activation.
    ///   - identityAttributes: what identifies the user to the application's server.
    ///   - extras: data for the application's server.
    ///   - callback: also takes `invalidActivationData`, before the function returns, without any attribute.
    @discardableResult
    public func createActivation(
        withName name: String?, identityAttributes: [String: String], extras: String? = nil,
        callback: @escaping (PowerAuthActivationResult?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        createActivation(extras, callback) {
            try PowerAuthActivation(identityAttributes: identityAttributes, name: name)
        }
    }

    /// Starts an activation that replaces a lost one; see ``createActivation(_:callback:)``.
    /// - Parameters:
    ///   - name: what the user calls the activation.
    ///   - recoveryCode: the recovery code, with or without `R:` in front.
    ///   - puk: one of the PUKs of the recovery code, ten digits.
    ///   - extras: data for the application's server.
    ///   - callback: also takes `invalidActivationCode`, before the function returns, for an invalid code or PUK.
    @discardableResult
    public func createActivation(
        withName name: String?, recoveryCode: String, puk: String, extras: String? = nil,
        callback: @escaping (PowerAuthActivationResult?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        createActivation(extras, callback) {
            try PowerAuthActivation(recoveryCode: recoveryCode, recoveryPuk: puk, name: name)
        }
    }

    private func createActivation(
        _ extras: String?, _ callback: @escaping (PowerAuthActivationResult?, (any Error)?) -> Void,
        _ make: () throws -> PowerAuthActivation
    ) -> (any PowerAuthOperationTask)? {
        do {
            let activation = try make()
            if let extras { activation.with(extras: extras) }
            return createActivation(activation, callback: callback)
        } catch {
            callback(nil, error as NSError)
            return nil
        }
    }

    // MARK: Persisting

    /// Protects the pending activation with the factors and stores it.
    /// - Throws: `biometryNotAvailable` for the biometry factor on a device whose biometry cannot be used now or whose
    ///   keychain does not take its key; `invalidActivationState` when no activation is pending, the server has not
    ///   answered yet, the password is shorter than 4 bytes, or the state cannot be stored. After
    ///   `biometryNotAvailable` and an unusable password the activation is still pending, so the call may be repeated.
    public func persistActivation(with authentication: PowerAuthAuthentication) throws { try persist(authentication) }

    /// Protects the pending activation with possession and a password; see ``persistActivation(with:)``.
    public func persistActivation(withPassword password: String) throws {
        try persistActivation(with: .persistWithPassword(password: password))
    }

    /// Protects the pending activation with possession and a password; see ``persistActivation(with:)``.
    public func persistActivation(withPassword password: PowerAuthCorePassword) throws {
        try persistActivation(with: .persistWithPassword(password: password))
    }

    private func persist(_ authentication: PowerAuthAuthentication) throws(NSError) {
        let keys = try keysToPersist(authentication)
        try nsError {
            try session.write { core in
                try requirePendingActivation(core)
                try storeFirst(keys)
                guard core.completeActivation(keys.unlockKeys) else {
                    factorKeys.biometry.removeAll()
                    throw NSError.powerAuth(.invalidActivationState)
                }
                tokens.removeAllLocalTokens()
            }
        }
        validatedPassword.withLock { $0 = nil }
    }

    /// What locks a pending activation.
    package struct KeysToPersist {
        /// With a biometry key if the factor was asked for.
        package let unlockKeys: PowerAuthCoreSignatureUnlockKeys
        fileprivate let isBiometryKeyGiven: Bool
    }

    /// Makes the keys of the factors for a pending activation; stores nothing.
    /// - Throws: `invalidActivationState` when no activation is pending, `biometryNotAvailable` for the biometry factor on
    ///   a device whose biometry cannot be used now.
    package func keysToPersist(_ authentication: PowerAuthAuthentication) throws(NSError) -> KeysToPersist {
        // First of all, so that nothing is asked or stored for a call that makes no sense.
        try nsError { try session.read { core in try requirePendingActivation(core) } }
        if authentication.usage == .sign {
            PowerAuthLog.write("WARNING: An authentication made for signing is used to persist an activation.")
        }
        // The original ignores keys that the application gives (sdk.md, section 15, item 6).
        let takesGivenKeys = !sandbox.keeps(.persistIgnoresGivenKeys)
        let givenBiometryKey = takesGivenKeys ? authentication.overridenBiometryKey : nil
        let keys = PowerAuthCoreSignatureUnlockKeys(userPassword: authentication.password)
        let deviceKey = try factorKeys.possessionKey()
        keys.possessionUnlockKey = takesGivenKeys ? authentication.overridenPossessionKey ?? deviceKey : deviceKey
        keys.transportUnlockKey = deviceKey
        if authentication.useBiometry {
            // Found out later, the activation would be there without the factor that was asked for.
            guard givenBiometryKey != nil || factorKeys.canStoreBiometryKey else {
                throw .powerAuth(.biometryNotAvailable)
            }
            keys.biometryUnlockKey = givenBiometryKey ?? PowerAuthCoreSession.generateSignatureUnlockKey()
        }
        return KeysToPersist(unlockKeys: keys, isBiometryKeyGiven: givenBiometryKey != nil)
    }

    /// Stores the biometry key of a pending activation, in the open write task: while nothing else has changed, the
    /// application may retry.
    /// - Throws: `biometryNotAvailable` if the keychain does not take it.
    package func storeFirst(_ keys: KeysToPersist) throws(NSError) {
        factorKeys.biometry.removeAll()
        if let key = keys.unlockKeys.biometryUnlockKey, !factorKeys.biometry.storeFirst(key), !keys.isBiometryKeyGiven {
            throw .powerAuth(.biometryNotAvailable)
        }
    }

    private func requirePendingActivation(_ core: PowerAuthCoreSession) throws(NSError) {
        guard core.hasPendingActivation else { throw .powerAuth(.invalidActivationState) }
    }
}

/// Ending an activation (sdk.md, sections 9.6 and 10).
extension PowerAuthSDK {
    /// Removes the activation from the server, then from the device. When the server refuses, nothing changes here.
    /// - Parameters:
    ///   - authentication: the factors; possession alone is not accepted by the server.
    ///   - callback: takes nil, or an error with the code `networkError`, `signatureError`, `missingActivation`,
    ///     `biometryNotAvailable`, `biometryCancel`, `biometryFailed` or `pendingProtocolUpgrade`, or one of the
    ///     transport.
    /// - Returns: the task, never nil.
    @discardableResult
    public func removeActivation(
        with authentication: PowerAuthAuthentication, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        removeActivation(with: authentication, by: .removeActivation, callback: callback)
    }

    /// As ``removeActivation(with:callback:)``.
    /// - Parameter endpoint: the resource of the activation's protocol.
    package func removeActivation(
        with authentication: PowerAuthAuthentication, by endpoint: RestEndpoint,
        callback: @escaping ((any Error)?) -> Void
    ) -> any PowerAuthOperationTask {
        let task = OperationTask<Void> { result in
            switch result {
            case .success: callback(nil)
            case .failure(let error): callback(error)
            }
        }
        // The object is kept until the answer arrived: an activation removed on the server must not stay here.
        task.add(
            client.post(
                RestRequest(endpoint, authentication: authentication),
                .write { core, _ in core.resetSession(false) }
            ) { [self] result in
                if case .success = result {
                    endRequests()
                    removeLeftovers()
                }
                task.complete(result)
            })
        return task
    }

    /// Removes the activation from the device: state, biometry key, tokens, cached results. The server is not notified.
    ///
    /// Works in every state; requests of the activation that are on their way end with `operationCancelled`.
    public func removeActivationLocal() {
        endRequests()
        session.writeVoidTask { $0.resetSession(false) }
        removeLeftovers()
    }

    private func endRequests() {
        cancelSharedRequests()
        client.abortCallsOfActivation()
    }

    /// Removes what belongs to the activation besides the state, unless another application has made the next one.
    private func removeLeftovers() {
        cache.withLock { $0 = Cache() }
        validatedPassword.withLock { $0 = nil }
        // Not before the state is saved: a process that dies in between must not leave an activation without its key,
        // or without tokens that still exist on the server.
        factorKeys.biometry.removeKeyOfRemovedFactor()
        tokens.removeTokensOfRemovedActivation()
        sandbox.trace(.stateRemoved)
    }
}
