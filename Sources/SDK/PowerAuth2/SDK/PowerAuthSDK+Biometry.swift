// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Foundation
public import LocalAuthentication
import SimulatedDevice

/// The biometry factor: adding, removing, and whether there is one (sdk.md, sections 5.10 and 9.8).
extension PowerAuthSDK {
    /// True when the activation has a biometry factor and its key is stored on this device.
    public func hasBiometryFactor() -> Bool {
        session.readBoolTask { $0.hasBiometryFactor() && factorKeys.biometry.hasKey(of: $0) }
    }

    /// Removes the biometry factor and its key.
    /// - Returns: false without an activation, or when the state cannot be stored.
    @discardableResult
    public func removeBiometryFactor() -> Bool {
        guard session.writeBoolTask(session: { $0.removeBiometryFactor() }) else { return false }
        factorKeys.biometry.removeKeyOfRemovedFactor()
        return true
    }

    /// Adds, or replaces, the biometry factor. The server hands out the vault key for the password.
    /// - Parameters:
    ///   - password: the password in use.
    ///   - callback: takes nil, or an error. Before the function returns: `biometryNotAvailable` when biometry cannot
    ///     be used now, `missingActivation` without an activation. Later: `networkError` (a wrong password),
    ///     `signatureError`, `invalidActivationState` (also when the password was changed while the server answered),
    ///     `biometryNotAvailable`, `encryption`, `pendingProtocolUpgrade`, or one of the transport; an earlier factor
    ///     stays, with its key.
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
        guard factorKeys.biometryInfo.currentStatus == .available else {
            callback(NSError.powerAuth(.biometryNotAvailable))
            return nil
        }
        let biometry = factorKeys.biometry
        let addition = openingVault { core, vaultKey, keys in
            let key = PowerAuthCoreSession.generateSignatureUnlockKey()
            keys.biometryUnlockKey = key
            let before = core.serializedState()
            guard core.addBiometryFactor(vaultKey, keys: keys) else { throw NSError.powerAuth(.invalidActivationState) }
            guard biometry.keep(key, for: core) else {
                // A factor without its key would only make signatures fail later.
                _ = core.deserializeState(before)
                throw NSError.powerAuth(.biometryNotAvailable)
            }
            return (key: key, factor: core.biometryFactorIdentity)
        }
        return unlockVault(
            .possessionWithPassword(password: password), reason: "ADD_BIOMETRY",
            { (_: Bool?, error) in callback(error) },
            // The password that the server has confirmed, and the key around the factors, are those of the request.
            .write(dependingOn: [.knowledge], addition),
            finish: { added in
                // Not before the state is saved: until then the earlier key is in force.
                biometry.putInPlace(added.key, of: added.factor)
                return true
            })
    }
}

/// Reading biometry keys ahead of the signatures that need them (sdk.md, sections 5.10 and 9.9).
extension PowerAuthSDK {
    /// Where the SDK waits for the user: a dialog blocks its thread.
    private static let dialogs = DispatchQueue(label: "PowerAuth2.biometry", attributes: .concurrent)

    // MARK: Credentials in advance

