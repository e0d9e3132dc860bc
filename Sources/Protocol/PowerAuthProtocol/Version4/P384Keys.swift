// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A P-384 public key whose point was checked (protocol-4.md, section 1).
public struct P384PublicKey: Sendable, Equatable, CustomStringConvertible {
    let key: EVPKey
    /// The uncompressed form, 97 bytes starting with `04`, which is the only one on the wire.
    public let uncompressed: Data

    /// Imports an uncompressed point.
    ///
    /// Refused: every other length or first byte, the point at infinity, and coordinates that are out of range or not on
    /// the curve.
    /// - Parameter field: the name an error shall carry.
    /// - Throws: ``ProtocolError/invalidKey(_:)``.
    public init(encoded: Data, field: String = "publicKey") throws {
        guard encoded.first == 4, encoded.count == Curve.p384.pointSize,
            let key = EVPKey.publicKey(encoded: encoded, on: .p384)
        else { throw ProtocolError.invalidKey(field) }
        self.key = key
        // A new Data, because the caller's may be a slice with other indices.
        uncompressed = Data(Array(encoded))
    }

    init(key: EVPKey) throws {
        self.key = key
        uncompressed = try key.uncompressedPoint(on: .p384)
    }

    /// The X coordinate, 48 bytes.
    var x: Data { Data(uncompressed[1..<49]) }

    /// Checks an ECDSA signature with SHA-384.
    /// - Parameters:
    ///   - signature: in `format`; anything malformed simply does not verify.
    ///   - message: the signed bytes (not their hash).
    ///   - format: `r ‖ s` has 96 bytes.
    public func verify(signature: Data, of message: Data, format: ECDSAFormat = .der) -> Bool {
        key.verify(signature: signature, of: message, on: .p384, format: format)
    }

    /// Two keys are equal if they are the same point.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.uncompressed == rhs.uncompressed }

    /// The point in Base64.
    public var description: String { "P384PublicKey(\(StrictBase64.encode(uncompressed)))" }
}

/// A P-384 private key with its public point. OpenSSL wipes the scalar when the last copy is released.
public struct P384PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: EVPKey
    /// The point that belongs to the private scalar.
    public let publicKey: P384PublicKey

    /// A fresh key pair.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` when OpenSSL has no entropy or memory.
    public static func generate() throws -> Self { try Self(key: .generate(on: .p384)) }

    /// Imports a scalar of any length: Java writes a leading zero byte.
    /// - Parameters:
    ///   - scalar: unsigned big-endian integer `d`, 1 ≤ d < n.
    ///   - field: the name an error shall carry.
    /// - Throws: ``ProtocolError/invalidKey(_:)`` for a scalar out of range.
    public init(scalar: SecretBytes, field: String = "privateKey") throws {
        self = try scalar.withUnsafeBytes { bytes in
            guard let digits = Curve.p384.digits(of: bytes) else { throw ProtocolError.invalidKey(field) }
            return try Self(key: .privateKey(scalar: digits, on: .p384))
        }
    }

    private init(key: EVPKey) throws {
        self.key = key
        publicKey = try P384PublicKey(key: key)
    }

    /// The scalar as a minimal unsigned big-endian integer (1 to 48 bytes) in wiped memory.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of memory.
    public func scalar() throws -> SecretBytes { try key.scalar() }

    /// ECDH: the X coordinate of the common point, 48 bytes.
    func sharedSecret(with peer: P384PublicKey) throws -> SecretBytes {
        try key.sharedSecret(with: peer.key, on: .p384)
    }

    /// ECDSA with SHA-384.
    /// - Parameters:
    ///   - message: the bytes to sign (not their hash).
    ///   - format: DER (up to 104 bytes) by default; JOSE has 96 bytes.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    public func sign(_ message: Data, format: ECDSAFormat = .der) throws -> Data {
        try key.sign(message, on: .p384, format: format)
    }

    /// Names the public key, never the scalar.
    public var description: String { "P384PrivateKey(of \(publicKey))" }
    /// No children: a dump shows no byte either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
