// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A P-256 private key with its public point. OpenSSL wipes the scalar when the last copy is released.
public struct PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
    let key: EVPKey
    /// The point that belongs to the private scalar.
    public let publicKey: PublicKey

    /// A fresh key pair.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` when OpenSSL has no entropy or memory.
    public static func generate() throws -> Self { try Self(key: .generate(on: .p256)) }

    /// Imports a scalar of any length (Java writes a leading zero byte, the core drops all of them).
    /// - Parameters:
    ///   - bigEndian: unsigned big-endian integer `d`, 1 ≤ d < n.
    ///   - field: the name an error shall carry.
    /// - Throws: ``ProtocolError/invalidKey(_:)`` for a scalar out of range.
    public init(bigEndian: Data, field: String = "privateKey") throws {
        try self.init(scalar: SecretBytes(bigEndian), field: field)
    }

    /// The same for a scalar in wiped memory.
    public init(scalar: SecretBytes, field: String = "privateKey") throws {
        self = try scalar.withUnsafeBytes { bytes in
            guard let digits = Curve.p256.digits(of: bytes) else { throw ProtocolError.invalidKey(field) }
            return try Self(key: .privateKey(scalar: digits, on: .p256))
        }
    }

    private init(key: EVPKey) throws {
        self.key = key
        publicKey = try PublicKey(key: key)
    }

    /// The scalar as a minimal unsigned big-endian integer (1 to 32 bytes) in wiped memory.
    public func scalar() throws -> SecretBytes { try key.scalar() }

    /// The scalar as a minimal unsigned big-endian integer; an ordinary copy, for storage layers only.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of memory.
    public var bigEndian: Data {
        get throws { try key.scalar().rawData }
    }

    /// ECDH: the X coordinate of the common point, 32 bytes.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of memory.
    public func sharedSecret(with peer: PublicKey) throws -> SharedSecret {
        SharedSecret(bytes: try key.sharedSecret(with: peer.key, on: .p256))
    }

    /// ECDSA with SHA-256.
    /// - Parameters:
    ///   - message: the bytes to sign (not their hash).
    ///   - format: DER (up to 72 bytes) by default; JOSE has 64 bytes.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    public func sign(_ message: Data, format: ECDSAFormat = .der) throws -> Data {
        try key.sign(message, on: .p256, format: format)
    }

    /// Lends OpenSSL's `EVP_PKEY` for purposes outside of the protocol, such as certificates. The pointer must not
    /// leave `body`, and the key must not be changed.
    package func withEVPKey<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(key) { try body(key.pointer) }
    }

    /// Names the public key, never the scalar.
    public var description: String { "PrivateKey(of \(publicKey))" }
    /// No children: a dump shows no byte either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The result of ECDH, 32 bytes in wiped memory.
public struct SharedSecret: Sendable, CustomReflectable {
    /// The X coordinate, left-padded with zeros.
    public let bytes: SecretBytes

    /// Lends the 32 bytes for the time of the call; the pointer must not leave `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// No children: a dump shows no byte.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
