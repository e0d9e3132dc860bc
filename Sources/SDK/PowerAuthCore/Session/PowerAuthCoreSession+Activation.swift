// SPDX-License-Identifier: Apache-2.0

/// Key exchange (protocol.md, sections 6 and 16.2).
extension PowerAuthCoreSession {
    /// Starts an activation: checks the code and makes a key pair for the device.
    /// - Returns: `nil` if there is an activation already, or if the code, its signature or the master key is unusable.
    public func startActivation(_ param: PowerAuthCoreActivationStep1Param) -> PowerAuthCoreActivationStep1Result? {
        let code = param.activationCode
        return logged { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in
                try machine.startActivation(code: code?.code, signature: code?.activationSignature)
            }
        }.map(PowerAuthCoreActivationStep1Result.init)
    }

    /// Checks the server's answer and computes the shared secret.
    /// - Returns: `nil` if the answer is unusable. Missing or malformed parameters leave the activation pending; unusable
    ///   keys end it.
    public func validateActivationResponse(
        _ param: PowerAuthCoreActivationStep2Param
    ) -> PowerAuthCoreActivationStep2Result? {
        let response = UncheckedKeyExchange(
            activationId: param.activationId, serverPublicKey: param.serverPublicKey, counterData: param.ctrData,
            recovery: param.activationRecovery)
        return logged { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in try machine.validateActivationResponse(response) }
        }.map(PowerAuthCoreActivationStep2Result.init)
    }

    /// Completes the activation: locks the factor keys with the unlock keys and forgets everything else.
    /// - Parameter keys: Possession unlock key and password; a biometry unlock key adds the biometry factor.
    /// - Returns: `false` if there is nothing to complete or a key is unusable; the latter may be retried.
    public func completeActivation(_ keys: PowerAuthCoreSignatureUnlockKeys) -> Bool {
        let keys = UnlockKeys(keys)
        return logged { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in try machine.completeActivation(keys) }
        } != nil
    }

    /// Decrypts a status and synchronises the signature counter with it (protocol.md, section 12).
    /// - Parameter keys: Possession unlock key.
    /// - Returns: `nil` without a valid activation, or if the status cannot be decoded. If
    ///   ``PowerAuthCoreActivationStatus/needsSerializeSessionState`` is `true`, save the session.
    public func decodeActivationStatus(
        _ encryptedStatus: PowerAuthCoreEncryptedActivationStatus, keys: PowerAuthCoreSignatureUnlockKeys
    ) -> PowerAuthCoreActivationStatus? {
        let keys = UnlockKeys(keys)
        let (challenge, blob, nonce) = (
            encryptedStatus.challenge, encryptedStatus.encryptedStatusBlob, encryptedStatus.nonce
        )
        return logged { () throws(PowerAuthCoreErrorCode) in
            try readMutating { machine throws(PowerAuthCoreErrorCode) in
                try machine.decodeStatus(challenge: challenge, encryptedBlob: blob, nonce: nonce, keys: keys)
            }
        }
    }

    /// `true` if recovery data came with the activation.
    public var hasActivationRecoveryData: Bool { (try? read { machine in machine.hasRecoveryData }) ?? false }

    /// Decrypts the recovery data.
    /// - Parameters:
    ///   - vaultKey: Base64 of the encrypted vault key from the server.
    ///   - keys: Possession unlock key.
    public func activationRecoveryData(
        _ vaultKey: String, keys: PowerAuthCoreSignatureUnlockKeys
    ) -> PowerAuthCoreRecoveryData? {
        let keys = UnlockKeys(keys)
        return logged { () throws(PowerAuthCoreErrorCode) in
            try read { machine throws(PowerAuthCoreErrorCode) in
                try machine.recoveryData(vaultKey: vaultKey, keys: keys)
            }
        }
    }

    // MARK: Protocol upgrade

    /// Version the running protocol upgrade leads to; ``PowerAuthCoreProtocolVersion/NA`` if none is running.
    public var pendingProtocolUpgradeVersion: PowerAuthCoreProtocolVersion {
        (try? read { machine in machine.pendingUpgradeVersion }) ?? .NA
    }

    /// Begins the upgrade of an activation of the older protocol (protocol.md, section 15).
    public func startProtocolUpgrade() -> Bool {
        logged { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in try machine.startProtocolUpgrade() }
        } != nil
    }

    /// Takes the server's initial counter data over; the activation uses the newer protocol from now on.
    /// - Parameter ctrData: Base64 of 16 bytes.
    public func applyProtocolUpgradeData(_ ctrData: String) -> Bool {
        logged { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in
                try machine.applyProtocolUpgrade(counterData: ctrData)
            }
        } != nil
    }

    /// Ends the upgrade.
    public func finishProtocolUpgrade() -> Bool {
        logged { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in try machine.finishProtocolUpgrade() }
        } != nil
    }
}
