// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The public keys of a device or of a server, one for each signature of the suite: `devicePublicKeys` and
/// `serverPublicKeys` (protocol-4.md, section 8).
public struct SuitePublicKeys: Sendable, Equatable {
    /// The suite that the keys belong to.
    public let suite: CryptographySuite
    /// The key of the curve.
    public let ec: P384PublicKey
    let lattice: (any LatticeVerificationKey)?

    init(suite: CryptographySuite, ec: P384PublicKey, lattice: (any LatticeVerificationKey)?) {
        self.suite = suite
        self.ec = ec
        self.lattice = lattice
    }

    /// Reads the keys of a message.
    /// - Throws: ``ProtocolError/missing(field:)`` or ``ProtocolError/unexpected(field:)`` for a key that the suite needs
    ///   or does not have, ``ProtocolError/invalidKey(_:)`` for an unusable one.
    public init(_ encoded: EncodedSuiteKeys, suite: CryptographySuite) throws {
        self.init(
            suite: suite, ec: try P384PublicKey(encoded: encoded.ecdsa, field: "ecdsa"),
            lattice: try Self.lattice(encoded.mldsa, suite))
    }

    private static func lattice(
        _ container: Data?, _ suite: CryptographySuite
    ) throws -> (any LatticeVerificationKey)? {
        switch (container, suite.signature) {
        case (nil, nil): return nil
        case (nil, .some): throw ProtocolError.missing(field: "mldsa")
        case (.some, nil): throw ProtocolError.unexpected(field: "mldsa")
        case (.some(let container), .some(let signature)):
            return try signature.publicKey(signature.algorithm.key(in: container, field: "mldsa"))
        }
    }

    /// The keys as a message carries them.
    public var encoded: EncodedSuiteKeys {
        EncodedSuiteKeys(ecdsa: ec.uncompressed, mldsa: latticeContainer)
    }

    private var latticeContainer: Data? {
        guard let lattice, let algorithm = suite.signature?.algorithm else { return nil }
        return algorithm.container(of: lattice.bytes)
    }

    /// Checks a signature of the ML-DSA key alone, raw; false in a suite without one.
    public func verifyLattice(signature: Data, of message: Data) -> Bool {
        lattice?.verify(signature: signature, of: message) ?? false
    }

    /// What a fingerprint covers of these keys: the X coordinate, then the container of a hybrid suite.
    func fingerprintPart(_ coordinate: Fingerprint.Coordinate) -> Data {
        let x = coordinate == .minimal ? Data(ec.x.drop { $0 == 0 }) : ec.x
        return x + (latticeContainer ?? Data())
    }

    /// The same keys of the same suite.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.suite == rhs.suite && lhs.ec == rhs.ec && lhs.lattice?.bytes == rhs.lattice?.bytes
    }
}

/// Public keys as JSON carries them, not checked yet.
public struct EncodedSuiteKeys: Sendable, Equatable, Codable {
    /// The point, 97 bytes.
    public let ecdsa: Data
    /// The `SubjectPublicKeyInfo` of the ML-DSA key, in hybrid suites.
    public let mldsa: Data?

    /// Takes the members as they are.
    public init(ecdsa: Data, mldsa: Data? = nil) {
        self.ecdsa = ecdsa
        self.mldsa = mldsa
    }

    private enum CodingKeys: String, CodingKey { case ecdsa, mldsa }

    /// Reads the JSON form; keys are strict Base64.
    /// - Throws: ``ProtocolError`` naming the member, or `DecodingError` for JSON of another shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        ecdsa = try StrictBase64.decode(container.decode(String.self, forKey: .ecdsa), field: "ecdsa")
        mldsa = try container.decodeIfPresent(String.self, forKey: .mldsa).map {
            try StrictBase64.decode($0, field: "mldsa")
        }
    }

    /// Writes the JSON form; a key that the suite does not have is left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(StrictBase64.encode(ecdsa), forKey: .ecdsa)
        try container.encodeIfPresent(mldsa.map { StrictBase64.encode($0) }, forKey: .mldsa)
    }
}

/// The private keys of a device or of a server, one for each signature of the suite.
public struct SuitePrivateKeys: Sendable, CustomStringConvertible, CustomReflectable {
    /// The suite that the keys belong to.
    public let suite: CryptographySuite
    /// The key of the curve.
    public let ec: P384PrivateKey
    let lattice: (any LatticeSigningKey)?

