// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LocalAuthentication
import PowerAuth2
public import PowerAuthCore
import PowerAuthProtocol
public import PowerAuthShared

/// The biometry factor (protocol-4.md, section 12).
extension PowerAuthSDK {
    /// True when the activation has a biometry factor and its key is stored on this device.
    public func hasBiometryFactor() -> Bool { base.hasBiometryFactor() }

    /// Adds, or replaces, the biometry factor.
    /// - Parameters:
    ///   - password: the password in use.
    ///   - callback: takes nil, or an error. Before the function returns: `biometryNotAvailable` when biometry cannot
    ///     be used now, `missingActivation` without an activation. Later: `networkError` (a wrong password),
    ///     `signatureError`, `invalidActivationState`, `biometryNotAvailable`, `encryption`, `timeSynchronization`, or one
    ///     of the transport; an earlier factor stays, with its key.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func addBiometryFactor(
        password: String, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        addBiometryFactor(password: PowerAuthCorePassword(string: password), callback: callback)
    }

    /// As ``addBiometryFactor(password:callback:)-(String,_)`` with a password object.
    @discardableResult
    public func addBiometryFactor(
        password: PowerAuthCorePassword, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard hasVersion4Activation else { return base.addBiometryFactor(password: password, callback: callback) }
        let biometry = base.factorKeys.biometry
        let key = PowerAuthCoreSession.generateSignatureUnlockKey()
        let addition: BiometryAdditionV4
        do throws(NSError) {
            guard base.factorKeys.biometryInfo.currentStatus == .available else {
                throw .powerAuth(.biometryNotAvailable)
            }
            addition = try sdkError {
                try base.session.read { core in
                    try core.biometryAdditionV4(PowerAuthCoreSignatureUnlockKeys(biometryUnlockKey: key))
                }
            }
        } catch {
            callback(error)
            return nil
        }
        let task = OperationTask<Void>(callback)
        let request = RestRequest(.addBiometry, authentication: .possessionWithPassword(password: password)) { _ in
            try RestRequest.object(addition.request)
        }
        let step = LocalStep<BiometryFactorIdentity>.write { core, response in
            let before = core.serializedState()
            try sdkError { try core.finish(addition, with: response.decode(SharedSecretResponse.self)) }
            guard biometry.keep(key, for: core) else {
                // A factor without its key would only make codes fail later.
                _ = core.deserializeState(before)
                throw NSError.powerAuth(.biometryNotAvailable)
            }
            return core.biometryFactorIdentity
        }
        task.add(
            base.client.post(request, step) { result in
                // Not before the state is saved: until then the earlier key is in force.
                if case .success(let factor) = result { biometry.putInPlace(key, of: factor) }
                task.complete(result.map { _ in })
            })
        return task
    }

    /// Removes the biometry factor from the server, then from the device with its key. That of an activation of protocol 3
    /// is the device's alone.
    /// - Parameter callback: takes nil, or an error. Before the function returns: `missingActivation` without an activation,
    ///   `invalidActivationState` when the state cannot be stored. Later: `networkError`, `signatureError`,
    ///   `invalidActivationState`, or one of the transport; the factor stays.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func removeBiometryFactor(callback: @escaping ((any Error)?) -> Void) -> (any PowerAuthOperationTask)? {
        let task = OperationTask<Void>(callback)
        do throws(NSError) {
            try requireActivation()
            guard hasVersion4Activation else {
                guard base.removeBiometryFactor() else { throw .powerAuth(.invalidActivationState) }
                task.complete(.success(()))
                return task
            }
        } catch {
            callback(error)
            return nil
        }
        let biometry = base.factorKeys.biometry
        let step = LocalStep<Void>.write { core, _ in try sdkError { try core.removeBiometryV4() } }
        task.add(
            base.client.post(RestRequest(.removeBiometry, authentication: .possession()), step) { result in
                if case .success = result { biometry.removeKeyOfRemovedFactor() }
                task.complete(result)
            })
        return task
    }

    // MARK: Credentials in advance

    /// Asks the user for biometry once and makes credentials for several codes.
    ///
    /// When the device did not recognise the user, or biometry is locked out by now, the credentials hold a wrong key:
    /// the server then counts a failed attempt.
    /// - Parameters:
    ///   - prompt: text of the dialog, which has no fallback button.
    ///   - callback: takes the credentials, or an error. Before the function returns: `missingActivation` without an
    ///     activation, `biometryNotAvailable` when biometry cannot be used now. Later, on the main queue:
    ///     `biometryNotAvailable`, `biometryCancel` when the dialog was cancelled or another biometric request of the
    ///     process is under way, `biometryFailed` without a key, `wrongParameter` for an unusable context,
    ///     `biometryFallback` for the fallback button. An error from the system is found under `NSUnderlyingErrorKey`,
    ///     an `LAError`.
    public func authenticateUsingBiometry(
        withPrompt prompt: String, callback: @escaping (PowerAuthAuthentication?, (any Error)?) -> Void
    ) {
        base.authenticateUsingBiometry(withPrompt: prompt, callback: callback)
    }

    /// As ``authenticateUsingBiometry(withPrompt:callback:)`` with a context of the application, whose `localizedReason`
    /// is the text of the dialog. Unless the configuration says otherwise, the context is invalid afterwards.
    public func authenticateUsingBiometry(
        withContext context: LAContext, callback: @escaping (PowerAuthAuthentication?, (any Error)?) -> Void
    ) {
        base.authenticateUsingBiometry(withContext: context, callback: callback)
    }
}
