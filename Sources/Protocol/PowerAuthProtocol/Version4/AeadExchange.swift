// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// An encrypted request of protocol 4 as its JSON carries it (protocol-4.md, section 7).
public struct AeadRequest: Sendable, Equatable {
    /// Id of the temporary key the message is encrypted for.
    public var temporaryKeyId: String
    /// Nonce, tag, cipher text.
    public var encryptedData: Data
    /// The nonces of request and response, 12 bytes each.
    public var nonce: Data
    /// Milliseconds since 1970.
    public var timestamp: UInt64

    /// Takes the members as they are.
    public init(temporaryKeyId: String, encryptedData: Data, nonce: Data, timestamp: UInt64) {
        self.temporaryKeyId = temporaryKeyId
        self.encryptedData = encryptedData
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// The value a server remembers to refuse a second arrival of the same message.
    public var replayValue: String { "\(temporaryKeyId):\(StrictBase64.encode(nonce))" }

    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)``, or
    ///   ``ProtocolError/invalidFormat(field:reason:)`` for one nonce twice.
    func requireNonces() throws {
        guard nonce.count == AeadParameters.noncesSize else {
            throw ProtocolError.invalidLength(
                field: "nonce", expected: "\(AeadParameters.noncesSize) bytes", actual: nonce.count)
        }
        guard nonce.prefix(AEAD.nonceSize) != nonce.suffix(AEAD.nonceSize) else {
            throw ProtocolError.invalidFormat(field: "nonce", reason: "request and response have the same one")
        }
    }
}

/// An encrypted response of protocol 4 as its JSON carries it (protocol-4.md, section 7).
public struct AeadResponse: Sendable, Equatable {
    /// Nonce, tag, cipher text.
    public var encryptedData: Data
    /// Milliseconds since 1970.
    public var timestamp: UInt64

    /// Takes the members as they are.
    public init(encryptedData: Data, timestamp: UInt64) {
        self.encryptedData = encryptedData
        self.timestamp = timestamp
    }
}

/// Encrypts requests under a temporary key of protocol 4 (protocol-4.md, section 7).
///
/// Thread rule: a value; any number of threads may encrypt with copies of it at the same time.
public struct AeadClientEncryptor: Sendable {
    /// Purpose, scope and temporary key.
    public let parameters: AeadParameters

    /// Takes what the exchange is about.
    public init(parameters: AeadParameters) { self.parameters = parameters }

    /// Encrypts one request.
    /// - Parameters:
    ///   - plaintext: any bytes, also none.
    ///   - timestamp: synchronised server time in milliseconds.
    /// - Returns: the request and the object that decrypts its response, once.
    /// - Throws: never in practice; the nonces that are drawn have their size.
    public func encrypt(
        _ plaintext: Data, timestamp: UInt64
    ) throws -> (request: AeadRequest, decryptor: AeadResponseDecryptor) {
        var nonces = Random.nonZeroBytes(AeadParameters.noncesSize)
        while nonces.prefix(AEAD.nonceSize) == nonces.suffix(AEAD.nonceSize) {
            nonces = Random.nonZeroBytes(AeadParameters.noncesSize)
        }
        return try encrypt(plaintext, timestamp: timestamp, nonces: nonces)
    }

    /// The same with given nonces, which must never be used for a second message.
    package func encrypt(
        _ plaintext: Data, timestamp: UInt64, nonces: Data
    ) throws -> (request: AeadRequest, decryptor: AeadResponseDecryptor) {
        let sealed = try AEAD.seal(
            plaintext, key: parameters.secret, keyContext: parameters.keyContext(nonces: nonces),
            associatedData: parameters.associatedData(nonces: nonces, timestamp: timestamp),
            nonce: nonces.prefix(AEAD.nonceSize))
        let request = AeadRequest(
            temporaryKeyId: parameters.temporaryKeyId, encryptedData: sealed, nonce: nonces, timestamp: timestamp)
        try request.requireNonces()
        return (request, AeadResponseDecryptor(parameters: parameters, nonces: nonces, requestTimestamp: timestamp))
    }
}

/// Decrypts the one response of a request. The key is dropped after the first call, successful or not.
///
/// Thread rule: usable from any thread; of several concurrent calls one gets the key.
public final class AeadResponseDecryptor: Sendable {
    private let parameters: Mutex<AeadParameters?>
    private let nonces: Data
    private let requestTimestamp: UInt64

    init(parameters: AeadParameters, nonces: Data, requestTimestamp: UInt64) {
        self.parameters = Mutex(parameters)
        self.nonces = nonces
        self.requestTimestamp = requestTimestamp
    }

    /// Whether the key is still there.
    public var canDecrypt: Bool { parameters.withLock { $0 != nil } }

    /// Checks and decrypts the response.
    /// - Parameter currentTime: synchronised time in milliseconds, when it is known. The response must then have been
    ///   made between the request and now, with the window's tolerance at both ends.
    /// - Throws: ``ProtocolError/wrongState(_:)`` on a second call, ``ProtocolError/macMismatch``,
    ///   ``ProtocolError/invalidLength(field:expected:actual:)``, ``ProtocolError/invalidFormat(field:reason:)`` for
    ///   another nonce or a timestamp out of range.
    public func decrypt(_ response: AeadResponse, currentTime: UInt64? = nil) throws -> Data {
        let parameters = parameters.withLock { parameters in
            defer { parameters = nil }
            return parameters
        }
        guard let parameters else {
            throw ProtocolError.wrongState("a response can be decrypted once; encrypt a new request first")
        }
        let plaintext = try AEAD.open(
            response.encryptedData, key: parameters.secret, keyContext: parameters.keyContext(nonces: nonces),
            associatedData: parameters.associatedData(nonces: nonces, timestamp: response.timestamp))
        try AeadExchange.requireNonce(of: response.encryptedData, nonces.suffix(AEAD.nonceSize))
        if let currentTime {
            let window = FreshnessWindow.aead
            // However late an answer is read: it was made after its request.
            guard window.verdict(timestamp: response.timestamp, now: requestTimestamp) != .tooOld,
                window.verdict(timestamp: response.timestamp, now: max(currentTime, requestTimestamp)) != .tooFarAhead
            else {
                throw ProtocolError.invalidFormat(
                    field: "timestamp", reason: "the response was not made between the request and now")
            }
        }
        return plaintext
    }
}

