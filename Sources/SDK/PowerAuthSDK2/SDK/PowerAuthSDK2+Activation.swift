// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
public import PowerAuthCore
public import PowerAuthShared

/// Creating an activation, protecting and removing it (protocol-4.md, section 8).
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
        guard makesVersion4 else {
            return base.createActivation(activation.base) { result, error in
                callback(result.map(PowerAuthActivationResult.init), error)
            }
        }
        if let error = activation.base.validateAndGetError() {
            callback(nil, error)
            return nil
        }
        return base.createActivation(by: ActivationExchangeV4(activation, sandbox: base.sandbox), callback: callback)
    }

    // MARK: Persisting

    /// Protects the pending activation with the factors, confirms it on the server, and stores it. The server confirms an
    /// activation that was committed; before, it refuses the request, and the call may be repeated, also with other
    /// factors. Of two calls at one time the later one chooses the factors, and the earlier one fails. An activation of
    /// protocol 3 needs no server.
    /// - Parameters:
    ///   - authentication: the factors.
    ///   - callback: takes nil, or an error. Before the function returns: `invalidActivationState` when no activation is
    ///     pending, the server has not answered yet, or the password does not have 4 to 512 bytes; `biometryNotAvailable`
    ///     for the biometry factor on a device whose biometry cannot be used now or whose keychain does not take its key.
    ///     Later: `networkError`, `signatureError`, `invalidActivationState` (also when a later call has chosen other
    ///     factors), or one of the transport. The activation is still pending then, unless the state could not be stored:
    ///     that is `invalidActivationState`, too, and leaves no activation on the device.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func persistActivation(
        with authentication: PowerAuthAuthentication, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let task = OperationTask<Void>(callback)
        do {
            guard makesVersion4 else {
                try base.persistActivation(with: authentication)
                task.complete(.success(()))
                return task
            }
            let keys = try base.keysToPersist(authentication)
            let locked = try base.session.write { core -> ActivationSnapshot in
                try base.storeFirst(keys)
                do {
                    try core.completeActivationV4(keys.unlockKeys)
                } catch {
                    base.factorKeys.biometry.removeAll()
                    throw NSError.powerAuth(.invalidActivationState)
                }
                return core.activationSnapshot
            }
            task.add(confirm(authentication, keys, locked, task))
        } catch {
            callback(error as NSError)
            return nil
        }
        return task
    }

    /// Protects the pending activation with possession and a password; see ``persistActivation(with:callback:)``.
    @discardableResult
    public func persistActivation(
        withPassword password: String, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        persistActivation(with: .persistWithPassword(password: password), callback: callback)
    }

    /// Protects the pending activation with possession and a password; see ``persistActivation(with:callback:)``.
    @discardableResult
    public func persistActivation(
        withPassword password: PowerAuthCorePassword, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        persistActivation(with: .persistWithPassword(password: password), callback: callback)
    }

    /// Confirms the activation, and makes the session persistable in the step that follows.
    /// - Parameter locked: the session that is protected with the keys. A later attempt may protect it with others, which
    ///   neither the code nor the answer of this one is for.
    private func confirm(
        _ authentication: PowerAuthAuthentication, _ keys: PowerAuth2.PowerAuthSDK.KeysToPersist,
        _ locked: ActivationSnapshot, _ task: OperationTask<Void>
    ) -> any PowerAuthOperationTask {
        let biometryKey = keys.unlockKeys.biometryUnlockKey
        let requireLocked: @Sendable (PowerAuthCoreSession) throws -> Void = { core in
            guard locked.change(until: core.activationSnapshot, of: [.knowledge]) == nil else {
                throw NSError.powerAuth(.invalidActivationState, "The activation was protected with other factors.")
            }
        }
        // The keys were accepted, so there is a password.
        let signing = PowerAuthAuthentication.possessionWithPassword(
            password: authentication.password ?? PowerAuthCorePassword(string: ""),
            customPossessionKey: keys.unlockKeys.possessionUnlockKey)
        let (biometry, tokens) = (base.factorKeys.biometry, base.tokens)
        let step = LocalStep<Void>.write { core, _ in
            try requireLocked(core)
            // Until now there was no activation, so an application that shares the keychain may have removed the key.
            if let biometryKey, !biometry.hasKey(of: core) { _ = biometry.storeFirst(biometryKey) }
            try sdkError { try core.confirmActivationV4() }
            tokens.removeAllLocalTokens()
        }
        let request = RestRequest(.confirmActivation, authentication: signing) { core in
            try requireLocked(core)
            return ["enableBiometry": biometryKey != nil]
        }
        return base.client.post(request, step) { task.complete($0) }
    }

    // MARK: Removing

    /// Removes the activation from the server, then from the device. When the server refuses, nothing changes here.
    /// - Parameters:
    ///   - authentication: the factors; possession alone is not accepted by the server.
    ///   - callback: takes nil, or an error with the code `networkError`, `signatureError`, `missingActivation`,
    ///     `biometryNotAvailable`, `biometryCancel` or `biometryFailed`, or one of the transport.
    /// - Returns: the task, never nil.
    @discardableResult
    public func removeActivation(
        with authentication: PowerAuthAuthentication, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        base.removeActivation(
            with: authentication, by: hasVersion4Activation ? .removeActivationV4 : .removeActivation,
            callback: callback)
    }

    /// Removes the activation from the device: state, biometry key, tokens, cached results. The server is not notified.
    ///
    /// Works in every state; requests of the activation that are on their way end with `operationCancelled`.
    public func removeActivationLocal() {
        cancelSharedRequests()
        base.removeActivationLocal()
    }
}
