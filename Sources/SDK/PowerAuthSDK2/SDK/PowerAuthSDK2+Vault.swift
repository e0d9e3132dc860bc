// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuth2
import PowerAuthCore
import PowerAuthProtocol
public import PowerAuthShared

/// The keys of the application's vault, each known to this activation and the server alone (protocol-4.md, section 13).
public enum PowerAuthSecureVaultKey: Sendable, CaseIterable {
    /// The server gives it out for two factors: possession with knowledge, or with biometry.
    case twoFactor
    /// The server gives it out for possession and knowledge.
    case knowledge
}

/// The keys with which the device signs (protocol-4.md, section 13).
public enum PowerAuthDeviceKey: Sendable, CaseIterable {
    /// The key on the curve, which every activation has; its signature is DER.
    case ecdsa
    /// The key of ML-DSA, in hybrid algorithms; its signature is raw.
    case mldsa
}

/// What needs a key of the vault, which only the server keeps.
extension PowerAuthSDK {
    /// Fetches a key that the application protects its own data with.
    /// - Parameters:
    ///   - key: which key.
    ///   - authentication: the factors that the key needs.
    ///   - callback: takes 32 bytes, or an error. Before the function returns: `missingActivation` without an activation,
    ///     `invalidActivationState` for one of protocol 3. Later: `networkError` (a wrong password), `signatureError`,
    ///     `biometryNotAvailable`, `biometryCancel`, `biometryFailed`, `encryption`, `timeSynchronization`, or one of the
    ///     transport.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func fetchSecureVaultKey(
        _ key: PowerAuthSecureVaultKey, with authentication: PowerAuthAuthentication,
        callback: @escaping (Data?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard hasVersion4Activation else {
            let code: PowerAuthErrorCode = hasValidActivation() ? .invalidActivationState : .missingActivation
            callback(nil, NSError.powerAuth(code))
            return nil
        }
        let identifier: VaultUnlockRequestV4.KeyIdentifier =
            switch key {
            case .twoFactor: .twoFactorVault
            case .knowledge: .knowledgeVault
            }
        return unlockVault(
            VaultUnlockRequestV4(keyIdentifier: identifier, reason: .fetchEncryptionKey), authentication, callback
        ) { _, response in
            // Both keys have one size, and the application gets the bytes.
            try response.decode(VaultUnlockResponseV4<KeyPurpose.TwoFactorVault>.self).key.rawData
        }
    }

    /// Signs data with one key of the device.
    /// - Parameters:
    ///   - authentication: the factors; the server requires possession and knowledge, unless it is configured otherwise.
    ///   - key: which key.
    ///   - data: the bytes to sign.
    ///   - callback: takes the signature, or an error. Before the function returns: `missingActivation` without an
    ///     activation, `wrongParameter` for ML-DSA in protocol 3. Later: as ``fetchSecureVaultKey(_:with:callback:)``,
    ///     and `wrongParameter` for a key that the activation does not have.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func signData(
        withDevicePrivateKey authentication: PowerAuthAuthentication, key: PowerAuthDeviceKey = .ecdsa, data: Data,
        callback: @escaping (Data?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard hasVersion4Activation else {
            guard key == .ecdsa || !hasValidActivation() else {
                callback(nil, NSError.powerAuth(.wrongParameter, "An activation of protocol 3 has no key of ML-DSA."))
                return nil
            }
            return base.signData(withDevicePrivateKey: authentication, data: data, callback: callback)
        }
        let deviceKey: DeviceKeyV4 =
            switch key {
            case .ecdsa: .ecdsa
            case .mldsa: .mldsa
            }
        return sign(authentication, callback) { core, vaultKey in
            try core.deviceSignatureV4(of: data, by: deviceKey, vaultKey: vaultKey)
        }
    }

