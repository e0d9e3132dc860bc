// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A request for a key of the vault in protocol 4 (protocol-4.md, section 13). Its JSON is encrypted for
/// ``AeadPurpose/vaultUnlock``.
public struct VaultUnlockRequestV4: Sendable, Equatable, Codable {
    /// The keys that a server gives out.
    public enum KeyIdentifier: String, Sendable, CaseIterable, Codable {
        /// Opens the device's private keys.
        case deviceKeyEncryption = "KEK_DEVICE_PRIVATE"
        /// The application's vault behind two factors, of which one may be biometry.
        case twoFactorVault = "KDK_APP_VAULT_2FA"
        /// The application's vault behind the password.
        case knowledgeVault = "KDK_APP_VAULT_KNOWLEDGE"
    }

    /// What the key is for.
    public enum Reason: String, Sendable, CaseIterable, Codable {
        /// The application uses the key.
        case fetchEncryptionKey = "FETCH_ENCRYPTION_KEY"
        /// The SDK opens the device's private keys and signs.
        case signWithDevicePrivateKey = "SIGN_WITH_DEVICE_PRIVATE_KEY"
    }

    /// Which key.
    public let keyIdentifier: KeyIdentifier
    /// What for.
    public let reason: Reason

    /// Takes both.
    public init(keyIdentifier: KeyIdentifier, reason: Reason) {
        self.keyIdentifier = keyIdentifier
        self.reason = reason
    }
}

/// The answer: a key of 32 bytes, whose purpose is that of the request.
public struct VaultUnlockResponseV4<Purpose>: Sendable, Equatable {
    /// The key.
    public let key: Key256<Purpose>

    /// Takes the key.
    public init(key: Key256<Purpose>) { self.key = key }
}

extension VaultUnlockResponseV4: Codable {
    private enum CodingKeys: String, CodingKey { case vaultEncryptionKey }

    /// Reads the JSON form; the key is strict Base64.
    /// - Throws: ``ProtocolError`` naming the member, or `DecodingError` for JSON of another shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        key = try Key256(
            StrictBase64.decode(container.decode(String.self, forKey: .vaultEncryptionKey), field: "vaultEncryptionKey")
        )
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(StrictBase64.encode(key.rawData), forKey: .vaultEncryptionKey)
    }
}