    /// Asks the user for biometry once and makes credentials for several signatures.
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
        authenticateUsingBiometry(in: context(withPrompt: prompt), callback)
    }

    /// As ``authenticateUsingBiometry(withPrompt:callback:)`` with a context of the application, whose `localizedReason`
    /// is the text of the dialog. Unless the configuration says otherwise, the context is invalid afterwards.
    public func authenticateUsingBiometry(
        withContext context: LAContext, callback: @escaping (PowerAuthAuthentication?, (any Error)?) -> Void
    ) {
        authenticateUsingBiometry(in: context, callback)
    }

    private func authenticateUsingBiometry(
        in context: LAContext, _ callback: @escaping (PowerAuthAuthentication?, (any Error)?) -> Void
    ) {
        guard hasValidActivation() else { return callback(nil, NSError.powerAuth(.missingActivation)) }
        guard factorKeys.biometryInfo.currentStatus == .available else {
            return callback(nil, NSError.powerAuth(.biometryNotAvailable))
        }
        let policy: LAPolicy =
            biometricItemAccess == .anyBiometricSetOrDevicePasscode
            ? .deviceOwnerAuthentication : .deviceOwnerAuthenticationWithBiometrics
        let factorKeys = factorKeys
        askUser(
            { () throws(NSError) in try factorKeys.biometryKey(confirmedBy: policy, in: context) },
            callback: { (result: TaskResult<Data>) in
                switch result {
                case .success(let key):
                    callback(.possessionWithBiometry(customBiometryKey: key, customPossessionKey: nil), nil)
                case .failure(let error): callback(nil, error)
                }
            }, on: .main)
    }

    // MARK: The keys themselves

    /// Reads every key of the biometry service after the user has confirmed a dialog.
    /// - Parameters:
    ///   - prompt: text of the dialog.
    ///   - callback: takes the keys by their accounts, and true when the user cancelled or another biometric request of
    ///     the process is under way. Called on a background queue. Any other failure is nil and false;
    ///     ``fetchBiometryKeys(withPrompt:callback:)`` reports which.
    public func unlockBiometryKeys(withPrompt prompt: String, callback: @escaping ([String: Data]?, Bool) -> Void) {
        unlockBiometryKeys(withContext: context(withPrompt: prompt), callback: callback)
    }

    /// As ``unlockBiometryKeys(withPrompt:callback:)`` with a context of the application.
    public func unlockBiometryKeys(
        withContext context: LAContext, callback: @escaping ([String: Data]?, Bool) -> Void
    ) {
        unlockBiometryKeys(in: context, on: .global()) { result in
            switch result {
            case .success(let keys): callback(keys, false)
            case .failure(let error): callback(nil, error.powerAuthErrorCode == .biometryCancel)
            }
        }
    }

    /// As ``unlockBiometryKeys(withPrompt:callback:)``, and reports the error (sdk.md, section 15, item 19).
    /// - Parameters:
    ///   - prompt: text of the dialog.
    ///   - callback: takes the keys by their accounts, or an error, on the main queue: `biometryNotAvailable` when
    ///     biometry cannot be used, `biometryCancel` when the user cancelled or another biometric request of the
    ///     process is under way, `biometryFailed` when there is no key, the context is unusable, or the user was not
    ///     recognised.
    public func fetchBiometryKeys(
        withPrompt prompt: String, callback: @escaping ([String: Data]?, (any Error)?) -> Void
    ) {
        fetchBiometryKeys(withContext: context(withPrompt: prompt), callback: callback)
    }

    /// As ``fetchBiometryKeys(withPrompt:callback:)`` with a context of the application.
    public func fetchBiometryKeys(
        withContext context: LAContext, callback: @escaping ([String: Data]?, (any Error)?) -> Void
    ) {
        unlockBiometryKeys(in: context, on: .main) { result in
            switch result {
            case .success(let keys): callback(keys, nil)
            case .failure(let error): callback(nil, error)
            }
        }
    }

    private func unlockBiometryKeys(
        in context: LAContext, on queue: DispatchQueue, _ callback: @escaping (TaskResult<[String: Data]>) -> Void
    ) {
        let factorKeys = factorKeys
        askUser({ () throws(NSError) in try factorKeys.biometryKeys(in: context) }, callback: callback, on: queue)
    }

    // MARK: Asking

    func context(withPrompt prompt: String) -> LAContext { LAContext(service: sandbox.authentication, prompt: prompt) }

    /// Runs a question to the user on a thread that may block. The whole question excludes the other biometric requests
    /// of the process: the original reserves only the reading of the key, so that two dialogs can overlap (sdk.md,
    /// section 15, item 18).
    private func askUser<Value>(
        _ question: @escaping @Sendable () throws(NSError) -> Value,
        callback: @escaping (TaskResult<Value>) -> Void, on queue: DispatchQueue
    ) {
        let callback = Callback(callback)
        let service = sandbox.authentication
        let operation = Sandbox.operation
        guard service.beginExclusiveUse() else {
            return queue.async { callback(.failure(.powerAuth(.biometryCancel))) }
        }
        Self.dialogs.async {
            let result = UncheckedTransfer(
                Sandbox.$operation.withValue(operation) { Result { () throws(NSError) in try question() } })
            // Free again before the application gets the result, so that it may ask again at once.
            service.endExclusiveUse()
            queue.async { callback(result.value) }
        }
    }
}
