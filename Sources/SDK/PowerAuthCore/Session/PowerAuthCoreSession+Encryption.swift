import PowerAuthProtocol

/// End-to-end encryption (protocol.md, sections 7 and 8).
extension PowerAuthCoreSession {
    /// Makes an encryptor with the temporary key of a scope. A later change of the key does not affect it.
    /// - Parameters:
    ///   - scope: The scope of the messages.
    ///   - keys: Possession unlock key; needed for the activation scope only.
    ///   - sharedInfo1: Purpose of the encryption, for example `/pa/generic/application`.
    /// - Returns: `nil` if the scope has no temporary key, or without an activation in the activation scope.
    public func eciesEncryptor(
        for scope: PowerAuthCoreEciesEncryptorScope, keys: PowerAuthCoreSignatureUnlockKeys?, sharedInfo1: String
    ) -> PowerAuthCoreEciesEncryptor? {
        let keys = keys.map(UnlockKeys.init)
        let material = logged { () throws(PowerAuthCoreErrorCode) in
            try read { machine throws(PowerAuthCoreErrorCode) in
                try machine.encryptionMaterial(for: scope, keys: keys)
            }
        }
        guard let material else { return nil }
        let encryptor = PowerAuthCoreEciesEncryptor(
            timeService: timeService, publicKey: material.publicKey,
            sharedInfo1: EciesSharedInfo1(rawValue: sharedInfo1),
            sharedInfo2: material.sharedInfo2)
        encryptor.associatedMetaData = PowerAuthCoreEciesMetaData(
            applicationKey: applicationKey, temporaryKeyId: material.temporaryKeyId,
            activationIdentifier: material.activationId)
        return encryptor
    }

    /// Stores the server's temporary key of a scope. Whether it is a point of the curve is checked when it is used.
    /// - Parameters:
    ///   - scope: Scope of the key; the activation scope needs an activation.
    ///   - publicKey: Base64 of the key.
    ///   - publicKeyId: Identifier of the key, not empty.
    @discardableResult
    public func setPublicKey(
        forEciesScope scope: PowerAuthCoreEciesEncryptorScope, publicKey: String, publicKeyId: String
    ) -> Bool {
        logged { () throws(PowerAuthCoreErrorCode) in
            try readMutating { machine throws(PowerAuthCoreErrorCode) in
                try machine.setTemporaryKey(publicKey, id: publicKeyId, for: scope)
            }
        } != nil
    }

    /// Forgets the temporary key of a scope.
    public func removePublicKey(forEciesScope scope: PowerAuthCoreEciesEncryptorScope) {
        _ = logged { () throws(PowerAuthCoreErrorCode) in
            try readMutating { machine throws(PowerAuthCoreErrorCode) in machine.removeTemporaryKey(for: scope) }
        }
    }

    /// Whether a temporary key of a scope is stored.
    public func hasPublicKey(forEciesScope scope: PowerAuthCoreEciesEncryptorScope) -> Bool {
        publicKeyId(forEciesScope: scope) != nil
    }

    /// Identifier of the temporary key of a scope.
    public func publicKeyId(forEciesScope scope: PowerAuthCoreEciesEncryptorScope) -> String? {
        (try? read { machine in machine.temporaryKeys[scope]?.id }) ?? nil
    }
}
