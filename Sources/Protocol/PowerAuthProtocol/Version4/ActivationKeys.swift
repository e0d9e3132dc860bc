// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The keys that both sides derive from `KEY_ACTIVATION_SECRET` (protocol-4.md, section 4).
public struct ActivationKeys: Sendable {
    /// The possession factor.
    public let possession: Key256<KeyPurpose.Possession>
    /// The initial knowledge factor; a password change replaces it.
    public let knowledge: Key256<KeyPurpose.Knowledge>
    /// The initial biometry factor; adding biometry later replaces it.
    public let biometry: Key256<KeyPurpose.Biometry>
    /// `KEK_DEVICE_PRIVATE`; the client gets it from the server when it needs it.
    public let deviceKeyEncryption: Key256<KeyPurpose.DeviceKeyEncryption>
    /// `KDK_APP_VAULT_KNOWLEDGE`.
    public let knowledgeVault: Key256<KeyPurpose.KnowledgeVault>
    /// `KDK_APP_VAULT_2FA`.
    public let twoFactorVault: Key256<KeyPurpose.TwoFactorVault>
    /// The keys for requests without a factor.
    public let utility: UtilityKeys

    /// Derives all.
    public init(secret: ActivationSecret) {
        let kmac = KMAC256()
        let auth: Key256<KeyPurpose.Derivation> = secret.derived(.auth, kmac)
        possession = auth.derived(.possession, kmac)
        knowledge = auth.derived(.knowledge, kmac)
        biometry = auth.derived(.biometry, kmac)
        let vault: Key256<KeyPurpose.Derivation> = secret.derived(.vault, kmac)
        deviceKeyEncryption = vault.derived(.deviceKeyEncryption, kmac)
        knowledgeVault = vault.derived(.knowledgeVault, kmac)
        twoFactorVault = vault.derived(.twoFactorVault, kmac)
        utility = UtilityKeys(derivationKey: secret.derived(.util, kmac))
    }
}

/// The keys below `util`. A client stores their derivation key instead of the activation's secret.
public struct UtilityKeys: Sendable {
    /// `KDK` of this branch.
    public let derivationKey: Key256<KeyPurpose.Derivation>
    /// `KEY_MAC_CTR_DATA`.
    public let counterCode: Key256<KeyPurpose.CounterCode>
    /// `KEY_MAC_STATUS`.
    public let statusCode: Key256<KeyPurpose.StatusCode>
    /// Signs requests for a temporary key of the activation.
    public let temporaryKeyRequest: Key256<KeyPurpose.TemporaryKeyRequest>
    /// `KEY_MAC_PERSONALIZED_DATA`.
    public let personalizedData: Key256<KeyPurpose.OfflineCode>
    /// `KEY_E2EE_SHARED_INFO2`.
    public let sharedInfo2: Key256<KeyPurpose.SharedInfo2>
    /// For the application.
    public let application: Key256<KeyPurpose.Application>

    /// Derives all.
    public init(derivationKey: Key256<KeyPurpose.Derivation>) {
        let kmac = KMAC256()
        self.derivationKey = derivationKey
        counterCode = derivationKey.derived(.counterCode, kmac)
        statusCode = derivationKey.derived(.statusCode, kmac)
        temporaryKeyRequest = derivationKey.derived(.activationKeyRequest, kmac)
        personalizedData = derivationKey.derived(.personalizedData, kmac)
        sharedInfo2 = derivationKey.derived(.sharedInfo2, kmac)
        application = derivationKey.derived(.application, kmac)
    }
}
