// SPDX-License-Identifier: Apache-2.0

import COpenSSL
public import Foundation

/// A P-256 private key with its public point. OpenSSL wipes the scalar when the last copy is released.
public struct PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
    let key: EVPKey
    /// The point that belongs to the private scalar.
    public let publicKey: PublicKey

    /// A fresh key pair.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` when OpenSSL has no entropy or memory.
    public static func generate() throws -> Self { try Self(key: .generate()) }

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
            let digits = UnsafeRawBufferPointer(rebasing: bytes[(bytes.firstIndex { $0 != 0 } ?? bytes.endIndex)...])
            guard !digits.isEmpty, digits.count < 32 || digits.lexicographicallyPrecedes(Self.order),
                digits.count <= 32
            else { throw ProtocolError.invalidKey(field) }
            return try Self(key: .privateKey(scalar: digits))
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
        let failure = ProtocolError.cryptographicFailure("ECDH")
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), "EVP_PKEY_CTX")
        defer { EVP_PKEY_CTX_free(context) }
        try OpenSSL.check(EVP_PKEY_derive_init(context), or: failure)
        // No second validation: a PublicKey exists only for a checked point, and P-256 has cofactor 1.
        try OpenSSL.check(EVP_PKEY_derive_set_peer_ex(context, peer.key.pointer, 0), or: failure)
        return SharedSecret(
            bytes: try SecretBytes(count: 32) { buffer in
                var length = buffer.count
                let target = buffer.octets
                try OpenSSL.check(EVP_PKEY_derive(context, target, &length), or: failure)
                guard length == 32 else { throw failure }
            })
    }

    /// ECDSA with SHA-256.
    /// - Parameters:
    ///   - message: the bytes to sign (not their hash).
    ///   - format: DER (up to 72 bytes) by default; JOSE has 64 bytes.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    public func sign(_ message: Data, format: ECDSAFormat = .der) throws -> Data {
        let failure = ProtocolError.cryptographicFailure("ECDSA")
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), "EVP_PKEY_CTX")
        defer { EVP_PKEY_CTX_free(context) }
        try OpenSSL.check(EVP_PKEY_sign_init(context), or: failure)
        var der = Data(count: 80)
        var length = der.count
        let hash = Digest.sha256(message)
        let result = der.withUnsafeMutableBytes { der in
            hash.withUnsafeBytes { hash in EVP_PKEY_sign(context, der.octets, &length, hash.octets, hash.count) }
        }
        try OpenSSL.check(result, or: failure)
        der = der.prefix(length)
        guard format == .jose else { return Data(der) }
        guard let jose = ECDSAFormat.joseFromDER(Data(der)) else { throw failure }
        return jose
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

    /// The order n of the base point of P-256.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
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
