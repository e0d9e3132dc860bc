// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol

/// The resources of protocol 4 (protocol-4.md, section 16).
extension RestEndpoint {
    package static let createActivationV4 = RestEndpoint(
        path: "/pa/v4/activation/create",
        encryption: Encryption(.applicationGeneric, refusal: .anyReason("ERR_ACTIVATION")))
    package static let confirmActivation = RestEndpoint(
        path: "/pa/v4/activation/confirm", signedAs: "/pa/activation/confirm", by: .activationConfirmation)
    package static let activationStatusV4 = RestEndpoint(
        path: "/pa/v4/activation/status",
        encryption: Encryption(.activationGeneric, refusal: .code("ERR_ACTIVATION")))
    package static let removeActivationV4 = RestEndpoint(
        path: "/pa/v4/activation/remove", signedAs: "/pa/activation/remove", by: .authenticationCode)
    package static let validateCode = RestEndpoint(
        path: "/pa/v4/auth/validate", signedAs: "/pa/auth/validate", by: .authenticationCode)
    package static let createTokenV4 = RestEndpoint(
        path: "/pa/v4/token/create", signedAs: "/pa/token/create", by: .authenticationCode,
        encryption: Encryption(.tokenCreate, refusal: .wrongSignature))
    package static let removeTokenV4 = RestEndpoint(
        path: "/pa/v4/token/remove", signedAs: "/pa/token/remove", by: .authenticationCode)
    package static let unlockVaultV4 = RestEndpoint(
        path: "/pa/v4/vault/unlock", signedAs: "/pa/vault/unlock", by: .authenticationCode,
        encryption: Encryption(.vaultUnlock, refusal: .code("ERR_SECURE_VAULT")))
    // The code is verified before the envelope is opened, so a repetition has another one.
    package static let changePassword = RestEndpoint(
        path: "/pa/v4/password/change", signedAs: "/pa/password/change", by: .authenticationCode,
        encryption: Encryption(.passwordChange, refusal: .code("ERR_ENCRYPTION")))
    package static let addBiometry = RestEndpoint(
        path: "/pa/v4/biometry/add", signedAs: "/pa/biometry/add", by: .authenticationCode,
        encryption: Encryption(.biometryAdd, refusal: .code("ERR_ENCRYPTION")))
    package static let removeBiometry = RestEndpoint(
        path: "/pa/v4/biometry/remove", signedAs: "/pa/biometry/remove", by: .authenticationCode)
    /// A signature of protocol 3 over a body that is encrypted as in protocol 4.
    package static let startUpgradeV4 = RestEndpoint(
        path: "/pa/v4/upgrade/start", signedAs: "/pa/upgrade/start",
        encryption: Encryption(.upgradeStart, refusal: .code("ERR_UPGRADE")))
    package static let confirmUpgrade = RestEndpoint(
        path: "/pa/v4/upgrade/confirm", signedAs: "/pa/upgrade/confirm", by: .upgradeConfirmation)
    package static let userInfoV4 = RestEndpoint(
        path: "/pa/v4/user/info", encryption: Encryption(.activationGeneric, refusal: .code("ERR_ENCRYPTION")))
    package static let serverStatusV4 = RestEndpoint(path: "/pa/v4/status", belongsToActivation: false)
    package static let createTemporaryKeyV4 = RestEndpoint(path: "/pa/v4/keystore/create", belongsToActivation: false)
    package static let createTemporaryKeyOfActivationV4 = RestEndpoint(path: createTemporaryKeyV4.path)

    /// Every resource of protocol 4 that the SDK asks for.
    package static let allVersion4: [RestEndpoint] = [
        createActivationV4, confirmActivation, activationStatusV4, removeActivationV4, validateCode, createTokenV4,
        removeTokenV4, unlockVaultV4, changePassword, addBiometry, removeBiometry, startUpgradeV4, confirmUpgrade,
        userInfoV4, serverStatusV4, createTemporaryKeyV4, createTemporaryKeyOfActivationV4,
    ]

    /// Whether the request carries the header of encryption although it is signed, too (protocol-4.md, section 7).
    var hasBothHeaders: Bool { encryption?.purpose == .upgradeStart }
}
