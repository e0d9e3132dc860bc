// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// Decrypts requests with a server's private key, or with an envelope another server derived
/// (protocol.md, section 7.3). Replay and age of a request are the caller's business: protocol.md, section 7.6.
public struct EciesServerDecryptor: Sendable {
    private enum KeySource: Sendable {
        case privateKey(PrivateKey)
        case envelope(EciesEnvelope)
    }

    /// Version, purpose and associated data, from the request's header and body.
    public let parameters: EciesParameters
    private let source: KeySource
    private let sharedInfo2: Data

    /// A server that owns the private key of the scope.
    public init(parameters: EciesParameters, serverPrivateKey: PrivateKey, sharedInfo2: Data) {
        self.parameters = parameters
        source = .privateKey(serverPrivateKey)
        self.sharedInfo2 = sharedInfo2
    }

    /// An integration server that was given the envelope of one exchange.
    public init(parameters: EciesParameters, envelope: EciesEnvelope, sharedInfo2: Data) {
        self.parameters = parameters
        source = .envelope(envelope)
        self.sharedInfo2 = sharedInfo2
    }

    /// The envelope of a request with this ephemeral public key.
    /// - Throws: ``ProtocolError/invalidKey(_:)`` for a key that is not on the curve; missing or unexpected
    ///   temporary key ids (protocol.md, section 22, item 17).
    public func envelope(ephemeralPublicKey: Data) throws -> EciesEnvelope {
        try parameters.requireTemporaryKeyRule()
        switch source {
        case .envelope(let envelope): return envelope
        case .privateKey(let key):
            let peer = try PublicKey(encoded: ephemeralPublicKey, field: "ephemeralPublicKey")
            return try EciesEnvelope(
                secret: key.sharedSecret(with: peer), parameters: parameters, ephemeralPublicKey: ephemeralPublicKey)
        }
    }

    /// Checks and decrypts a request.
    /// - Returns: the plain bytes and the object that encrypts the response, once.
    /// - Throws: the presence and size errors of ``EciesRequest/validate(for:)``,
    ///   ``ProtocolError/invalidKey(_:)``, ``ProtocolError/macMismatch``, ``ProtocolError/decryptionFailed``.
    public func decrypt(_ request: EciesRequest) throws -> (plaintext: Data, encryptor: EciesResponseEncryptor) {
        try request.validate(for: parameters.version)
        guard request.temporaryKeyId == parameters.temporaryKeyId else {
            throw ProtocolError.invalidFormat(field: "temporaryKeyId", reason: "it names another key")
        }
        let envelope = try envelope(ephemeralPublicKey: request.ephemeralPublicKey)
        let suffix = parameters.macSuffix(
            sharedInfo2: sharedInfo2, nonce: request.nonce, timestamp: request.timestamp,
            ephemeralPublicKey: request.ephemeralPublicKey)
        let plaintext = try envelope.open(
            request.encryptedData, mac: request.mac, nonce: request.nonce, macSuffix: suffix)
        let encryptor = EciesResponseEncryptor(
            parameters: parameters, sharedInfo2: sharedInfo2, envelope: envelope, requestNonce: request.nonce)
        return (plaintext, encryptor)
    }
}

/// Encrypts the one response of a request and then refuses.
///
/// Thread rule: usable from any thread; of several concurrent calls one gets the key.
public final class EciesResponseEncryptor: Sendable {
    /// Version, purpose and associated data of the exchange.
    public let parameters: EciesParameters
    private let sharedInfo2: Data
    private let requestNonce: Data?
    private let envelope: Mutex<EciesEnvelope?>

    init(parameters: EciesParameters, sharedInfo2: Data, envelope: EciesEnvelope, requestNonce: Data?) {
        self.parameters = parameters
        self.sharedInfo2 = sharedInfo2
        self.requestNonce = requestNonce
        self.envelope = Mutex(envelope)
    }

    /// Whether the response was not encrypted yet.
    public var canEncrypt: Bool { envelope.withLock { $0 != nil } }

    /// Encrypts the response.
    /// - Parameter timestamp: server time in milliseconds; required from 3.2 on, not used before.
    /// - Throws: ``ProtocolError/wrongState(_:)`` on a second call, ``ProtocolError/missing(field:)`` without
    ///   a timestamp where the version requires it.
    public func encrypt(_ plaintext: Data, timestamp: UInt64? = nil) throws -> EciesResponse {
        var nonce = Random.nonZeroBytes(16)
        // Cannot happen with a sound generator; the protocol asks for the comparison
        // (protocol.md, section 22, item 22).
        while nonce == requestNonce { nonce = Random.nonZeroBytes(16) }
        return try encrypt(plaintext, timestamp: timestamp, nonce: nonce)
    }

    /// The same with a given nonce, which must never be used for a second message.
    package func encrypt(_ plaintext: Data, timestamp: UInt64?, nonce: Data) throws -> EciesResponse {
        let version = parameters.version
        guard timestamp != nil || !version.usesTimestamp else { throw ProtocolError.missing(field: "timestamp") }
        let key = envelope.withLock { envelope in
            defer { envelope = nil }
            return envelope
        }
        guard let key else {
            throw ProtocolError.wrongState("a response can be encrypted once; decrypt a new request first")
        }
        let timestamp = version.usesTimestamp ? timestamp : nil
        let nonce = version.usesResponseNonce ? nonce : nil
        let suffix = parameters.macSuffix(
            sharedInfo2: sharedInfo2, nonce: nonce, timestamp: timestamp, ephemeralPublicKey: nil)
        let sealed = try key.seal(plaintext, nonce: nonce ?? requestNonce, macSuffix: suffix)
        return EciesResponse(encryptedData: sealed.encryptedData, mac: sealed.mac, nonce: nonce, timestamp: timestamp)
    }
}
