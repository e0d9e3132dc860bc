// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// `sharedSecretRequest`: the client's encapsulation keys (protocol-4.md, section 3).
public struct SharedSecretRequest: Sendable, Equatable, Codable {
    /// Name of the suite.
    public let algorithm: String
    /// In the order of the suite: the point of 97 bytes, then the container of the ML-KEM key.
    public let encapsulationKeys: [Data]

    /// Takes the members as they are; the server checks them.
    public init(algorithm: String, encapsulationKeys: [Data]) {
        self.algorithm = algorithm
        self.encapsulationKeys = encapsulationKeys
    }

    private enum CodingKeys: String, CodingKey { case algorithm, encapsulationKeys }

    /// Reads the JSON form; keys are strict Base64.
    /// - Throws: ``ProtocolError`` naming the member, or `DecodingError` for JSON of another shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        algorithm = try container.decode(String.self, forKey: .algorithm)
        encapsulationKeys = try container.base64s(.encapsulationKeys)
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(algorithm, forKey: .algorithm)
        try container.encode(encapsulationKeys.map { StrictBase64.encode($0) }, forKey: .encapsulationKeys)
    }
}

/// `sharedSecretResponse`: the server's answer (protocol-4.md, section 3).
public struct SharedSecretResponse: Sendable, Equatable, Codable {
    /// 32 random bytes.
    public let salt: Data
    /// In the order of the request: the server's ephemeral point, then the cipher text of ML-KEM.
    public let encapsulatedKeys: [Data]

    /// Takes the members as they are; the client checks them.
    public init(salt: Data, encapsulatedKeys: [Data]) {
        self.salt = salt
        self.encapsulatedKeys = encapsulatedKeys
    }

    private enum CodingKeys: String, CodingKey { case salt, encapsulatedKeys }

    /// Reads the JSON form; salt and keys are strict Base64.
    /// - Throws: ``ProtocolError`` naming the member, or `DecodingError` for JSON of another shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        salt = try StrictBase64.decode(container.decode(String.self, forKey: .salt), field: "salt")
        encapsulatedKeys = try container.base64s(.encapsulatedKeys)
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(StrictBase64.encode(salt), forKey: .salt)
        try container.encode(encapsulatedKeys.map { StrictBase64.encode($0) }, forKey: .encapsulatedKeys)
    }
}

extension KeyedDecodingContainer {
    fileprivate func base64s(_ key: Key) throws -> [Data] {
        try decode([String].self, forKey: key).enumerated().map { index, text in
            try StrictBase64.decode(text, field: "\(key.stringValue)[\(index)]")
        }
    }
}

/// The client's side of a key exchange, with private keys for one request.
public struct SharedSecretClient: Sendable {
    /// The suite that the exchange is about.
    public let suite: CryptographySuite
    private let ec: P384PrivateKey
    private let lattice: (any DecapsulationKey)?

    /// Makes the keys.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    public init(suite: CryptographySuite) throws {
        self.init(suite: suite, ec: try .generate(), lattice: try suite.kem?.generateKey())
    }

    /// The same with given keys.
    /// - Throws: ``ProtocolError`` for a seed of another size, or one that the suite does not have.
    package init(suite: CryptographySuite, ec: P384PrivateKey, latticeSeed: SecretBytes?) throws {
        guard (suite.kem == nil) == (latticeSeed == nil) else {
            throw ProtocolError.wrongState("a key for ML-KEM belongs to a hybrid suite, and to no other")
        }
        self.init(suite: suite, ec: ec, lattice: try latticeSeed.flatMap { try suite.kem?.key(seed: $0) })
    }

    private init(suite: CryptographySuite, ec: P384PrivateKey, lattice: (any DecapsulationKey)?) {
        self.suite = suite
        self.ec = ec
        self.lattice = lattice
    }

    /// What is sent to the server.
    public var request: SharedSecretRequest {
        var keys = [ec.publicKey.uncompressed]
        if let lattice, let kem = suite.kem { keys.append(kem.algorithm.container(of: lattice.publicKey)) }
        return SharedSecretRequest(algorithm: suite.name.rawValue, encapsulationKeys: keys)
    }

    /// The secret of the server's answer.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for a salt, a number of keys or a cipher text of
    ///   another size, ``ProtocolError/invalidKey(_:)`` for anything but a point.
    public func secret(of response: SharedSecretResponse) throws -> Key256<KeyPurpose.SharedSecret> {
        try SharedSecretExchange.require(response.encapsulatedKeys.count, of: suite, field: "encapsulatedKeys")
        guard response.salt.count == SharedSecretExchange.saltSize else {
            throw ProtocolError.invalidLength(
                field: "salt", expected: "\(SharedSecretExchange.saltSize) bytes", actual: response.salt.count)
        }
        var secrets = [try DHKEM.decapsulate(response.encapsulatedKeys[0], by: ec)]
        if let lattice { secrets.append(try lattice.decapsulate(response.encapsulatedKeys[1])) }
        return SharedSecretExchange.combine(secrets, salt: response.salt, suite: suite)
    }
}

