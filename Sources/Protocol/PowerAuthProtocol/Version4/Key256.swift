// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A 32-byte key of protocol 4 whose type states its purpose (protocol-4.md, section 4).
///
/// The bytes live in ``SecretBytes`` and are wiped with the last copy. Comparison takes constant time; the description
/// shows no byte.
public struct Key256<Purpose>: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let bytes: SecretBytes

    /// Takes over 32 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for any other size.
    public init(_ data: Data) throws { try self.init(SecretBytes(data)) }

    /// The same for bytes in wiped memory.
    public init(_ bytes: SecretBytes) throws {
        guard bytes.count == 32 else {
            throw ProtocolError.invalidLength(field: "\(Purpose.self)", expected: "32 bytes", actual: bytes.count)
        }
        self.bytes = bytes
    }

    /// Lets `fill` write the 32 bytes in place.
    init(filledBy fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        bytes = try SecretBytes(count: 32, filledBy: fill)
    }

    private init(unchecked bytes: SecretBytes) { self.bytes = bytes }

    /// A fresh random key, never all zero.
    public static func random() -> Self { Self(unchecked: Random.secret(32)) }

    /// Lends the 32 bytes for the time of the call; the pointer must not leave `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// An ordinary copy of the 32 bytes, which is never wiped: for storage layers and the wire only.
    public var rawData: Data { bytes.rawData }

    /// The same bytes under another purpose: a shared secret is an activation's secret, a new knowledge key or a
    /// temporary key, depending on the request that it was exchanged in.
    public func converted<Other>(to purpose: Other.Type) -> Key256<Other> { Key256<Other>(unchecked: bytes) }

    /// Constant-time comparison.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.withUnsafeBytes { lhs in rhs.withUnsafeBytes { rhs in constantTimeEquals(lhs, rhs) } }
    }

    /// Purpose and size, never the bytes.
    public var description: String { "\(Purpose.self)(32 bytes)" }
    /// No children: a dump shows no byte either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Further purposes, of keys that only protocol 4 has. The others are those of version 3.
extension KeyPurpose {
    /// `KEY_ACTIVATION_SECRET`; the client does not store it.
    public enum ActivationSecret {}
    /// The result of a key exchange, before its use is known.
    public enum SharedSecret {}
    /// A key from which others are derived (`KDK`).
    public enum Derivation {}
    /// `KEK_DEVICE_PRIVATE`, which seals the device's private keys.
    public enum DeviceKeyEncryption {}
    /// `KDK_APP_VAULT_KNOWLEDGE`.
    public enum KnowledgeVault {}
    /// `KDK_APP_VAULT_2FA`.
    public enum TwoFactorVault {}
    /// `KEY_MAC_CTR_DATA`.
    public enum CounterCode {}
    /// `KEY_MAC_STATUS`.
    public enum StatusCode {}
    /// `KEY_MAC_PERSONALIZED_DATA`.
    public enum OfflineCode {}
    /// `KEY_E2EE_SHARED_INFO2`.
    public enum SharedInfo2 {}
    /// `util/app`, for the application.
    public enum Application {}
    /// Protects a factor key on the device (`KEK`).
    public enum FactorKeyEncryption {}
    /// Encrypts what the SDK keeps on the device.
    public enum LocalEncryption {}
    /// The shared secret of a temporary key.
    public enum TemporaryKey {}
}

/// The activation's secret, from which all its keys follow.
public typealias ActivationSecret = Key256<KeyPurpose.ActivationSecret>
/// Protects a factor key on the device.
public typealias FactorKeyEncryptionKey = Key256<KeyPurpose.FactorKeyEncryption>
/// The shared secret of a temporary key, which end-to-end encryption uses.
public typealias TemporaryKeySecret = Key256<KeyPurpose.TemporaryKey>
/// `tokenSecret` of protocol 4.
public typealias TokenSecret256 = Key256<KeyPurpose.Token>
