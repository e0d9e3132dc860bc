// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Signing the application's requests (sdk.md, section 5.8). The functions block: for the password's key derivation, and
/// where the activation is shared also for other processes.
extension PowerAuthSDK {
    /// Signs a request. The signature must reach the server before later ones of the same activation.
    /// - Parameters:
    ///   - authentication: the factors.
    ///   - method: `GET`, `POST`, `HEAD`, `PUT`, `DELETE` or `PATCH`.
    ///   - uriId: identifier agreed with the server, not the URL; not empty.
    ///   - body: the body as it will be sent.
    /// - Returns: the header for the request.
    /// - Throws: `pendingProtocolUpgrade` during an upgrade of the protocol, `missingActivation` without an activation,
    ///   `wrongParameter` without a factor, `biometryNotAvailable`, `biometryCancel` or `biometryFailed` without the
    ///   biometry key, `signatureError` for unusable parameters or keys. A wrong password is not noticed here.
    @discardableResult
    public func requestSignature(
        with authentication: PowerAuthAuthentication, method: String, uriId: String, body: Data?
    ) throws -> PowerAuthAuthorizationHttpHeader {
        let request = PowerAuthCoreHTTPRequestData(method: method, uri: uriId, body: body)
        let signature = try sign(request, authentication)
        // The factory gives nil for a nil value only.
        return PowerAuthAuthorizationHttpHeader.authorizationHeader(withValue: signature.authHeaderValue)!
    }

    /// Signs a GET request with its parameters; see ``requestSignature(with:method:uriId:body:)``.
    /// - Parameters:
    ///   - authentication: the factors.
    ///   - uriId: identifier agreed with the server; not empty.
    ///   - params: the parameters of the URL's query.
    @discardableResult
    public func requestGetSignature(
        with authentication: PowerAuthAuthentication, uriId: String, params: [String: String]?
    ) throws -> PowerAuthAuthorizationHttpHeader {
        try requestSignature(
            with: authentication, method: "GET", uriId: uriId,
            body: PowerAuthCoreSession.prepareKeyValueDictionary(forDataSigning: params ?? [:]))
    }

    /// Computes a signature that the user can copy by hand.
    /// - Parameters:
    ///   - authentication: the factors.
    ///   - uriId: identifier agreed with the server; not empty.
    ///   - body: the signed data.
    ///   - nonce: Base64 of the 16 bytes given by the server.
    /// - Returns: groups of decimal digits joined by dashes, one a factor.
    /// - Throws: `wrongParameter` without a nonce, otherwise as ``requestSignature(with:method:uriId:body:)``.
    @discardableResult
    public func offlineSignature(
        with authentication: PowerAuthAuthentication, uriId: String, body: Data?, nonce: String?
    ) throws -> String {
        guard let nonce else { throw NSError.powerAuth(.wrongParameter, "The nonce is missing.") }
        let request = PowerAuthCoreHTTPRequestData(
            method: "POST", uri: uriId, body: body, offlineNonce: nonce,
            offlineSignatureSize: configuration.offlineSignatureComponentLength)
        return try sign(request, authentication).signature
    }

    private func sign(
        _ request: PowerAuthCoreHTTPRequestData, _ authentication: PowerAuthAuthentication
    ) throws(NSError) -> PowerAuthCoreHTTPRequestDataSignature {
        if authentication.usage == .persist {
            PowerAuthLog.write("WARNING: An authentication made for persisting is used to sign.")
        }
        return try client.signer.sign(request, with: authentication)
    }

    /// Verifies data signed by the server.
    /// - Parameters:
    ///   - data: the signed bytes.
    ///   - signature: Base64 of the signature (DER).
    ///   - masterKey: true for the application's master key, false for the server's key of the activation.
    public func verifyServerSignedData(_ data: Data, signature: String, masterKey: Bool) -> Bool {
        guard let bytes = Data(base64Encoded: signature) else { return false }
        return session.readBoolTask { core in
            core.verifyServerSignedData(
                PowerAuthCoreSignedData(
                    signingDataKey: masterKey ? .ecdsa_MasterServerKey : .ecdsa_PersonalizedKey, data: data,
                    signature: bytes))
        }
    }
}
