// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuth2
import PowerAuthCore
import PowerAuthProtocol
public import PowerAuthShared

/// Authenticating the application's requests (protocol-4.md, section 9). The functions block: for the password's key, and
/// where the activation is shared also for other processes.
extension PowerAuthSDK {
    /// Computes the code of a request. It must reach the server before later ones of the same activation.
    /// - Parameters:
    ///   - authentication: the factors.
    ///   - method: `GET`, `POST`, `HEAD`, `PUT`, `DELETE` or `PATCH`.
    ///   - uriId: identifier agreed with the server, not the URL; not empty.
    ///   - body: the body as it will be sent.
    /// - Returns: the header for the request.
    /// - Throws: `missingActivation` without an activation, `wrongParameter` without a factor, `biometryNotAvailable`,
    ///   `biometryCancel` or `biometryFailed` without the biometry key, `signatureError` for unusable parameters or keys.
    ///   A wrong password is not noticed here.
    @discardableResult
    public func requestAuthenticationCode(
        with authentication: PowerAuthAuthentication, method: String, uriId: String, body: Data?
    ) throws -> PowerAuthAuthorizationHttpHeader {
        guard hasVersion4Activation else {
            return try base.requestSignature(with: authentication, method: method, uriId: uriId, body: body)
        }
        let request = PowerAuthCoreHTTPRequestData(method: method, uri: uriId, body: body)
        let code = try base.client.signer.code(for: request, with: authentication)
        // The factory gives nil for a nil value only.
        return PowerAuthAuthorizationHttpHeader.authorizationHeader(withValue: code.headerValue)!
    }

    /// Computes the code of a GET request with its parameters; see
    /// ``requestAuthenticationCode(with:method:uriId:body:)``.
    /// - Parameters:
    ///   - authentication: the factors.
    ///   - uriId: identifier agreed with the server; not empty.
    ///   - params: the parameters of the URL's query.
    @discardableResult
    public func requestGetAuthenticationCode(
        with authentication: PowerAuthAuthentication, uriId: String, params: [String: String]?
    ) throws -> PowerAuthAuthorizationHttpHeader {
        try requestAuthenticationCode(
            with: authentication, method: "GET", uriId: uriId,
            body: PowerAuthCoreSession.prepareKeyValueDictionary(forDataSigning: params ?? [:]))
    }

    /// Computes a code that the user can copy by hand.
    /// - Parameters:
    ///   - authentication: the factors.
    ///   - uriId: identifier agreed with the server; not empty.
    ///   - body: the authenticated data.
    ///   - nonce: Base64 of the 16 bytes given by the server.
    /// - Returns: groups of decimal digits joined by dashes, one a factor.
    /// - Throws: `wrongParameter` without a nonce, otherwise as ``requestAuthenticationCode(with:method:uriId:body:)``.
    @discardableResult
    public func offlineAuthenticationCode(
        with authentication: PowerAuthAuthentication, uriId: String, body: Data?, nonce: String?
    ) throws -> String {
        guard hasVersion4Activation else {
            return try base.offlineSignature(with: authentication, uriId: uriId, body: body, nonce: nonce)
        }
        guard let nonce else { throw NSError.powerAuth(.wrongParameter, "The nonce is missing.") }
        let request = PowerAuthCoreHTTPRequestData(
            method: "POST", uri: uriId, body: body, offlineNonce: nonce,
            offlineSignatureSize: base.configuration.offlineSignatureComponentLength)
        return try base.client.signer.code(for: request, with: authentication).code
    }

    /// Checks what a server put into a QR code for an approval without a connection (protocol-4.md, section 15).
    /// - Parameter offlineData: the whole text of the code.
    /// - Returns: whether the application's master key, or the server of this activation, has authenticated it.
    public func verifyOfflineData(_ offlineData: String) -> Bool {
        guard hasVersion4Activation || makesVersion4 && !hasValidActivation() else {
            guard let payload = try? OfflinePayload(offlineData) else { return false }
            return base.verifyServerSignedData(
                Data(payload.signedText.utf8), signature: payload.signature.base64EncodedString(),
                masterKey: payload.signingKey == .master)
        }
        guard let payload = try? OfflinePayloadV4(offlineData), let keys = try? base.factorKeys.possessionKeys() else {
            return false
        }
        return base.session.readBoolTask { core in (try? core.verify(payload, keys: keys)) != nil }
    }

    /// Runs an operation when no request with a code is on its way. Until it has finished, no other one starts; where the
    /// activation is shared, in no application.
    /// - Parameter operation: the operation; start no request of the SDK in it and wait for it. When the lock that orders
    ///   the applications cannot be taken, it is cancelled and ends without having run.
    /// - Returns: false, with nothing done, without an activation.
    @discardableResult
    public func executeOperation(onSerialQueue operation: Operation) -> Bool {
        base.executeOperation(onSerialQueue: operation)
    }

    /// Runs a block when no request with a code is on its way. No other one starts until the block's task is cancelled:
    /// that is how it reports that it has finished.
    /// - Parameter block: gets its own task; called on a background thread. When the lock that orders the applications
    ///   cannot be taken, the task is cancelled and the block is never called.
    /// - Returns: the same task; nil, with nothing done, without an activation.
    @discardableResult
    public func executeBlock(
        onSerialQueue block: @escaping (any PowerAuthOperationTask) -> Void
    ) -> (any PowerAuthOperationTask)? {
        base.executeBlock(onSerialQueue: block)
    }
}
