// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// Encrypts requests for a server key (protocol.md, section 7.3). Every call makes a new ephemeral key.
///
/// Thread rule: a value; any number of threads may encrypt with copies of it at the same time.
public struct EciesClientEncryptor: Sendable {
    /// Version, purpose and associated data.
    public let parameters: EciesParameters
    private let serverPublicKey: PublicKey
    private let sharedInfo2: Data

    /// Takes what the exchange is about.
    /// - Parameters:
    ///   - serverPublicKey: the scope's server or temporary key.
    ///   - sharedInfo2: the scope's `S2base`, see ``SharedInfo2``.
    public init(parameters: EciesParameters, serverPublicKey: PublicKey, sharedInfo2: Data) {
        self.parameters = parameters
        self.serverPublicKey = serverPublicKey
        self.sharedInfo2 = sharedInfo2
    }

    /// Encrypts one request.
    /// - Parameters:
    ///   - plaintext: any bytes, also none.
    ///   - timestamp: synchronised server time in milliseconds; required from 3.2 on, not used before.
    /// - Returns: the request and the object that decrypts its response, once.
    /// - Throws: ``ProtocolError/missing(field:)`` without a timestamp or temporary key id where the version
    ///   requires it, ``ProtocolError/unexpected(field:)`` for a key id in an older version.
    public func encrypt(
        _ plaintext: Data, timestamp: UInt64? = nil
    ) throws -> (request: EciesRequest, decryptor: EciesResponseDecryptor) {
        try encrypt(plaintext, timestamp: timestamp, ephemeralKey: .generate(), nonce: Random.nonZeroBytes(16))
    }

    /// The same with a given ephemeral key and nonce, which must never be used for a second message.
    package func encrypt(
        _ plaintext: Data, timestamp: UInt64?, ephemeralKey: PrivateKey, nonce: Data
    ) throws -> (request: EciesRequest, decryptor: EciesResponseDecryptor) {
        let version = parameters.version
        try parameters.requireTemporaryKeyRule()
        guard timestamp != nil || !version.usesTimestamp else { throw ProtocolError.missing(field: "timestamp") }
        let timestamp = version.usesTimestamp ? timestamp : nil
        let nonce = version.usesRequestNonce ? nonce : nil
        let ephemeralPublicKey = ephemeralKey.publicKey.compressed
        let envelope = try EciesEnvelope(
            secret: ephemeralKey.sharedSecret(with: serverPublicKey), parameters: parameters,
            ephemeralPublicKey: ephemeralPublicKey)
        let suffix = parameters.macSuffix(
            sharedInfo2: sharedInfo2, nonce: nonce, timestamp: timestamp, ephemeralPublicKey: ephemeralPublicKey)
        let sealed = try envelope.seal(plaintext, nonce: nonce, macSuffix: suffix)
        let request = EciesRequest(
            temporaryKeyId: parameters.temporaryKeyId, ephemeralPublicKey: ephemeralPublicKey,
            encryptedData: sealed.encryptedData, mac: sealed.mac, nonce: nonce, timestamp: timestamp)
        let decryptor = EciesResponseDecryptor(
            parameters: parameters, sharedInfo2: sharedInfo2, envelope: envelope, requestNonce: nonce,
            requestTimestamp: timestamp)
        return (request, decryptor)
    }
}

/// Decrypts the one response of a request. The envelope key is wiped after the first call, successful or not.
///
/// Thread rule: usable from any thread; of several concurrent calls one gets the key.
public final class EciesResponseDecryptor: Sendable {
    /// Version, purpose and associated data of the exchange.
    public let parameters: EciesParameters
    private let sharedInfo2: Data
    private let requestNonce: Data?
    private let requestTimestamp: UInt64?
    private let envelope: Mutex<EciesEnvelope?>

    package init(
        parameters: EciesParameters, sharedInfo2: Data, envelope: EciesEnvelope, requestNonce: Data?,
        requestTimestamp: UInt64? = nil
    ) {
        self.requestTimestamp = requestTimestamp
        self.parameters = parameters
        self.sharedInfo2 = sharedInfo2
        self.requestNonce = requestNonce
        self.envelope = Mutex(envelope)
    }

    /// Whether the key is still there.
    public var canDecrypt: Bool { envelope.withLock { $0 != nil } }

    /// Checks and decrypts the response.
    /// - Parameter currentTime: synchronised time in milliseconds, when it is known. The response must then have been
    ///   made between the request and now, with a minute of tolerance at both ends (protocol.md, section 22, item 11).
    /// - Throws: ``ProtocolError/wrongState(_:)`` on a second call, the presence and size errors of
    ///   ``EciesResponse/validate(for:)``, ``ProtocolError/macMismatch``, ``ProtocolError/decryptionFailed``,
    ///   ``ProtocolError/invalidFormat(field:reason:)`` for a timestamp out of range.
    public func decrypt(_ response: EciesResponse, currentTime: UInt64? = nil) throws -> Data {
        let key = envelope.withLock { envelope in
            defer { envelope = nil }
            return envelope
        }
        guard let key else {
            throw ProtocolError.wrongState("a response can be decrypted once; encrypt a new request first")
        }
        try response.validate(for: parameters.version)
        let suffix = parameters.macSuffix(
            sharedInfo2: sharedInfo2, nonce: response.nonce, timestamp: response.timestamp, ephemeralPublicKey: nil)
        // Version 3.1 has no nonce in the response and uses the request's vector again.
        let plaintext = try key.open(
            response.encryptedData, mac: response.mac, nonce: response.nonce ?? requestNonce, macSuffix: suffix)
        try requireFreshness(response.timestamp, currentTime)
        return plaintext
    }

    private func requireFreshness(_ timestamp: UInt64?, _ currentTime: UInt64?) throws {
        guard let timestamp, let requestTimestamp, let currentTime else { return }
        let window = FreshnessWindow.ecies
        // However late an answer is read: it was made after its request.
        guard window.verdict(timestamp: timestamp, now: requestTimestamp) != .tooOld,
            window.verdict(timestamp: timestamp, now: max(currentTime, requestTimestamp)) != .tooFarAhead
        else {
            throw ProtocolError.invalidFormat(
                field: "timestamp", reason: "the response was not made between the request and now")
        }
    }
}
