// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabHTTP
import PowerAuthProtocol

/// One call of the server.
package struct RestRequest: Sendable {
    package let endpoint: RestEndpoint
    /// The factors that sign, as they were when the request was made; needed by signed endpoints.
    package let authentication: PowerAuthAuthentication?
    /// Asked when the request has its turn, before anything is computed; false ends it without a request.
    package let isStillNeeded: @Sendable () -> Bool
    /// Makes the request object, inside the session task in which the request is encrypted and signed.
    package let object: @Sendable (PowerAuthCoreSession) throws -> [String: Any]

    /// - Parameters:
    ///   - endpoint: the endpoint to ask.
    ///   - authentication: the factors that sign.
    ///   - object: makes the request object; an empty one is not sent.
    ///   - isStillNeeded: asked when the request has its turn.
    package init(
        _ endpoint: RestEndpoint, authentication: PowerAuthAuthentication? = nil,
        object: @escaping @Sendable (PowerAuthCoreSession) throws -> [String: Any] = { _ in [:] },
        isStillNeeded: @escaping @Sendable () -> Bool = { true }
    ) {
        self.endpoint = endpoint
        self.authentication = authentication?.copy()
        self.isStillNeeded = isStillNeeded
        self.object = object
    }
}

/// The answer to a successful call, and what the call was made with. Only a ``LocalStep`` gets to it.
package struct RestResponse: @unchecked Sendable {
    // Safe to share: the dictionary holds only values that the JSON parser made, which are never mutated.

    /// Decoded members; empty when there were none. A member of an unexpected type counts as absent.
    package let object: [String: Any]
    /// False when the request turned out not to be needed; then nothing was sent.
    package let wasSent: Bool
    /// The activation that the request was made with; nil where the answer is for any.
    let basis: ActivationSnapshot?

    init(object: [String: Any], basis: ActivationSnapshot?, wasSent: Bool = true) {
        self.object = object
        self.basis = basis
        self.wasSent = wasSent
    }

    /// Whether a part of the activation's state is another one than the server has answered about.
    package func isOutdated(in core: PowerAuthCoreSession, _ part: ActivationSnapshot.Part) -> Bool {
        basis?.change(until: core.activationSnapshot, of: [part]) != nil
    }

    /// A member that is a text.
    package func string(_ name: String) -> String? { object[name] as? String }

    /// The members as a message of the protocol.
    /// - Throws: ``ProtocolError`` naming the member that is wrong, or `DecodingError` for JSON of another shape.
    package func decode<Message: Decodable>(_ type: Message.Type) throws -> Message {
        try JSONDecoder().decode(type, from: JSONSerialization.data(withJSONObject: object))
    }
}

extension RestRequest {
    /// A message of the protocol as a request object.
    /// - Throws: what the message throws; those of the SDK never do.
    package static func object(_ message: some Encodable) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: JSONEncoder().encode(message)) as? [String: Any] ?? [:]
    }
}

