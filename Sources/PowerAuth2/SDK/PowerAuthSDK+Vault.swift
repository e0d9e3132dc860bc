public import Foundation

/// What needs the vault key, which only the server keeps (sdk.md, sections 5.11 and 9.7).
extension PowerAuthSDK {
    /// Fetches a key that only this activation and the server can know.
    ///
    /// - Parameters:
    ///   - authentication: the factors; the server wants possession and knowledge.
    ///   - index: number of the key; equal numbers give equal keys.
    ///   - callback: takes 16 bytes, or an error: `missingActivation` before the function returns without an
    ///     activation; later `networkError` (a wrong password), `signatureError`, `invalidActivationState`,
    ///     `encryption`, `pendingProtocolUpgrade`, or one of the transport.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func fetchEncryptionKey(
        _ authentication: PowerAuthAuthentication, index: UInt64, callback: @escaping (Data?, NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        unlockVault(authentication, reason: "FETCH_ENCRYPTION_KEY", callback) { core, vaultKey, keys in
            guard let key = core.deriveCryptographicKey(fromVaultKey: vaultKey, keys: keys, keyIndex: index) else {
                throw NSError.powerAuth(.encryption, "Failed to derive encryption key")
            }
            return key
        }
    }

    /// Signs data with the private key of the device; see ``fetchEncryptionKey(_:index:callback:)`` for the errors.
    ///
    /// - Parameters:
    ///   - authentication: the factors; the server wants possession and knowledge.
    ///   - data: the bytes to sign.
    ///   - callback: takes the ECDSA signature (DER), or an error.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func signData(
        withDevicePrivateKey authentication: PowerAuthAuthentication, data: Data?,
        callback: @escaping (Data?, NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let data = data ?? Data()
        return unlockVault(authentication, reason: "SIGN_WITH_DEVICE_PRIVATE_KEY", callback) { core, vaultKey, keys in
            try signature(of: data, core, vaultKey, keys, format: .default)
        }
    }

    /// Signs claims with the private key of the device; see ``fetchEncryptionKey(_:index:callback:)`` for the errors.
    ///
    /// - Parameters:
    ///   - authentication: the factors; the server wants possession and knowledge.
    ///   - claims: values that can be written as JSON.
    ///   - callback: takes the compact token (ES256), or an error; `wrongParameter` before the function returns for
    ///     claims that are not JSON.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func signJwt(
        withDevicePrivateKey authentication: PowerAuthAuthentication, claims: [String: Any],
        callback: @escaping (String?, NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard JSONSerialization.isValidJSONObject(claims),
            let json = try? JSONSerialization.data(
                withJSONObject: claims, options: [.sortedKeys, .withoutEscapingSlashes])
        else {
            callback(nil, .powerAuth(.wrongParameter, "The claims cannot be written as JSON."))
            return nil
        }
        let token = DeviceToken(claims: json)
        return unlockVault(authentication, reason: "SIGN_WITH_DEVICE_PRIVATE_KEY", callback) { core, vaultKey, keys in
            token.signed(
                with: try signature(of: Data(token.signingInput.utf8), core, vaultKey, keys, format: .ecdsaJose))
        }
    }

    /// Asks the server for the vault key and runs a local step with it in a read task.
    func unlockVault<Value: Sendable>(
        _ authentication: PowerAuthAuthentication, reason: String, _ callback: @escaping (Value?, NSError?) -> Void,
        then step: @escaping @Sendable (PowerAuthCoreSession, String, PowerAuthCoreSignatureUnlockKeys) throws -> Value
    ) -> (any PowerAuthOperationTask)? {
        unlockVault(authentication, reason: reason, callback) { session, vaultKey, keys in
            try session.read { core in try step(core, vaultKey, keys) }
        }
    }

    /// Asks the server for the vault key and runs a local step with it, outside of any session task.
    func unlockVault<Value: Sendable>(
        _ authentication: PowerAuthAuthentication, reason: String, _ callback: @escaping (Value?, NSError?) -> Void,
        afterwards step:
            @escaping @Sendable (any SessionInterface, String, PowerAuthCoreSignatureUnlockKeys) throws ->
            Value
    ) -> (any PowerAuthOperationTask)? {
        guard hasValidActivation() else {
            callback(nil, .powerAuth(.missingActivation))
            return nil
        }
        let task = OperationTask<Value> { result in
            switch result {
            case .success(let value): callback(value, nil)
            case .failure(let error): callback(nil, error)
            }
        }
        let request = RestRequest(.unlockVault, authentication: authentication, object: { _ in ["reason": reason] })
        let (session, factorKeys) = (session, factorKeys)
        task.add(
            client.post(request) { result in
                task.complete(
                    result.flatMap { response in
                        do {
                            guard let vaultKey = response.string("encryptedVaultEncryptionKey") else {
                                throw NSError.powerAuth(.invalidActivationState)
                            }
                            let keys = try factorKeys.possessionKeys()
                            return .success(try step(session, vaultKey, keys))
                        } catch {
                            return .failure(error as NSError)
                        }
                    })
            })
        return task
    }
}

/// The signature of the device's key, or `encryption`.
private func signature(
    of data: Data, _ core: PowerAuthCoreSession, _ vaultKey: String, _ keys: PowerAuthCoreSignatureUnlockKeys,
    format: PowerAuthCoreSignatureFormat
) throws -> Data {
    guard let signature = core.signData(withDevicePrivateKey: vaultKey, keys: keys, data: data, format: format) else {
        throw NSError.powerAuth(.encryption, "Failed to calculate signature")
    }
    return signature
}
