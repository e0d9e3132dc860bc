// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A label of the key tree (protocol-4.md, section 4).
public struct KeyLabel: RawRepresentable, Sendable, Hashable {
    /// The text that enters the derivation.
    public let rawValue: String

    /// Takes any text; the protocol uses those below.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ text: String) { rawValue = text }

    package static let auth = Self("auth")
    package static let possession = Self("auth/possession")
    package static let knowledge = Self("auth/knowledge")
    package static let biometry = Self("auth/biometry")
    package static let vault = Self("vault")
    package static let deviceKeyEncryption = Self("vault/kek-device-private")
    package static let knowledgeVault = Self("vault/kdk-app-vault-knowledge")
    package static let twoFactorVault = Self("vault/kdk-app-vault-2fa")
    package static let util = Self("util")
    package static let counterCode = Self("util/mac/ctr-data")
    package static let statusCode = Self("util/mac/status")
    package static let activationKeyRequest = Self("util/mac/get-act-temp-key")
    package static let applicationKeyRequest = Self("util/mac/get-app-temp-key")
    package static let personalizedData = Self("util/mac/personalized-data")
    package static let sharedInfo2 = Self("util/key-e2ee-sh2")
    package static let application = Self("util/app")
    package static let aeadEncryption = Self("aead/enc")
    package static let aeadCode = Self("aead/mac")
    package static let localEncryption = Self("enc/local")
    package static let possessionEncryption = Self("enc/kek-possession")
    package static let biometryExpansion = Self("other/expand-biometry-key")
}

/// `KDF` and `PBKDF` of protocol 4 (protocol-4.md, section 2).
public enum LabeledKDF {
    /// `KDF(key, label, diversifier)` of any length.
    /// - Parameters:
    ///   - key: 4 to 512 bytes.
    ///   - count: size of the result in bytes, 1 or more.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for a key or a result of another size.
    public static func derive(
        _ key: SecretBytes, _ label: KeyLabel, diversifier: Data = Data(), count: Int = 32
    ) throws -> SecretBytes {
        guard KMAC256.keySizes.contains(key.count) else {
            throw ProtocolError.invalidLength(field: "derivation key", expected: "4 to 512 bytes", actual: key.count)
        }
        try requireOutput(count)
        return SecretBytes(count: count) { output in
            key.withUnsafeBytes { derive($0, label, diversifier, KMAC256(), into: output) }
        }
    }

    /// `PBKDF(password, salt)` of any length. There are no iterations.
    /// - Parameters:
    ///   - password: 4 to 512 bytes of UTF-8.
    ///   - salt: 32 bytes or more.
    ///   - count: size of the result in bytes, 1 or more.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)``.
    public static func derive(password: SecretBytes, salt: Data, count: Int = 32) throws -> SecretBytes {
        guard KMAC256.keySizes.contains(password.count) else {
            throw ProtocolError.invalidLength(field: "password", expected: "4 to 512 bytes", actual: password.count)
        }
        guard salt.count >= minimumSaltSize else {
            throw ProtocolError.invalidLength(
                field: "salt", expected: "\(minimumSaltSize) bytes or more", actual: salt.count)
        }
        try requireOutput(count)
        return SecretBytes(count: count) { output in
            password.withUnsafeBytes { password in
                salt.withUnsafeBytes { KMAC256().compute(key: password, .password, $0, into: output) }
            }
        }
    }

    /// Fewest bytes of a password's salt.
    public static let minimumSaltSize = 32

    /// The derivation without checks, for keys whose type has a size.
    static func derive(
        _ key: UnsafeRawBufferPointer, _ label: KeyLabel, _ diversifier: Data, _ kmac: borrowing KMAC256,
        into output: UnsafeMutableRawBufferPointer
    ) {
        // The label after its length, and the length of the diversifier: written in place, since this runs four times for
        // every message.
        var label = label.rawValue
        label.withUTF8 { label in
            withUnsafeTemporaryAllocation(byteCount: label.count + 8, alignment: 4) { start in
                start.storeBytes(of: UInt32(label.count).bigEndian, toByteOffset: 0, as: UInt32.self)
                UnsafeMutableRawBufferPointer(rebasing: start[4...]).copyMemory(from: UnsafeRawBufferPointer(label))
                start.storeBytes(
                    of: UInt32(clamping: diversifier.count).bigEndian, toByteOffset: label.count + 4, as: UInt32.self)
                diversifier.withUnsafeBytes {
                    kmac.compute(key: key, .keyDerivation, UnsafeRawBufferPointer(start), $0, into: output)
                }
            }
        }
    }

    private static func requireOutput(_ count: Int) throws {
        guard count >= 1 else {
            throw ProtocolError.invalidLength(field: "derived key", expected: "1 byte or more", actual: count)
        }
    }
}

extension Key256 {
    /// `KDF(key, label, diversifier)`, 32 bytes.
    func derived<Derived>(
        _ label: KeyLabel, diversifier: Data = Data(), as purpose: Derived.Type = Derived.self
    ) -> Key256<Derived> {
        derived(label, diversifier: diversifier, KMAC256())
    }

    /// The same with a context that serves other computations, too.
    func derived<Derived>(
        _ label: KeyLabel, diversifier: Data = Data(), _ kmac: borrowing KMAC256
    ) -> Key256<Derived> {
        Key256<Derived> { output in
            withUnsafeBytes { LabeledKDF.derive($0, label, diversifier, kmac, into: output) }
        }
    }
}

extension SymmetricKey {
    /// `KDF(key, label)`, 32 bytes from a key of 16.
    func derived256<Derived>(_ label: KeyLabel, as purpose: Derived.Type = Derived.self) -> Key256<Derived> {
        Key256<Derived> { output in withUnsafeBytes { LabeledKDF.derive($0, label, Data(), KMAC256(), into: output) } }
    }
}

extension Key256 where Purpose == KeyPurpose.FactorKeyEncryption {
    /// The key of a password.
    /// - Parameters:
    ///   - password: 4 to 512 bytes of UTF-8.
    ///   - salt: 32 random bytes or more, stored beside the protected key.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)``.
    public static func knowledge(password: SecretBytes, salt: Data) throws -> Self {
        try Self(LabeledKDF.derive(password: password, salt: salt))
    }

    /// The key of a biometric key, which may have 16 bytes, as version 3 makes them, or 32.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for any other size.
    public static func biometry(_ key: SecretBytes) throws -> Self {
        guard key.count == 16 else { return try Self(key) }
        return try Self(LabeledKDF.derive(key, .biometryExpansion))
    }
}

/// The keys of a device, which need no activation: `DEVICE_KEY` and what follows from it (protocol-4.md, section 4).
public struct DeviceKeys: Sendable {
    /// Encrypts what the SDK keeps on the device.
    public let localEncryption: Key256<KeyPurpose.LocalEncryption>
    /// Protects the possession key.
    public let possessionEncryption: FactorKeyEncryptionKey

    /// - Parameter deviceData: what identifies the device.
    public init(deviceData: SecretBytes) {
        let key = Key256<KeyPurpose.Derivation> { output in deviceData.withUnsafeBytes { SHA3.sha256($0, into: output) }
        }
        localEncryption = key.derived(.localEncryption)
        possessionEncryption = key.derived(.possessionEncryption)
    }
}
