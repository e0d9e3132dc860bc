public import Foundation

/// The biometry factor: adding, removing, and whether there is one (sdk.md, sections 5.10 and 9.8).
extension PowerAuthSDK {
    /// True when the activation has a biometry factor and its key is stored on this device.
    public func hasBiometryFactor() -> Bool {
        session.readBoolTask { $0.hasBiometryFactor() && factorKeys.biometry.hasKey(of: $0) }
    }

    /// Removes the biometry factor and its key.
    ///
    /// - Returns: false without an activation, or when the state cannot be stored.
    @discardableResult
    public func removeBiometryFactor() -> Bool {
        guard session.writeBoolTask(session: { $0.removeBiometryFactor() }) else { return false }
        factorKeys.biometry.removeKeyOfRemovedFactor()
        return true
    }

    /// Adds, or replaces, the biometry factor. The server hands out the vault key for the password.
    ///
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
        password: String, callback: @escaping (NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        addBiometryFactor(password: PowerAuthCorePassword(string: password), callback: callback)
    }

    /// As ``addBiometryFactor(password:callback:)-(String,_)`` with a password object.
    @discardableResult
    public func addBiometryFactor(
        password: PowerAuthCorePassword, callback: @escaping (NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard factorKeys.biometryInfo.currentStatus == .available else {
            callback(.powerAuth(.biometryNotAvailable))
            return nil
        }
        let biometry = factorKeys.biometry
        let addition = openingVault { core, vaultKey, keys in
            let key = PowerAuthCoreSession.generateSignatureUnlockKey()
            keys.biometryUnlockKey = key
            let before = core.serializedState()
            guard core.addBiometryFactor(vaultKey, keys: keys) else {
                throw NSError.powerAuth(.invalidActivationState)
            }
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
