// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// An activation between the server's answer and its completion.
struct PendingActivation: Sendable {
    let exchange: ActivationKeyExchange
    let deviceKey: PrivateKey
    /// The server's key as it was received.
    let encodedServerPublicKey: Data
    let recovery: RecoveryData?
}

/// The server's answer as received; everything is text still.
struct UncheckedKeyExchange: Sendable {
    let activationId: String
    let serverPublicKey: String
    let counterData: String
    let recovery: PowerAuthCoreRecoveryData?
}

/// Key exchange (protocol.md, section 6.2).
extension SessionMachine {
    /// - Parameters:
    ///   - code: Activation code; `nil` for activations without a code.
    ///   - signature: Base64 of the code's signature.
    /// - Returns: Base64 of the device's public key.
    mutating func startActivation(code: ActivationCode?, signature: String?) throws(PowerAuthCoreErrorCode) -> String {
        guard case .empty = state else { throw .wrongState }
        let configuration = configuration
        let deviceKey = try encryptionFailure {
            try ActivationCode.checkForStart(code, signature: signature, masterKey: configuration.masterServerKey())
            return try PrivateKey.generate()
        }
        enter(.waitingForResponse(deviceKey))
        return StrictBase64.encode(deviceKey.publicKey.compressed)
    }

    /// - Returns: The fingerprint.
    mutating func validateActivationResponse(
        _ response: UncheckedKeyExchange
    ) throws(PowerAuthCoreErrorCode) -> String {
        guard case .waitingForResponse(let deviceKey) = state else { throw .wrongState }
        guard !response.activationId.isEmpty, !response.serverPublicKey.isEmpty, !response.counterData.isEmpty else {
            throw .wrongParam
        }
        let recovery = response.recovery.map { try? RecoveryData(recoveryCode: $0.recoveryCode, puk: $0.puk) }
        if case .some(.none) = recovery { throw .wrongParam }
        do {
            let encodedKey = try StrictBase64.decode(response.serverPublicKey, field: "serverPublicKey")
            let exchange = try ActivationKeyExchange(
                deviceKey: deviceKey, activationId: response.activationId, serverPublicKey: encodedKey,
                counterData: StrictBase64.decode(response.counterData, field: "ctrData"))
            enter(
                .waitingForCompletion(
                    PendingActivation(
                        exchange: exchange, deviceKey: deviceKey, encodedServerPublicKey: encodedKey,
                        recovery: recovery ?? nil)))
            return exchange.fingerprint
        } catch {
            reset(full: true)
            throw .encryption
        }
    }

    mutating func completeActivation(_ keys: UnlockKeys) throws(PowerAuthCoreErrorCode) {
        guard case .waitingForCompletion(let pending) = state else { throw .wrongState }
        let salt = Random.nonZeroBytes(UnlockKey.saltSize)
        guard let possessionUnlock = keys.possession, let transportUnlock = keys.transport,
            let knowledgeUnlock = keys.knowledge(salt: salt), !keys.hasBiometryKey || keys.biometry != nil
        else { throw .wrongParam }
        let (exchange, eek) = (pending.exchange, externalEncryptionKey)
        let derived = exchange.keys
        do {
            let record = ActivationRecord(
                counter: .hash(exchange.counter, byte: 0), activationId: exchange.activationId, passwordSalt: salt,
                possessionKey: try FactorKeyProtection.protect(derived.possession, unlockKey: possessionUnlock),
                knowledgeKey: try FactorKeyProtection.protect(
                    derived.knowledge, unlockKey: knowledgeUnlock, externalKey: eek),
                biometryKey: try keys.biometry.map {
                    try FactorKeyProtection.protect(derived.biometry, unlockKey: $0, externalKey: eek)
                },
                transportKey: try FactorKeyProtection.protect(derived.transport, unlockKey: transportUnlock),
                serverPublicKey: pending.encodedServerPublicKey,
                devicePublicKey: pending.deviceKey.publicKey.compressed,
                devicePrivateKey: try Vault.seal(pending.deviceKey, vaultKey: derived.vault),
                recoveryData: try pending.recovery.map { try Vault.seal($0, vaultKey: derived.vault) },
                usesExternalEncryptionKey: eek != nil)
            enter(.activated(record))
        } catch {
            reset(full: true)
            throw .encryption
        }
    }
}
