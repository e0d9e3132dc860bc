// SPDX-License-Identifier: Apache-2.0

import COpenSSL
public import Foundation

/// A 16-byte key whose type states its purpose, so that a transport key cannot be passed as a vault key.
///
/// The bytes live in ``SecretBytes`` and are wiped with the last copy. Comparison takes constant time;
/// the description shows no byte.
public struct SymmetricKey<Purpose>: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let bytes: SecretBytes

    /// Takes over 16 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for any other size.
    public init(_ data: Data) throws { try self.init(SecretBytes(data)) }

    init(_ bytes: SecretBytes) throws {
        guard bytes.count == 16 else {
            throw ProtocolError.invalidLength(field: "\(Purpose.self)", expected: "16 bytes", actual: bytes.count)
        }
        self.bytes = bytes
    }

    private init(unchecked bytes: SecretBytes) { self.bytes = bytes }

    /// Lets `fill` write the 16 bytes in place.
    init(filledBy fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        self.init(unchecked: try SecretBytes(count: 16, filledBy: fill))
    }

    /// A fresh random key, never all zero.
    public static func random() -> Self { Self(unchecked: Random.secret(16)) }

    /// Lends the 16 bytes for the time of the call; the pointer must not leave `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// An ordinary copy of the 16 bytes, which is never wiped: for storage layers and the wire only.
    public var rawData: Data { bytes.rawData }

    /// The same bytes under another purpose, where the protocol uses one key in two roles.
    public func converted<Other>(to purpose: Other.Type) -> SymmetricKey<Other> {
        SymmetricKey<Other>(unchecked: bytes)
    }

    /// True for 16 zero bytes, which the protocol refuses as unlock keys.
    public var isAllZero: Bool { bytes.isAllZero }

    /// Constant-time comparison.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.withUnsafeBytes { lhs in rhs.withUnsafeBytes { rhs in constantTimeEquals(lhs, rhs) } }
    }

    /// Purpose and size, never the bytes.
    public var description: String { "\(Purpose.self)(16 bytes)" }
    /// No children: a dump shows no byte either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The purposes of ``SymmetricKey`` (protocol.md, section 3). They are never instantiated.
public enum KeyPurpose {
    /// `KEY_MASTER_SECRET`.
    public enum MasterSecret {}
    /// `K_POSSESSION`.
    public enum Possession {}
    /// `K_KNOWLEDGE`.
    public enum Knowledge {}
    /// `K_BIOMETRY`.
    public enum Biometry {}
    /// `KEY_TRANSPORT`.
    public enum Transport {}
    /// `KEY_TRANSPORT_IV`.
    public enum TransportIV {}
    /// `KEY_TRANSPORT_CTR`.
    public enum TransportCounter {}
    /// `KEY_VAULT`.
    public enum Vault {}
    /// `KEY_ENCRYPTION(index)`, derived from the vault key for the application.
    public enum VaultDerived {}
    /// A possession, knowledge or biometry unlock key, which protects a factor key on the device.
    public enum Unlock {}
    /// `EEK`, the application's own layer around knowledge and biometry.
    public enum ExternalEncryption {}
    /// `TOKEN_SECRET`.
    public enum Token {}
    /// `APP_SECRET`, decoded.
    public enum ApplicationSecret {}
    /// The HS256 key of a temporary-key request.
    public enum TemporaryKeyRequest {}
    /// One of the three keys of an ECIES envelope.
    public enum Envelope {}
}

/// `KEY_MASTER_SECRET`, from the key exchange; the client does not store it.
public typealias MasterSecretKey = SymmetricKey<KeyPurpose.MasterSecret>
/// `K_POSSESSION`.
public typealias PossessionKey = SymmetricKey<KeyPurpose.Possession>
/// `K_KNOWLEDGE`.
public typealias KnowledgeKey = SymmetricKey<KeyPurpose.Knowledge>
/// `K_BIOMETRY`.
public typealias BiometryKey = SymmetricKey<KeyPurpose.Biometry>
/// `KEY_TRANSPORT`.
public typealias TransportKey = SymmetricKey<KeyPurpose.Transport>
/// `KEY_VAULT`; the client does not store it.
public typealias VaultKey = SymmetricKey<KeyPurpose.Vault>
/// `KEY_ENCRYPTION(index)`.
public typealias VaultDerivedKey = SymmetricKey<KeyPurpose.VaultDerived>
/// Protects one factor key on the device.
public typealias UnlockKey = SymmetricKey<KeyPurpose.Unlock>
/// `EEK`.
public typealias ExternalEncryptionKey = SymmetricKey<KeyPurpose.ExternalEncryption>
/// `TOKEN_SECRET`.
public typealias TokenSecret = SymmetricKey<KeyPurpose.Token>
/// `APP_SECRET`, decoded to its 16 bytes.
public typealias ApplicationSecretKey = SymmetricKey<KeyPurpose.ApplicationSecret>
/// The HS256 key of a temporary-key request.
public typealias TemporaryKeyRequestKey = SymmetricKey<KeyPurpose.TemporaryKeyRequest>

/// The five keys both sides derive from the master secret (protocol.md, section 3).
public struct DerivedKeys: Sendable {
    /// `K_POSSESSION`, index 1.
    public let possession: PossessionKey
    /// `K_KNOWLEDGE`, index 2.
    public let knowledge: KnowledgeKey
    /// `K_BIOMETRY`, index 3.
    public let biometry: BiometryKey
    /// `KEY_TRANSPORT`, index 1000.
    public let transport: TransportKey
    /// `KEY_VAULT`, index 2000.
    public let vault: VaultKey

    /// Derives all five.
    public init(masterSecret: MasterSecretKey) {
        possession = KDF.derive(masterSecret, index: 1)
        knowledge = KDF.derive(masterSecret, index: 2)
        biometry = KDF.derive(masterSecret, index: 3)
        transport = KDF.derive(masterSecret, index: 1000)
        vault = KDF.derive(masterSecret, index: 2000)
    }
}

extension MasterSecretKey {
    /// `MasterSecret`: the folded result of ECDH. The client passes its device key and the server's
    /// public key, the server the other two; both get the same.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of memory.
    public static func derive(private privateKey: PrivateKey, public publicKey: PublicKey) throws -> Self {
        let secret = try privateKey.sharedSecret(with: publicKey)
        return Self { output in secret.withUnsafeBytes { KDF.fold($0, into: output) } }
    }
}
