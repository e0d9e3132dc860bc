// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuthProtocol

/// Signatures of requests and data (protocol.md, sections 9 and 10).
extension PowerAuthCoreSession {
    /// Name of the HTTP header of a signed request, `X-PowerAuth-Authorization`. It is the same for every session.
    public var httpAuthHeaderName: String { SignatureHeader.name }

    /// Normalises the parameters of a GET request for signing: sorted, form-encoded, joined with `&`.
    public static func prepareKeyValueDictionary(forDataSigning dictionary: [String: String]) -> Data? {
        SymmetricSignature.canonicalQuery(dictionary.map { ($0.key, $0.value) })
    }

    /// Signs a request and moves the signature counter by one.
    ///
    /// Save the session before the signature leaves the process. A wrong password or biometry key cannot be recognised
    /// here: the signature is computed, and the server refuses it.
    /// - Parameters:
    ///   - request: Request to sign.
    ///   - keys: Unlock keys of the factors in `factor`.
    ///   - factor: Factors to sign with.
    /// - Returns: `nil`, with the counter unmoved, if the request or a key is unusable or there is no activation.
    public func signHttpRequestData(
        _ request: PowerAuthCoreHTTPRequestData, keys: PowerAuthCoreSignatureUnlockKeys,
        factor: PowerAuthCoreSignatureFactor
    ) -> PowerAuthCoreHTTPRequestDataSignature? {
        let unsigned = UnsignedRequest(request)
        let keys = UnlockKeys(keys)
        return logged { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in
                try machine.sign(unsigned, keys: keys, factor: factor)
            }
        }
    }

    /// Verifies data signed by the server.
    /// - Parameter signedData: Data with an ECDSA signature by the master server key or by the server's key of this
    ///   activation.
    public func verifyServerSignedData(_ signedData: PowerAuthCoreSignedData) -> Bool {
        let (key, format) = (signedData.signingDataKey, signedData.signatureFormat)
        let (data, signature) = (signedData.data, signedData.signature)
        return logged { () throws(PowerAuthCoreErrorCode) in
            try read { machine throws(PowerAuthCoreErrorCode) in
                try machine.verify(signature: signature, of: data, key: key, format: format)
            }
        } != nil
    }

    /// Computes an HMAC over `signedData.data` and stores it in `signedData.signature`.
    /// - Parameters:
    ///   - signedData: Data to sign; its key must be one of the HMAC keys.
    ///   - keys: Possession unlock key; needed for the activation's key only.
    public func signData(
        withHmacKey signedData: PowerAuthCoreSignedData, keys: PowerAuthCoreSignatureUnlockKeys?
    ) -> Bool {
        let (key, data, keys) = (signedData.signingDataKey, signedData.data, keys.map(UnlockKeys.init))
        let signature = logged { () throws(PowerAuthCoreErrorCode) in
            try read { machine throws(PowerAuthCoreErrorCode) in try machine.hmac(of: data, key: key, keys: keys) }
        }
        guard let signature else { return false }
        signedData.signature = signature
        return true
    }
}

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
            sharedInfo1: EciesSharedInfo1(rawValue: sharedInfo1), sharedInfo2: material.sharedInfo2)
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
