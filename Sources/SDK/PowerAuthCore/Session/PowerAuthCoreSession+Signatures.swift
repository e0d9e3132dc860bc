public import Foundation
import PowerAuthProtocol

/// Signatures of requests and data (protocol.md, sections 9 and 10).
extension PowerAuthCoreSession {
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
            try read { machine throws(PowerAuthCoreErrorCode) in
                try machine.hmac(of: data, key: key, keys: keys)
            }
        }
        guard let signature else { return false }
        signedData.signature = signature
        return true
    }
}
