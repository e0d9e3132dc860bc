// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuthProtocol

/// A P-256 public key. Immutable. Thread rule: any thread.
public final class PowerAuthCoreECPublicKey: Sendable {
    let key: PublicKey

    init(_ key: PublicKey) { self.key = key }

    /// Imports a key of 33 or 65 bytes.
    /// - Returns: `nil` if it is not a point of the curve.
    public convenience init?(data: Data) {
        guard let key = try? PublicKey(encoded: data) else { return nil }
        self.init(key)
    }

    /// The compressed key, 33 bytes.
    public var publicKeyBytes: Data { key.compressed }
}

/// A P-256 private key. Immutable. Thread rule: any thread.
public final class PowerAuthCoreECPrivateKey: Sendable {
    let key: PrivateKey
    /// The key as an unsigned number, most significant byte first, without leading zero bytes: 1 to 32 bytes.
    public let privateKeyBytes: Data

    fileprivate init(_ key: PrivateKey, bytes: Data) {
        self.key = key
        privateKeyBytes = bytes
    }

    /// Imports a key.
    /// - Parameter data: The number, most significant byte first; leading zero bytes are ignored.
    /// - Returns: `nil` if the number is 0, or not below the order of the curve's base point.
    public convenience init?(data: Data) {
        guard let key = try? PrivateKey(bigEndian: data), let bytes = try? key.bigEndian else { return nil }
        self.init(key, bytes: bytes)
    }
}

/// A P-256 key pair. Immutable. Thread rule: any thread.
public final class PowerAuthCoreECKeyPair: Sendable {
    /// The private half.
    public let privateKey: PowerAuthCoreECPrivateKey
    var key: PrivateKey { privateKey.key }

    init?(_ key: PrivateKey) {
        guard let bytes = try? key.bigEndian else { return nil }
        privateKey = PowerAuthCoreECPrivateKey(key, bytes: bytes)
    }

    /// The public half.
    public var publicKey: PowerAuthCoreECPublicKey { PowerAuthCoreECPublicKey(key.publicKey) }
}

/// Cryptographic functions for applications that talk to the server in their own way. Thread rule: any thread.
public enum PowerAuthCoreCryptoUtils {
    /// Verifies an ECDSA signature in DER with SHA-256.
    public static func ecdsaValidateSignature(
        _ signature: Data, for data: Data, for publicKey: PowerAuthCoreECPublicKey
    ) -> Bool {
        publicKey.key.verify(signature: signature, of: data)
    }

    /// Signs `data` with ECDSA and SHA-256; the result is DER.
    public static func ecdsaComputeSignature(for data: Data, withKeyPair keyPair: PowerAuthCoreECKeyPair) -> Data? {
        ecdsaComputeSignature(for: data, with: keyPair.privateKey)
    }

    /// Signs `data` with ECDSA and SHA-256; the result is DER.
    public static func ecdsaComputeSignature(for data: Data, with privateKey: PowerAuthCoreECPrivateKey) -> Data? {
        try? privateKey.key.sign(data)
    }

    /// Makes a new key pair.
    public static func ecGenerateKeyPair() -> PowerAuthCoreECKeyPair? {
        (try? PrivateKey.generate()).flatMap { PowerAuthCoreECKeyPair($0) }
    }

    /// The shared secret of two keys, 32 bytes.
    public static func ecdhComputeSharedSecret(
        _ publicKey: PowerAuthCoreECPublicKey, withKeyPair keyPair: PowerAuthCoreECKeyPair
    ) -> Data? {
        ecdhComputeSharedSecret(publicKey, with: keyPair.privateKey)
    }

    /// The shared secret of two keys, 32 bytes.
    public static func ecdhComputeSharedSecret(
        _ publicKey: PowerAuthCoreECPublicKey, with privateKey: PowerAuthCoreECPrivateKey
    ) -> Data? {
        try? privateKey.key.sharedSecret(with: publicKey.key).bytes.rawData
    }

    /// SHA-256 of `data`, 32 bytes.
    public static func hashSha256(_ data: Data) -> Data { Digest.sha256(data) }
    /// HMAC-SHA256 of `data`, 32 bytes.
    public static func hmacSha256(_ data: Data, key: Data) -> Data { Digest.hmacSHA256(key: key, data: data) }

    /// The first `length` bytes of an HMAC-SHA256.
    public static func hmacSha256(_ data: Data, key: Data, length: UInt) -> Data {
        Data(hmacSha256(data, key: key).prefix(Int(clamping: length)))
    }

    /// Bytes from the cryptographic random generator.
    public static func randomBytes(_ count: UInt) -> Data { Random.bytes(Int(clamping: count)) }
}
