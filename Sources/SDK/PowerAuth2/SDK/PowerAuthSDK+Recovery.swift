public import Foundation

/// Recovery codes, with which the user replaces a lost activation (sdk.md, section 5.13).
extension PowerAuthSDK {
    /// True when recovery data came with the activation.
    public func hasActivationRecoveryData() -> Bool { session.readBoolTask { $0.hasActivationRecoveryData } }

    /// Decrypts the recovery data; see ``fetchEncryptionKey(_:index:callback:)`` for the errors.
    ///
    /// - Parameters:
    ///   - authentication: the factors; the server requires possession and knowledge.
    ///   - callback: takes the recovery data, or an error; `invalidActivationState` before the function returns if the
    ///     activation has none.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func activationRecoveryData(
        _ authentication: PowerAuthAuthentication,
        callback: @escaping (PowerAuthActivationRecoveryData?, NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard hasActivationRecoveryData() else {
            callback(nil, .powerAuth(.invalidActivationState, "Session has no recovery data available."))
            return nil
        }
        return unlockVault(authentication, reason: "RECOVERY_CODE", callback) { core, vaultKey, keys in
            guard let data = core.activationRecoveryData(vaultKey, keys: keys) else {
                throw NSError.powerAuth(.encryption, "Failed to decrypt recovery data")
            }
            return PowerAuthActivationRecoveryData(data)
        }
    }

    /// Confirms a recovery code that came by other means, such as a recovery postcard, so that it may be used.
    ///
    /// - Parameters:
    ///   - recoveryCode: the code, with or without the prefix `R:`.
    ///   - authentication: the factors; the server requires possession and knowledge.
    ///   - callback: takes true when the code was confirmed before, and an error or nil. Before the function returns:
    ///     `missingActivation` without an activation, `wrongParameter` for a code that cannot be right. Later:
    ///     `networkError`, `signatureError`, `biometryNotAvailable`, `biometryCancel`, `biometryFailed`, `encryption`,
    ///     `pendingProtocolUpgrade`, or one of the transport.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func confirmRecoveryCode(
        _ recoveryCode: String, authentication: PowerAuthAuthentication,
        callback: @escaping (Bool, NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard hasValidActivation() else {
            callback(false, .powerAuth(.missingActivation))
            return nil
        }
        guard let code = PowerAuthActivationCodeUtil.parse(fromRecoveryCode: recoveryCode)?.activationCode else {
            callback(false, .powerAuth(.wrongParameter, "Invalid recovery code."))
            return nil
        }
        let task = OperationTask<Bool> { result in
            switch result {
            case .success(let wasConfirmed): callback(wasConfirmed, nil)
            case .failure(let error): callback(false, error)
            }
        }
        let request = RestRequest(.confirmRecovery, authentication: authentication) { _ in ["recoveryCode": code] }
        task.add(
            client.post(
                request, .answer { ($0.object["alreadyConfirmed"] as? NSNumber)?.boolValue ?? false }
            ) { task.complete($0) })
        return task
    }
}