/// Decrypts requests and encrypts their responses, as the server does. The caller checks the age of a message and refuses
/// replays: ``FreshnessWindow/aead`` and ``AeadRequest/replayValue``.
public struct AeadServerDecryptor: Sendable {
    private let parameters: AeadParameters

    /// Takes what the exchange is about.
    public init(parameters: AeadParameters) { self.parameters = parameters }

    /// Checks and decrypts a request.
    /// - Returns: the bytes, and the object that encrypts the response, once.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for another temporary key or unusable nonces,
    ///   ``ProtocolError/invalidLength(field:expected:actual:)``, ``ProtocolError/macMismatch``.
    public func decrypt(_ request: AeadRequest) throws -> (plaintext: Data, encryptor: AeadResponseEncryptor) {
        guard request.temporaryKeyId == parameters.temporaryKeyId else {
            throw ProtocolError.invalidFormat(field: "temporaryKeyId", reason: "it is not the key of this exchange")
        }
        try request.requireNonces()
        let plaintext = try AEAD.open(
            request.encryptedData, key: parameters.secret, keyContext: parameters.keyContext(nonces: request.nonce),
            associatedData: parameters.associatedData(nonces: request.nonce, timestamp: request.timestamp))
        try AeadExchange.requireNonce(of: request.encryptedData, request.nonce.prefix(AEAD.nonceSize))
        return (plaintext, AeadResponseEncryptor(parameters: parameters, nonces: request.nonce))
    }
}

/// Encrypts the one response of a request and then refuses: the nonce of the response comes from the request, and a second
/// message under it would reveal both.
///
/// Thread rule: usable from any thread; of several concurrent calls one gets the key.
public final class AeadResponseEncryptor: Sendable {
    private let parameters: Mutex<AeadParameters?>
    private let nonces: Data

    init(parameters: AeadParameters, nonces: Data) {
        self.parameters = Mutex(parameters)
        self.nonces = nonces
    }

    /// Whether the response was not encrypted yet.
    public var canEncrypt: Bool { parameters.withLock { $0 != nil } }

    /// Encrypts the response.
    /// - Parameter timestamp: the server's time in milliseconds.
    /// - Throws: ``ProtocolError/wrongState(_:)`` on a second call.
    public func encrypt(_ plaintext: Data, timestamp: UInt64) throws -> AeadResponse {
        let parameters = parameters.withLock { parameters in
            defer { parameters = nil }
            return parameters
        }
        guard let parameters else {
            throw ProtocolError.wrongState("a response can be encrypted once; decrypt a new request first")
        }
        return AeadResponse(
            encryptedData: try AEAD.seal(
                plaintext, key: parameters.secret, keyContext: parameters.keyContext(nonces: nonces),
                associatedData: parameters.associatedData(nonces: nonces, timestamp: timestamp),
                nonce: nonces.suffix(AEAD.nonceSize)),
            timestamp: timestamp)
    }
}

private enum AeadExchange {
    /// The nonce that a cipher text begins with must be the one of its direction, or one side could answer with the
    /// other's message.
    static func requireNonce(of encryptedData: Data, _ expected: Data) throws {
        guard encryptedData.prefix(AEAD.nonceSize) == expected else {
            throw ProtocolError.invalidFormat(field: "encryptedData", reason: "it does not begin with the agreed nonce")
        }
    }
}

extension AeadRequest: Codable {
    private enum CodingKeys: String, CodingKey { case temporaryKeyId, encryptedData, nonce, timestamp }

    /// Reads the JSON form; binary members are strict Base64.
    /// - Throws: ``ProtocolError`` naming the member, or `DecodingError` for JSON of another shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        temporaryKeyId = try container.decode(String.self, forKey: .temporaryKeyId)
        guard !temporaryKeyId.isEmpty else { throw ProtocolError.missing(field: "temporaryKeyId") }
        encryptedData = try StrictBase64.decode(
            container.decode(String.self, forKey: .encryptedData), field: "encryptedData")
        nonce = try StrictBase64.decode(container.decode(String.self, forKey: .nonce), field: "nonce")
        timestamp = try container.decode(UInt64.self, forKey: .timestamp)
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(temporaryKeyId, forKey: .temporaryKeyId)
        try container.encode(StrictBase64.encode(encryptedData), forKey: .encryptedData)
        try container.encode(StrictBase64.encode(nonce), forKey: .nonce)
        try container.encode(timestamp, forKey: .timestamp)
    }
}

extension AeadResponse: Codable {
    private enum CodingKeys: String, CodingKey { case encryptedData, timestamp }

    /// Reads the JSON form; the binary member is strict Base64.
    /// - Throws: ``ProtocolError`` naming the member, or `DecodingError` for JSON of another shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        encryptedData = try StrictBase64.decode(
            container.decode(String.self, forKey: .encryptedData), field: "encryptedData")
        timestamp = try container.decode(UInt64.self, forKey: .timestamp)
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(StrictBase64.encode(encryptedData), forKey: .encryptedData)
        try container.encode(timestamp, forKey: .timestamp)
    }
}