extension SharedSecretClient: CustomReflectable {
    /// Shows the suite only: the private key of swift-crypto does not hide its bytes.
    public var customMirror: Mirror { Mirror(self, children: ["suite": suite.name.rawValue]) }
}

/// The server's side of a key exchange.
public enum SharedSecretServer {
    /// Answers a request with fresh secrets.
    /// - Parameter suite: the one that the server expects; a request for another one is refused.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for another suite,
    ///   ``ProtocolError/invalidLength(field:expected:actual:)`` for another number of keys,
    ///   ``ProtocolError/invalidKey(_:)`` for an unusable key.
    public static func answer(
        _ request: SharedSecretRequest, suite: CryptographySuite
    ) throws -> (response: SharedSecretResponse, secret: Key256<KeyPurpose.SharedSecret>) {
        try suite.require(request.algorithm)
        try SharedSecretExchange.require(request.encapsulationKeys.count, of: suite, field: "encapsulationKeys")
        let ec = try DHKEM.encapsulate(
            to: P384PublicKey(encoded: request.encapsulationKeys[0], field: "encapsulationKeys[0]"))
        var (keys, secrets) = ([ec.encapsulated], [ec.secret])
        if let kem = suite.kem {
            let key = try kem.algorithm.key(in: request.encapsulationKeys[1], field: "encapsulationKeys[1]")
            let lattice = try kem.encapsulate(to: key)
            keys.append(lattice.ciphertext)
            secrets.append(lattice.secret)
        }
        let salt = Random.nonZeroBytes(SharedSecretExchange.saltSize)
        return (
            SharedSecretResponse(salt: salt, encapsulatedKeys: keys),
            SharedSecretExchange.combine(secrets, salt: salt, suite: suite)
        )
    }
}

/// What both sides compute alike.
enum SharedSecretExchange {
    static let saltSize = 32

    /// One key for each algorithm of the suite, no fewer and no more.
    static func require(_ count: Int, of suite: CryptographySuite, field: String) throws {
        let expected = suite.kem == nil ? 1 : 2
        guard count == expected else {
            throw ProtocolError.invalidLength(
                field: field, expected: expected == 1 ? "1 key" : "\(expected) keys", actual: count)
        }
    }

    /// Joins the secrets as NIST SP 800-56C has it, with a KMAC whose key is the salt.
    static func combine(
        _ secrets: [SecretBytes], salt: Data, suite: CryptographySuite
    ) -> Key256<KeyPurpose.SharedSecret> {
        let info = BinaryLayout.join(
            ["shared-secret/\(suite.name.rawValue)", CryptographySuite.version].map { Data($0.utf8) })
        // The number of the only round, then each secret after its length.
        let joined = BinaryLayout.join(secrets: secrets, behind: BinaryLayout.bigEndian(UInt32(1)))
        return Key256 { output in
            salt.withUnsafeBytes { salt in
                joined.withUnsafeBytes { joined in
                    info.withUnsafeBytes { KMAC256().compute(key: salt, .sharedSecret, joined, $0, into: output) }
                }
            }
        }
    }
}
