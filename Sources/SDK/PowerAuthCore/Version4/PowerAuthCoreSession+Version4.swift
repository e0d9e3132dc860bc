// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import PowerAuthProtocol

/// An activation of protocol 4 (protocol-4.md, section 8). A session can have one if its setup has suites; the calls of
/// protocol 3 refuse it, and these calls refuse an activation of protocol 3.
///
/// Failures are thrown: `wrongState` where the session has no activation that allows the call, `wrongParam` for a parameter
/// that is missing or of a wrong form, `encryption` for what does not decrypt or verify.
extension PowerAuthCoreSession {
    /// Whether the session has a confirmed activation of protocol 4.
    package var hasVersion4Activation: Bool { inspect { machine in (try? machine.activatedV4()) != nil } }

    /// Starts an activation: makes the device's keys.
    /// - Returns: The inner layer of the request; the texts about device and user are added by the caller.
    package func startActivationV4() throws(PowerAuthCoreErrorCode) -> KeyExchangeRequestV4 {
        try write { machine throws(PowerAuthCoreErrorCode) in try machine.startActivationV4() }
    }

    /// Checks the server's answer and computes the keys. An answer that cannot be used ends the activation.
    /// - Returns: The fingerprint, eight digits.
    package func validateActivationResponseV4(
        _ response: KeyExchangeResponseV4
    ) throws(PowerAuthCoreErrorCode) -> String {
        try write { machine throws(PowerAuthCoreErrorCode) in try machine.validateActivationResponseV4(response) }
    }

    /// Locks the factor keys with the unlock keys; before the confirmation also again, with others.
    /// - Parameter keys: Possession unlock key and password; a biometry unlock key of 16 or 32 bytes adds the factor.
    package func completeActivationV4(_ keys: PowerAuthCoreSignatureUnlockKeys) throws(PowerAuthCoreErrorCode) {
        let keys = UnlockKeys(keys)
        try write { machine throws(PowerAuthCoreErrorCode) in try machine.completeActivationV4(keys) }
    }

    /// The code of the request that confirms the activation.
    /// - Parameters:
    ///   - body: The body as it will be sent.
    ///   - keys: Possession unlock key and password.
    package func activationConfirmationCode(
        body: Data, keys: PowerAuthCoreSignatureUnlockKeys
    ) throws(PowerAuthCoreErrorCode) -> ComputedCode {
        let keys = UnlockKeys(keys)
        return try write { machine throws(PowerAuthCoreErrorCode) in
            try machine.activationConfirmationCode(body: body, keys: keys)
        }
    }

    /// Makes the activation persistable: call it after the server has confirmed, and save the session.
    package func confirmActivationV4() throws(PowerAuthCoreErrorCode) {
        try write { machine throws(PowerAuthCoreErrorCode) in try machine.confirmActivationV4() }
    }

    /// Computes an authentication code and moves the counter by one. Save the session before the code leaves the process.
    package func authenticationCode(
        _ request: PowerAuthCoreHTTPRequestData, keys: PowerAuthCoreSignatureUnlockKeys,
        factor: PowerAuthCoreSignatureFactor
    ) throws(PowerAuthCoreErrorCode) -> ComputedCode {
        let (request, keys) = (UnsignedRequest(request), UnlockKeys(keys))
        return try write { machine throws(PowerAuthCoreErrorCode) in
            try machine.authenticationCode(request, keys: keys, factor: factor)
        }
    }

    /// Checks a status and synchronises the counter with it.
    /// - Parameters:
    ///   - activationStatus: Base64 of 80 bytes, from the decrypted answer.
    ///   - keys: Possession unlock key.
    package func decodeStatusV4(
        _ activationStatus: String, keys: PowerAuthCoreSignatureUnlockKeys
    ) throws(PowerAuthCoreErrorCode) -> SynchronizedStatus {
        let keys = UnlockKeys(keys)
        return try readMutating { machine throws(PowerAuthCoreErrorCode) in
            try machine.decodeStatusV4(activationStatus, keys: keys)
        }
    }

    /// Checks what a server put into a QR code for an approval without a connection.
    /// - Parameter keys: Possession unlock key; needed for a payload for this device only.
    package func verify(
        _ payload: OfflinePayloadV4, keys: PowerAuthCoreSignatureUnlockKeys
    ) throws(PowerAuthCoreErrorCode) {
        let keys = UnlockKeys(keys)
        try read { machine throws(PowerAuthCoreErrorCode) in try machine.verify(payload, keys: keys) }
    }
}

