// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuthProtocol

/// What needs the vault key, which only the server keeps (sdk.md, sections 5.11 and 9.7).
extension PowerAuthSDK {
    /// Fetches a key that only this activation and the server can know.
    /// - Parameters:
    ///   - authentication: the factors; the server requires possession and knowledge.
    ///   - index: number of the key; equal numbers give equal keys.
    ///   - callback: takes 16 bytes, or an error: `missingActivation` before the function returns without an
    ///     activation; later `networkError` (a wrong password), `signatureError`, `invalidActivationState`,
    ///     `encryption`, `pendingProtocolUpgrade`, or one of the transport.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func fetchEncryptionKey(
        _ authentication: PowerAuthAuthentication, index: UInt64, callback: @escaping (Data?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        unlockVault(authentication, reason: "FETCH_ENCRYPTION_KEY", callback) { core, vaultKey, keys in
            guard let key = core.deriveCryptographicKey(fromVaultKey: vaultKey, keys: keys, keyIndex: index) else {
                throw NSError.powerAuth(.encryption, "Failed to derive encryption key")
            }
            return key
        }
    }

    /// Signs data with the private key of the device; see ``fetchEncryptionKey(_:index:callback:)`` for the errors.
    /// - Parameters:
    ///   - authentication: the factors; the server requires possession and knowledge.
    ///   - data: the bytes to sign.
    ///   - callback: takes the ECDSA signature (DER), or an error.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func signData(
        withDevicePrivateKey authentication: PowerAuthAuthentication, data: Data?,
        callback: @escaping (Data?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let data = data ?? Data()
        return unlockVault(authentication, reason: "SIGN_WITH_DEVICE_PRIVATE_KEY", callback) { core, vaultKey, keys in
            try signature(of: data, core, vaultKey, keys, format: .default)
        }
    }

    /// Signs claims with the private key of the device; see ``fetchEncryptionKey(_:index:callback:)`` for the errors.
    /// - Parameters:
    ///   - authentication: the factors; the server requires possession and knowledge.
    ///   - claims: values that can be written as JSON.
    ///   - callback: takes the compact token (ES256), or an error; `wrongParameter` before the function returns for
    ///     claims that are not JSON.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func signJwt(
        withDevicePrivateKey authentication: PowerAuthAuthentication, claims: [String: Any],
        callback: @escaping (String?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard JSONSerialization.isValidJSONObject(claims),
            let json = try? JSONSerialization.data(
                withJSONObject: claims, options: [.sortedKeys, .withoutEscapingSlashes])
        else {
            callback(nil, NSError.powerAuth(.wrongParameter, "The claims cannot be written as JSON."))
            return nil
        }
        let token = DeviceToken(claims: json)
        return unlockVault(authentication, reason: "SIGN_WITH_DEVICE_PRIVATE_KEY", callback) { core, vaultKey, keys in
            token.signed(
                with: try signature(of: Data(token.signingInput.utf8), core, vaultKey, keys, format: .ECDSA_JOSE))
        }
    }

    /// Makes a request for a certificate of the device's key (PKCS#10), signed with it; see
    /// ``fetchEncryptionKey(_:index:callback:)`` for the errors.
    /// - Parameters:
    ///   - authentication: the factors; the server requires possession and knowledge.
    ///   - distinguishedNames: the parts of the subject by their short names, for example `CN` and `O`
    ///     (protocol.md, section 10.1); empty for a subject that has other names only.
    ///   - subjectAltNames: other names, such as `DNS:example.com` and `IP:192.0.2.1`; nil for none.
    ///   - callback: takes the request as text (PEM), or an error; `wrongParameter` before the function returns without
    ///     any name, and for names that no certificate can have.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func createSignedCSR(
        with authentication: PowerAuthAuthentication, distinguishedNames: [String: String],
        subjectAltNames: [String]?, callback: @escaping (String?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let request: CertificateRequest
        do {
            request = try CertificateRequest(
                distinguishedNames: distinguishedNames, subjectAltNames: subjectAltNames ?? [])
        } catch {
            callback(nil, NSError.powerAuth(.wrongParameter, "The certificate request cannot be made: \(error)."))
            return nil
        }
        return unlockVault(authentication, reason: "SIGN_WITH_DEVICE_PRIVATE_KEY", callback) { core, vaultKey, keys in
            let signed = core.signCertificateRequest(withDevicePrivateKey: vaultKey, keys: keys, request: request)
            guard let signed else { throw NSError.powerAuth(.encryption, "Failed to calculate signature") }
            return CertificateRequest.pem(signed)
        }
    }