    /// Signs claims with all keys of the device.
    /// - Parameters:
    ///   - authentication: the factors; the server requires possession and knowledge, unless it is configured otherwise.
    ///   - claims: values that can be written as JSON.
    ///   - callback: takes the JWS, compact for one signature, and in the general JSON serialization for those of a hybrid
    ///     algorithm; or an error as ``fetchSecureVaultKey(_:with:callback:)``, and `wrongParameter` before the function
    ///     returns for claims that are not JSON.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func signJws(
        withDevicePrivateKey authentication: PowerAuthAuthentication, claims: [String: Any],
        callback: @escaping (String?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard hasVersion4Activation else {
            return base.signJwt(withDevicePrivateKey: authentication, claims: claims, callback: callback)
        }
        guard JSONSerialization.isValidJSONObject(claims),
            let payload = try? JSONSerialization.data(
                withJSONObject: claims, options: [.sortedKeys, .withoutEscapingSlashes])
        else {
            callback(nil, NSError.powerAuth(.wrongParameter, "The claims cannot be written as JSON."))
            return nil
        }
        return sign(authentication, callback) { core, vaultKey in
            let signed = try core.deviceJWS(payload: payload, vaultKey: vaultKey)
            return signed.compact ?? signed.general
        }
    }

    /// Makes a request for a certificate of the device's key on the curve (PKCS#10), signed with it.
    /// - Parameters:
    ///   - authentication: the factors; the server requires possession and knowledge, unless it is configured otherwise.
    ///   - distinguishedNames: the parts of the subject by their short names, for example `CN` and `O`
    ///     (protocol.md, section 10.1); empty for a subject that has other names only.
    ///   - subjectAltNames: other names, such as `DNS:example.com` and `IP:192.0.2.1`; nil for none.
    ///   - callback: takes the request as text (PEM), or an error as ``fetchSecureVaultKey(_:with:callback:)``, and
    ///     `wrongParameter` before the function returns without any name, and for names that no certificate can have.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func createSignedCSR(
        with authentication: PowerAuthAuthentication, distinguishedNames: [String: String],
        subjectAltNames: [String]?, callback: @escaping (String?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        guard hasVersion4Activation else {
            return base.createSignedCSR(
                with: authentication, distinguishedNames: distinguishedNames, subjectAltNames: subjectAltNames,
                callback: callback)
        }
        let request: CertificateRequest
        do {
            request = try CertificateRequest(
                distinguishedNames: distinguishedNames, subjectAltNames: subjectAltNames ?? [])
        } catch {
            callback(nil, NSError.powerAuth(.wrongParameter, "The certificate request cannot be made: \(error)."))
            return nil
        }
        return sign(authentication, callback) { core, vaultKey in
            CertificateRequest.pem(try core.signCertificateRequestV4(request, vaultKey: vaultKey))
        }
    }

    /// Asks the server for the key of the device's keys, and signs in a read task.
    private func sign<Value>(
        _ authentication: PowerAuthAuthentication, _ callback: @escaping (Value?, (any Error)?) -> Void,
        _ signing:
            @escaping @Sendable (PowerAuthCoreSession, Key256<KeyPurpose.DeviceKeyEncryption>) throws -> Value
    ) -> any PowerAuthOperationTask {
        let request = VaultUnlockRequestV4(keyIdentifier: .deviceKeyEncryption, reason: .signWithDevicePrivateKey)
        return unlockVault(request, authentication, callback) { core, response in
            let answer = try response.decode(VaultUnlockResponseV4<KeyPurpose.DeviceKeyEncryption>.self)
            return try signing(core, answer.key)
        }
    }

    private func unlockVault<Value>(
        _ wanted: VaultUnlockRequestV4, _ authentication: PowerAuthAuthentication,
        _ callback: @escaping (Value?, (any Error)?) -> Void,
        then use: @escaping @Sendable (PowerAuthCoreSession, RestResponse) throws -> Value
    ) -> any PowerAuthOperationTask {
        let task = OperationTask<Value>(callback)
        let request = RestRequest(.unlockVaultV4, authentication: authentication) { _ in
            try RestRequest.object(wanted)
        }
        let step = LocalStep<Value>.read { core, response in try sdkError { try use(core, response) } }
        task.add(base.client.post(request, step) { task.complete($0) })
        return task
    }
}