/// End-to-end encryption of protocol 4 (protocol-4.md, sections 6 and 7). While an upgrade is not confirmed, the activation
/// scope is that of its keys.
extension PowerAuthCoreSession {
    /// Prepares a request for a temporary key.
    /// - Parameters:
    ///   - scope: Scope of the key.
    ///   - keys: Possession unlock key; needed for the activation scope only.
    package func temporaryKeyExchangeV4(
        for scope: PowerAuthCoreEciesEncryptorScope, keys: PowerAuthCoreSignatureUnlockKeys?
    ) throws(PowerAuthCoreErrorCode) -> TemporaryKeyExchangeV4 {
        let keys = keys.map(UnlockKeys.init)
        return try read { machine throws(PowerAuthCoreErrorCode) in
            try machine.temporaryKeyExchangeV4(for: scope, keys: keys)
        }
    }

    /// Verifies the server's answer and stores its key.
    /// - Parameters:
    ///   - jws: `jwt` of the response.
    ///   - exchange: The request it answers.
    package func acceptTemporaryKeyV4(
        _ jws: JWS, answering exchange: TemporaryKeyExchangeV4
    ) throws(TemporaryKeyRefusal) -> TemporaryKeyValidity {
        let result = try? readMutating { machine throws(PowerAuthCoreErrorCode) in
            Result { () throws(TemporaryKeyRefusal) in try machine.acceptTemporaryKeyV4(jws, answering: exchange) }
        }
        guard let result else { throw .missingActivation }
        return try result.get()
    }

    /// Identifier of the temporary key of a scope; nil without one.
    package func temporaryKeyIdV4(for scope: PowerAuthCoreEciesEncryptorScope) -> String? {
        inspect { machine in machine.temporaryKeysV4[scope]?.id }
    }

    /// Forgets the temporary key of a scope.
    package func removeTemporaryKeyV4(for scope: PowerAuthCoreEciesEncryptorScope) {
        try? readMutating { machine in machine.removeTemporaryKeyV4(for: scope) }
    }

    /// Makes an encryptor for one request. A later change of the temporary key does not affect it.
    /// - Parameters:
    ///   - purpose: Purpose of the message, from which its scope follows.
    ///   - keys: Possession unlock key; needed for the activation scope only.
    package func requestEncryptorV4(
        for purpose: AeadPurpose, keys: PowerAuthCoreSignatureUnlockKeys?
    ) throws(PowerAuthCoreErrorCode) -> RequestEncryptorV4 {
        let keys = keys.map(UnlockKeys.init)
        let parameters = try read { machine throws(PowerAuthCoreErrorCode) in
            try machine.aeadParameters(for: purpose, keys: keys)
        }
        return RequestEncryptorV4(parameters: parameters, timeService: timeService)
    }
}

/// Factors and vault of protocol 4 (protocol-4.md, sections 12 and 13).
extension PowerAuthCoreSession {
    /// Begins a change of the password; the session changes with its end.
    /// - Parameter password: The new password, 4 to 512 bytes.
    package func passwordChangeV4(
        to password: PowerAuthCorePassword
    ) throws(PowerAuthCoreErrorCode) -> PasswordChangeV4 {
        try read { machine throws(PowerAuthCoreErrorCode) in try machine.passwordChange(to: password) }
    }

    /// Takes the new knowledge key from the server's answer.
    package func finish(
        _ change: PasswordChangeV4, with response: SharedSecretResponse
    ) throws(PowerAuthCoreErrorCode) {
        try write { machine throws(PowerAuthCoreErrorCode) in try machine.finish(change, with: response) }
    }

    /// Begins the addition, or the replacement, of the biometry factor.
    /// - Parameter keys: Biometry unlock key, 16 or 32 bytes.
    package func biometryAdditionV4(
        _ keys: PowerAuthCoreSignatureUnlockKeys
    ) throws(PowerAuthCoreErrorCode) -> BiometryAdditionV4 {
        let keys = UnlockKeys(keys)
        return try read { machine throws(PowerAuthCoreErrorCode) in try machine.biometryAddition(keys) }
    }

    /// Takes the biometry key from the server's answer.
    package func finish(
        _ addition: BiometryAdditionV4, with response: SharedSecretResponse
    ) throws(PowerAuthCoreErrorCode) {
        try write { machine throws(PowerAuthCoreErrorCode) in try machine.finish(addition, with: response) }
    }

    /// Drops the biometry factor after the server has dropped it. Without one it succeeds.
    package func removeBiometryV4() throws(PowerAuthCoreErrorCode) {
        try write { machine throws(PowerAuthCoreErrorCode) in try machine.removeBiometryV4() }
    }

