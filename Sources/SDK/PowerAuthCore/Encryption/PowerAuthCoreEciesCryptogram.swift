// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import PowerAuthProtocol

/// An encrypted request or response (protocol.md, section 7.4). A plain holder. Thread rule: one thread at a time.
public final class PowerAuthCoreEciesCryptogram {
    /// Encrypted bytes.
    public var body: Data?
    /// Authentication code, 32 bytes.
    public var mac: Data?
    /// Ephemeral public key of a request, 33 bytes.
    public var key: Data?
    /// Nonce, 16 bytes.
    public var nonce: Data?
    /// Milliseconds since 1970; 0 if unknown.
    public var timestamp: UInt64 = 0
    /// Identifier of the server's temporary key.
    public var temporaryKeyId: String?

    /// Makes an empty cryptogram.
    public init() {}

    /// Takes a response over from decoded JSON.
    /// - Parameter responsePayload: A dictionary with `encryptedData`, `mac`, `nonce` and `timestamp`; members of another
    ///   type are ignored.
    /// - Returns: `nil` if the payload is not a dictionary.
    public init?(responsePayload: Any) {
        guard let payload = responsePayload as? [String: Any] else { return nil }
        bodyBase64 = payload["encryptedData"] as? String
        macBase64 = payload["mac"] as? String
        nonceBase64 = payload["nonce"] as? String
        timestamp = (payload["timestamp"] as? NSNumber)?.uint64Value ?? 0
    }

    /// The cryptogram as a dictionary ready for `JSONSerialization`: members that are set, and always the timestamp.
    public func requestPayload() -> [AnyHashable: Any] {
        var payload: [AnyHashable: Any] = ["timestamp": NSNumber(value: timestamp)]
        payload["temporaryKeyId"] = temporaryKeyId
        payload["ephemeralPublicKey"] = keyBase64
        payload["encryptedData"] = bodyBase64
        payload["nonce"] = nonceBase64
        payload["mac"] = macBase64
        return payload
    }

    /// Takes a response over from the message that carried it.
    package convenience init(_ response: EciesResponse) {
        self.init()
        (body, mac, nonce) = (response.encryptedData, response.mac, response.nonce)
        timestamp = response.timestamp ?? 0
    }

    /// The request for the message that carries it; `nil` while the cryptogram is incomplete.
    package var request: EciesRequest? {
        guard let body, let mac, let key else { return nil }
        return EciesRequest(
            temporaryKeyId: temporaryKeyId, ephemeralPublicKey: key, encryptedData: body, mac: mac, nonce: nonce,
            timestamp: timestamp)
    }

    /// ``body`` as Base64.
    public var bodyBase64: String? {
        get { body?.base64EncodedString() }
        set { body = newValue.flatMap { Data(base64Encoded: $0) } }
    }

    /// ``mac`` as Base64.
    public var macBase64: String? {
        get { mac?.base64EncodedString() }
        set { mac = newValue.flatMap { Data(base64Encoded: $0) } }
    }

    /// ``key`` as Base64.
    public var keyBase64: String? {
        get { key?.base64EncodedString() }
        set { key = newValue.flatMap { Data(base64Encoded: $0) } }
    }

    /// ``nonce`` as Base64.
    public var nonceBase64: String? {
        get { nonce?.base64EncodedString() }
        set { nonce = newValue.flatMap { Data(base64Encoded: $0) } }
    }
}

/// Facts that are authenticated together with an encrypted message and sent in its HTTP header (protocol.md, sections
/// 7.2 and 7.5). Immutable. Thread rule: any thread.
public final class PowerAuthCoreEciesMetaData: Sendable {
    /// Base64 of the application key.
    public let applicationKey: String
    /// Identifier of the temporary key of the server; empty for protocols without one.
    public let temporaryKeyId: String
    /// Identifier of the activation; `nil` for the application scope.
    public let activationIdentifier: String?

    /// Protocol that the message is encrypted by.
    let version: ProtocolVersion

    /// Makes the meta data for the newest protocol.
    public convenience init(applicationKey: String, temporaryKeyId: String, activationIdentifier: String?) {
        self.init(
            version: PowerAuthCoreSession.supportedVersion, applicationKey: applicationKey,
            temporaryKeyId: temporaryKeyId, activationIdentifier: activationIdentifier)
    }

    /// Makes the meta data as the SDK 1.7 did: without a temporary key, for the protocol 3.1. The public key to encrypt
    /// with is then the master server key, or the server's key of the activation.
    public convenience init(applicationKey: String, activationIdentifier: String?) {
        self.init(
            version: .v3_1, applicationKey: applicationKey, temporaryKeyId: "",
            activationIdentifier: activationIdentifier)
    }

    init(version: ProtocolVersion, applicationKey: String, temporaryKeyId: String, activationIdentifier: String?) {
        self.version = version
        self.applicationKey = applicationKey
        self.temporaryKeyId = temporaryKeyId
        self.activationIdentifier = activationIdentifier
    }

    /// Name of the HTTP header, `X-PowerAuth-Encryption`.
    public var httpHeaderKey: String { "X-PowerAuth-Encryption" }

    /// Value of the HTTP header. A request that is signed too must carry the signature's header instead.
    public var httpHeaderValue: String {
        var pairs = [("version", version.rawValue), ("application_key", applicationKey)]
        if let activationIdentifier { pairs.append(("activation_id", activationIdentifier)) }
        return PowerAuthHeader.format(pairs)
    }
}

/// The scope of an encrypted request.
public enum PowerAuthCoreEciesEncryptorScope: Int, Sendable {
    /// The application; no activation is needed.
    case application = 0
    /// One activation.
    case activation = 1
}