    /// Fresh keys.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    public static func generate(suite: CryptographySuite) throws -> Self {
        Self(suite: suite, ec: try .generate(), lattice: try suite.signature?.generateKey())
    }

    private init(suite: CryptographySuite, ec: P384PrivateKey, lattice: (any LatticeSigningKey)?) {
        self.suite = suite
        self.ec = ec
        self.lattice = lattice
    }

    /// The other halves.
    public var publicKeys: SuitePublicKeys {
        SuitePublicKeys(suite: suite, ec: ec.publicKey, lattice: lattice?.publicKey)
    }

    /// A signature of the ML-DSA key alone, raw; nil in a suite without one. That of the curve's key is
    /// ``P384PrivateKey/sign(_:format:)`` of ``ec``, that of both a ``JWS``.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    public func latticeSignature(of message: Data) throws -> Data? { try lattice?.sign(message) }

    /// Reads what ``encoded()`` returns.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for content of another form, and the errors of the keys.
    public init(encoded: SecretBytes, suite: CryptographySuite) throws {
        let (scalar, seed) = try encoded.withUnsafeBytes { bytes in
            let malformed = ProtocolError.invalidFormat(
                field: "private keys", reason: "it does not hold the keys of \(suite.name.rawValue)")
            var offset = 0
            func item() throws -> SecretBytes {
                guard offset + 4 <= bytes.count else { throw malformed }
                let count = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
                let start = offset + 4
                guard count <= bytes.count - start else { throw malformed }
                offset = start + count
                return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[start..<offset]))
            }
            let scalar = try item()
            let seed = suite.signature == nil ? nil : try item()
            guard offset == bytes.count else { throw malformed }
            return (scalar, seed)
        }
        self.init(
            suite: suite, ec: try P384PrivateKey(scalar: scalar),
            lattice: try seed.flatMap { try suite.signature?.key(seed: $0) })
    }

    /// Takes the secrets of keys that are stored one by one.
    /// - Parameters:
    ///   - secrets: the scalar, 48 bytes, and the seed of ML-DSA, 32 bytes, in hybrid suites.
    ///   - suite: the suite that the keys belong to.
    /// - Throws: as ``init(encoded:suite:)``.
    package init(secrets: [SecretBytes], suite: CryptographySuite) throws {
        try self.init(encoded: BinaryLayout.join(secrets: secrets), suite: suite)
    }

    /// The scalar, and the seed of ML-DSA in hybrid suites, each after its length, for the device's store. The layout is
    /// the lab's own: the vendor's is not published (protocol-4.md, section 17, item 7).
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of memory.
    public func encoded() throws -> SecretBytes {
        BinaryLayout.join(secrets: [try ec.scalar()] + (lattice.map { [$0.seed] } ?? []))
    }

    /// The device's keys at rest.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of memory.
    public func sealed(under key: Key256<KeyPurpose.DeviceKeyEncryption>) throws -> Data {
        try AEAD.seal(encoded(), key: key, keyContext: Data(), associatedData: Data())
    }

    /// The device's keys of what ``sealed(under:)`` returned.
    /// - Throws: ``ProtocolError/macMismatch`` for another key or changed bytes, and as ``init(encoded:suite:)``.
    public init(opening sealed: Data, with key: Key256<KeyPurpose.DeviceKeyEncryption>, suite: CryptographySuite) throws
    {
        try self.init(
            encoded: AEAD.openSecret(sealed, key: key, keyContext: Data(), associatedData: Data()), suite: suite)
    }

    /// Names the public key of the curve, never a secret.
    public var description: String { "SuitePrivateKeys(\(suite), \(ec))" }
    /// No children: a dump shows no byte either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Fingerprint {
    /// How a fingerprint of protocol 4 takes a coordinate with leading zero bytes. It differs for one key in 256, and the
    /// vendor's two implementations may differ (protocol-4.md, section 17, item 5).
    public enum Coordinate: Sendable {
        /// Without them, as the vendor's Java has it.
        case minimal
        /// All 48 bytes.
        case padded
    }

    /// The fingerprint of an activation of protocol 4, eight digits (protocol-4.md, section 8). Both sides have one suite.
    public static func v4(
        device: SuitePublicKeys, activationId: String, server: SuitePublicKeys, coordinate: Coordinate = .minimal
    ) -> String {
        let data =
            Data(device.suite.name.rawValue.utf8) + device.fingerprintPart(coordinate) + Data(activationId.utf8)
            + server.fingerprintPart(coordinate)
        // A hash always has the four bytes and eight is a valid length, so neither error can occur.
        return (try? Decimalization.decimal(SHA3.sha256(data), length: 8)) ?? ""
    }
}
