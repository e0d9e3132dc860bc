// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// Hands out the keys of the vault in protocol 4 (protocol-4.md, section 13).
struct VaultServiceV4: Sendable {
    let context: ServiceContext

    /// The factors of which any may open some key; the key decides about each.
    static let factors: Set<SignatureType> = [.possessionKnowledge, .possessionBiometry]

    private struct Answer: Encodable {
        /// Base64 of 32 bytes.
        let vaultEncryptionKey: String
    }

    /// A request that could be decrypted; its code was not verified yet.
    struct Opened: Sendable {
        let wanted: VaultUnlockRequestV4
        fileprivate let request: OpenedRequestV4
        fileprivate let keys: PowerAuthProtocol.ActivationKeys
    }

    /// Opens a request for a key.
    /// - Parameters:
    ///   - sealed: activation scope.
    ///   - type: the factors of its code.
    /// - Throws: `invalidSignature` for factors that do not open this key; as ``EnvelopeOpenerV4``; `DecodingError` for
    ///   a content that is no such JSON.
    func open(_ sealed: SealedRequestV4, type: SignatureType) throws -> Opened {
        let (opened, activation) = try EnvelopeOpenerV4(context: context).openActivation(sealed, as: .vaultUnlock)
        let wanted = try JSONBody.decode(VaultUnlockRequestV4.self, from: opened.plaintext)
        guard isOpened(wanted.keyIdentifier, by: type), let record = activation.version4 else {
            throw ServiceError(.invalidSignature, "\(type.name) does not open \(wanted.keyIdentifier.rawValue)")
        }
        return Opened(
            wanted: wanted, request: opened, keys: try context.seal.secrets(of: activation, record).keys)
    }

    /// The key that a device has asked for, once its code was verified.
    /// - Throws: `encryptionFailed` when it cannot be encrypted.
    func answer(_ opened: Opened) throws -> AeadResponse {
        let keys = opened.keys
        let key =
            switch opened.wanted.keyIdentifier {
            case .deviceKeyEncryption: keys.deviceKeyEncryption.rawData
            case .twoFactorVault: keys.twoFactorVault.rawData
            case .knowledgeVault: keys.knowledgeVault.rawData
            }
        return try opened.request.sealJSON(
            Answer(vaultEncryptionKey: StrictBase64.encode(key)), at: context.clock.now())
    }

    private func isOpened(_ key: VaultUnlockRequestV4.KeyIdentifier, by type: SignatureType) -> Bool {
        switch (type, key) {
        case (.possessionKnowledge, _), (.possessionBiometry, .twoFactorVault): true
        case (.possessionBiometry, .deviceKeyEncryption): context.policy.isVaultOpenedByBiometry
        default: false
        }
    }
}
