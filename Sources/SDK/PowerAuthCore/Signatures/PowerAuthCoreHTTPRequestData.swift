public import Foundation
import PowerAuthProtocol

/// A request that is to be signed (protocol.md, section 9.1). A plain holder. Thread rule: one thread at a time.
public final class PowerAuthCoreHTTPRequestData {
    /// Body as it will be sent; `nil` is the same as empty.
    public var body: Data?
    /// HTTP method in upper case: `GET`, `POST`, `HEAD`, `PUT`, `DELETE` or `PATCH`.
    public var method: String
    /// Identifier of the operation agreed with the server (not the URL); not empty.
    public var uri: String
    /// Base64 of the 16-byte nonce given by the server. Its presence makes the signature an offline one.
    public var offlineNonce: String?
    /// Digits of one component of an offline signature, 4 to 8.
    public var offlineSignatureSize: UInt

    /// Makes the description of a request.
    public init(
        method: String, uri: String, body: Data? = nil, offlineNonce: String? = nil, offlineSignatureSize: UInt = 8
    ) {
        self.method = method
        self.uri = uri
        self.body = body
        self.offlineNonce = offlineNonce
        self.offlineSignatureSize = offlineSignatureSize
    }
}

/// A computed signature of a request. Immutable. Thread rule: any thread.
public final class PowerAuthCoreHTTPRequestDataSignature: Sendable {
    /// Protocol version the signature belongs to, for example `3.3`.
    public let version: String
    /// Identifier of the activation.
    public let activationId: String
    /// Base64 of the application key, or `offline` for an offline signature.
    public let applicationKey: String
    /// Base64 of the 16-byte nonce.
    public let nonce: String
    /// Factors as the header spells them, for example `possession_knowledge`.
    public let factor: String
    /// The signature: Base64, or decimal digits for an offline one.
    public let signature: String
    private let usedCounter: CounterData

    init(
        version: String, activationId: String, applicationKey: String, nonce: String, factor: String,
        signature: String, usedCounter: CounterData
    ) {
        self.version = version
        self.activationId = activationId
        self.applicationKey = applicationKey
        self.nonce = nonce
        self.factor = factor
        self.signature = signature
        self.usedCounter = usedCounter
    }

    /// Identifies the counter value that was used, without revealing it: 16 hexadecimal digits for traces. The prefix
    /// keeps the digest different from the one that makes the next counter.
    package var counterLabel: String {
        Digest.sha256(Data("counter label".utf8) + usedCounter.rawData).prefix(8)
            .map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// Complete value of the `X-PowerAuth-Authorization` header.
    public var authHeaderValue: String {
        PowerAuthHeader.format([
            ("pa_version", version), ("pa_activation_id", activationId), ("pa_application_key", applicationKey),
            ("pa_nonce", nonce), ("pa_signature_type", factor), ("pa_signature", signature),
        ])
    }
}