    /// Signs data with one key of the device.
    /// - Parameters:
    ///   - data: Bytes to sign.
    ///   - key: The key; ML-DSA belongs to hybrid suites.
    ///   - vaultKey: `KEK_DEVICE_PRIVATE` from the server.
    package func deviceSignatureV4(
        of data: Data, by key: DeviceKeyV4, vaultKey: Key256<KeyPurpose.DeviceKeyEncryption>
    ) throws(PowerAuthCoreErrorCode) -> Data {
        try read { machine throws(PowerAuthCoreErrorCode) in
            try machine.deviceSignature(of: data, by: key, vaultKey: vaultKey)
        }
    }

    /// Signs a request for a certificate of the device's key on the curve.
    /// - Parameters:
    ///   - request: The names that the certificate is for.
    ///   - vaultKey: `KEK_DEVICE_PRIVATE` from the server.
    /// - Returns: The complete request in DER.
    package func signCertificateRequestV4(
        _ request: CertificateRequest, vaultKey: Key256<KeyPurpose.DeviceKeyEncryption>
    ) throws(PowerAuthCoreErrorCode) -> Data {
        try read { machine throws(PowerAuthCoreErrorCode) in try machine.sign(request, vaultKey: vaultKey) }
    }

    /// Signs data with all keys of the device.
    /// - Parameters:
    ///   - payload: Bytes to sign.
    ///   - vaultKey: `KEK_DEVICE_PRIVATE` from the server.
    package func deviceJWS(
        payload: Data, vaultKey: Key256<KeyPurpose.DeviceKeyEncryption>
    ) throws(PowerAuthCoreErrorCode) -> JWS {
        try read { machine throws(PowerAuthCoreErrorCode) in
            try machine.deviceJWS(payload: payload, vaultKey: vaultKey)
        }
    }
}

/// Upgrade of an activation of version 3.3 (protocol-4.md, section 14).
extension PowerAuthCoreSession {
    /// Whether the server has answered the start of an upgrade that is not confirmed yet.
    package var hasPendingUpgradeV4: Bool { inspect { machine in (try? machine.activated())?.upgrade != nil } }

    /// What an upgrade needs next, also after a lost answer.
    /// - Parameters:
    ///   - currentVersion: Version of the activation on the server, from its status.
    ///   - upgradeVersion: Version that the server offers.
    ///   - isConfirmationPending: Whether the server waits for the confirmation of an upgrade.
    package func upgradeStepV4(
        currentVersion: UInt8, upgradeVersion: UInt8, isConfirmationPending: Bool
    ) throws(PowerAuthCoreErrorCode) -> UpgradeStepV4 {
        try read { machine throws(PowerAuthCoreErrorCode) in
            try machine.upgradeStepV4(
                currentVersion: currentVersion, upgradeVersion: upgradeVersion,
                isConfirmationPending: isConfirmationPending)
        }
    }

    /// Makes the device's keys of protocol 4; the session does not change before the answer.
    /// - Parameter enableBiometry: `true` only for an activation that has a biometry factor.
    package func upgradeExchangeV4(enableBiometry: Bool) throws(PowerAuthCoreErrorCode) -> UpgradeExchangeV4 {
        try read { machine throws(PowerAuthCoreErrorCode) in
            try machine.upgradeExchange(enableBiometry: enableBiometry)
        }
    }

    /// Keeps the keys of the server's answer beside those in use. Save the session before it confirms.
    /// - Parameter keys: Possession unlock key and password, and a biometry unlock key exactly if the request asked for it.
    package func apply(
        _ response: UpgradeStartResponse, of exchange: UpgradeExchangeV4, keys: PowerAuthCoreSignatureUnlockKeys
    ) throws(PowerAuthCoreErrorCode) {
        let keys = UnlockKeys(keys)
        try write { machine throws(PowerAuthCoreErrorCode) in
            try machine.apply(response, of: exchange, keys: keys)
        }
    }

    /// The code of the request that confirms the upgrade.
    /// - Parameters:
    ///   - body: The body as it will be sent.
    ///   - keys: Possession unlock key.
    package func upgradeConfirmationCode(
        body: Data, keys: PowerAuthCoreSignatureUnlockKeys
    ) throws(PowerAuthCoreErrorCode) -> ComputedCode {
        let keys = UnlockKeys(keys)
        return try write { machine throws(PowerAuthCoreErrorCode) in
            try machine.upgradeConfirmationCode(body: body, keys: keys)
        }
    }

    /// Makes the activation one of protocol 4, after the server has confirmed.
    package func finishUpgradeV4() throws(PowerAuthCoreErrorCode) {
        try write { machine throws(PowerAuthCoreErrorCode) in try machine.finishUpgradeV4() }
    }
}