/// One resource of the server's REST interface, with the rules for its requests (sdk.md, section 7.1).
package struct RestEndpoint: Sendable {
    /// How the body of a request is encrypted.
    package struct Encryption: Sendable {
        package let scope: PowerAuthCoreEciesEncryptorScope
        /// Purpose of the encryption, `sharedInfo1`.
        package let sharedInfo: String
        /// Purpose of an encryption of protocol 4; nil for one of protocol 3.
        let purpose: AeadPurpose?
        /// How the server refuses an envelope that it cannot open.
        let refusal: Refusal

        init(scope: PowerAuthCoreEciesEncryptorScope, sharedInfo: String, refusal: Refusal) {
            self.scope = scope
            self.sharedInfo = sharedInfo
            purpose = nil
            self.refusal = refusal
        }

        init(_ purpose: AeadPurpose, refusal: Refusal) {
            scope = purpose.scope
            sharedInfo = purpose.rawValue
            self.purpose = purpose
            self.refusal = refusal
        }

        /// The temporary key that encrypts.
        var key: TemporaryKeyKind { TemporaryKeyKind(scope: scope, isVersion4: purpose != nil) }

        /// Whether an error may be such a refusal.
        func isRefused(by error: NSError) -> Bool {
            guard let answer = error.userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse else {
                return false
            }
            return switch refusal {
            case .code(let code), .anyReason(let code): answer.responseObject?.code == code
            case .wrongSignature: answer.httpStatusCode == 401
            }
        }
    }

    /// How the server refuses an envelope that it cannot open, for instance because it has lost the temporary key
    /// (rest-api.md, section 7.3). It decides whether the request may be repeated with another key.
    enum Refusal: Sendable {
        /// With this code, and before it counts anything: the request may be repeated.
        case code(String)
        /// As it refuses a wrong signature, which it counts: the request is repeated when it was the key.
        case wrongSignature
        /// With a code for all that can be wrong, one-time passwords included, which it counts: the request is not
        /// repeated, and the next one gets another key.
        case anyReason(String)
    }

    /// What authenticates a request.
    package enum Code: Sendable {
        /// A signature of protocol 3.
        case signature
        /// A code of an activation of protocol 4.
        case authenticationCode
        /// The code that confirms an activation of protocol 4.
        case activationConfirmation
        /// The code that confirms the upgrade of an activation to protocol 4.
        case upgradeConfirmation
    }

    /// Path behind the base URL.
    package let path: String
    package var encryption: Encryption?
    /// What ``signatureUriId`` enters.
    package var code = Code.signature
    /// Identifier that enters the signature; nil for requests that are not signed.
    package var signatureUriId: String?
    /// The request has the serial queue for itself, so that signed requests arrive in the order of their counters.
    package var isSerialized: Bool
    /// The request may be made while an upgrade of the protocol is available or pending.
    package var isAllowedDuringUpgrade: Bool
    /// Time must be synchronised before; encrypted requests need that anyway.
    package var needsTime = false
    /// The request makes no sense without the activation it was made for, or makes one: its answer is for that one only.
    package var belongsToActivation: Bool

    init(
        path: String, encryption: Encryption? = nil, isSerialized: Bool = false, needsTime: Bool = false,
        belongsToActivation: Bool = true
    ) {
        self.path = path
        self.belongsToActivation = belongsToActivation
        self.encryption = encryption
        self.isSerialized = isSerialized
        self.needsTime = needsTime
        isAllowedDuringUpgrade = true
    }

    /// A signed request. Those the protocol defines all sign their path without the version.
    init(
        path: String, signedAs uriId: String, by code: Code = .signature, encryption: Encryption? = nil,
        isAllowedDuringUpgrade: Bool = false
    ) {
        self.path = path
        self.code = code
        signatureUriId = uriId
        self.encryption = encryption
        isSerialized = true
        belongsToActivation = true
        self.isAllowedDuringUpgrade = isAllowedDuringUpgrade
    }

    package static let createActivation = RestEndpoint(
        path: "/pa/v3/activation/create",
        encryption: Encryption(
            scope: .application, sharedInfo: "/pa/generic/application", refusal: .anyReason("ERR_ACTIVATION")))
    package static let activationStatus = RestEndpoint(path: "/pa/v3/activation/status", needsTime: true)
    package static let removeActivation = RestEndpoint(
        path: "/pa/v3/activation/remove", signedAs: "/pa/activation/remove")
    package static let startUpgrade = RestEndpoint(
        path: "/pa/v3/upgrade/start",
        encryption: Encryption(scope: .activation, sharedInfo: "/pa/upgrade", refusal: .code("ERR_UPGRADE")),
        isSerialized: true)
    package static let commitUpgrade = RestEndpoint(
        path: "/pa/v3/upgrade/commit", signedAs: "/pa/upgrade/commit", isAllowedDuringUpgrade: true)
    package static let validateSignature = RestEndpoint(
        path: "/pa/v3/signature/validate", signedAs: "/pa/signature/validate")
    package static let unlockVault = RestEndpoint(
        path: "/pa/v3/vault/unlock", signedAs: "/pa/vault/unlock",
        encryption: Encryption(
            scope: .activation, sharedInfo: "/pa/vault/unlock", refusal: .code("ERR_SECURE_VAULT")))
    package static let createToken = RestEndpoint(
        path: "/pa/v3/token/create", signedAs: "/pa/token/create",
        encryption: Encryption(scope: .activation, sharedInfo: "/pa/token/create", refusal: .wrongSignature))
    package static let removeToken = RestEndpoint(path: "/pa/v3/token/remove", signedAs: "/pa/token/remove")
    package static let confirmRecovery = RestEndpoint(
        path: "/pa/v3/recovery/confirm", signedAs: "/pa/recovery/confirm",
        encryption: Encryption(scope: .activation, sharedInfo: "/pa/recovery/confirm", refusal: .wrongSignature))
    package static let userInfo = RestEndpoint(
        path: "/pa/v3/user/info",
        encryption: Encryption(
            scope: .activation, sharedInfo: "/pa/generic/activation", refusal: .code("ERR_ENCRYPTION")))
    package static let serverStatus = RestEndpoint(path: "/pa/v3/status", belongsToActivation: false)
    package static let createTemporaryKey = RestEndpoint(path: "/pa/v3/keystore/create", belongsToActivation: false)
    package static let createTemporaryKeyOfActivation = RestEndpoint(path: createTemporaryKey.path)

    /// Every resource that the SDK asks for.
    package static let all: [RestEndpoint] = [
        createActivation, activationStatus, removeActivation, startUpgrade, commitUpgrade, validateSignature,
        unlockVault, createToken, removeToken, confirmRecovery, userInfo, serverStatus, createTemporaryKey,
        createTemporaryKeyOfActivation,
    ]
}