    /// What is done with the vault key.
    typealias VaultStep<Value> =
        @Sendable (_ core: PowerAuthCoreSession, _ vaultKey: String, _ keys: PowerAuthCoreSignatureUnlockKeys) throws ->
        Value

    /// Asks the server for the vault key and uses it in a read task.
    func unlockVault<Value>(
        _ authentication: PowerAuthAuthentication, reason: String, _ callback: @escaping (Value?, (any Error)?) -> Void,
        then step: @escaping VaultStep<Value>
    ) -> (any PowerAuthOperationTask)? {
        unlockVault(authentication, reason: reason, callback, .read(openingVault(step))) { $0 }
    }

    /// Makes a step that gets the vault key out of the answer.
    func openingVault<Value>(
        _ step: @escaping VaultStep<Value>
    ) -> @Sendable (PowerAuthCoreSession, RestResponse) throws -> Value {
        { [factorKeys] core, response in
            guard let vaultKey = response.string("encryptedVaultEncryptionKey") else {
                throw NSError.powerAuth(.invalidActivationState)
            }
            return try step(core, vaultKey, try factorKeys.possessionKeys())
        }
    }

    /// Asks the server for the vault key.
    /// - Parameters:
    ///   - step: made with ``openingVault(_:)``.
    ///   - finish: called when the session task has ended and is saved.
    func unlockVault<Made, Value>(
        _ authentication: PowerAuthAuthentication, reason: String, _ callback: @escaping (Value?, (any Error)?) -> Void,
        _ step: LocalStep<Made>, finish: @escaping @Sendable (Made) -> Value
    ) -> (any PowerAuthOperationTask)? {
        guard hasValidActivation() else {
            callback(nil, NSError.powerAuth(.missingActivation))
            return nil
        }
        let task = OperationTask<Value> { result in
            switch result {
            case .success(let value): callback(value, nil)
            case .failure(let error): callback(nil, error)
            }
        }
        let request = RestRequest(.unlockVault, authentication: authentication, object: { _ in ["reason": reason] })
        task.add(client.post(request, step) { result in task.complete(result.map(finish)) })
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

/// Recovery codes, with which the user replaces a lost activation (sdk.md, section 5.13).
extension PowerAuthSDK {
    /// True when recovery data came with the activation.
    public func hasActivationRecoveryData() -> Bool { session.readBoolTask { $0.hasActivationRecoveryData } }

    /// Decrypts the recovery data; see ``fetchEncryptionKey(_:index:callback:)`` for the errors.
    /// - Parameters:
    ///   - authentication: the factors; the server requires possession and knowledge.
    ///   - callback: takes the recovery data, or an error; `invalidActivationState` before the function returns if the
    ///     activation has none.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func activationRecoveryData(
        _ authentication: PowerAuthAuthentication,
        callback: @escaping (PowerAuthActivationRecoveryData?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard hasActivationRecoveryData() else {
            callback(nil, NSError.powerAuth(.invalidActivationState, "Session has no recovery data available."))
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
        callback: @escaping (Bool, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard hasValidActivation() else {
            callback(false, NSError.powerAuth(.missingActivation))
            return nil
        }
        guard let code = PowerAuthActivationCodeUtil.parse(fromRecoveryCode: recoveryCode)?.activationCode else {
            callback(false, NSError.powerAuth(.wrongParameter, "Invalid recovery code."))
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