/// Turns an HTTP response into a response object or one of the documented errors (sdk.md, section 7.3).
struct RestResponseParser: Sendable {
    /// Decrypts the response of an encrypted request; nil for plain ones. Usable once.
    let decryptor: ResponseDecryptor?
    /// Whether an error that is not encrypted is understood in place of an encrypted answer.
    let readsPlainErrors: Bool
    /// The activation that the request was made with; nil where the answer is for any.
    let basis: ActivationSnapshot?

    func parse(_ response: HTTPResponse) throws(NSError) -> RestResponse {
        guard response.status == 200 else { throw .rest(response) }
        guard let decryptor else { return try parsePlain(response) }
        return try parse(response, with: decryptor)
    }

    private func parsePlain(_ response: HTTPResponse) throws(NSError) -> RestResponse {
        let json: Any
        do {
            json = try JSONSerialization.jsonObject(with: response.body)
        } catch {
            throw error as NSError
        }
        guard let body = json as? [String: Any] else { throw Self.unexpectedType }
        guard body["status"] as? String == "OK" else { throw .rest(response) }
        return RestResponse(object: body["responseObject"] as? [String: Any] ?? [:], basis: basis)
    }

    private func parse(
        _ response: HTTPResponse, with decryptor: ResponseDecryptor
    ) throws(NSError) -> RestResponse {
        let body = try object(response.body)
        if readsPlainErrors, body["status"] as? String == "ERROR" { throw .rest(response) }
        guard let plain = try decryptor.decrypt(body) else { throw Self.unexpectedType }
        return RestResponse(object: try object(plain), basis: basis)
    }

    private func object(_ data: Data) throws(NSError) -> [String: Any] {
        guard let json = try? JSONSerialization.jsonObject(with: data) else {
            throw .powerAuth(.networkError, "Cannot deserialize JSON data.")
        }
        guard let object = json as? [String: Any] else { throw Self.unexpectedType }
        return object
    }

    private static var unexpectedType: NSError { .powerAuth(.networkError, "Unexpected type of JSON data.") }
}

extension NSError {
    /// The network error for a response the server marked as failed.
    fileprivate static func rest(_ response: HTTPResponse) -> NSError {
        let body = (try? JSONSerialization.jsonObject(with: response.body)) as? [String: Any] ?? [:]
        return .powerAuth(
            .networkError,
            userInfo: [
                PowerAuthErrorDomain: PowerAuthRestApiErrorResponse(
                    httpStatusCode: UInt(clamping: response.status), body: body),
                PowerAuthErrorInfoKey_AdditionalInfo: body,
                PowerAuthErrorInfoKey_ResponseData: response.body,
            ])
    }
}
