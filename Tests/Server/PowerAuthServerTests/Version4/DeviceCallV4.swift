// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// Every endpoint that devices of protocol 4 call, with what protocol-4.md says about it.
enum DeviceCallV4: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case serverStatus = "/pa/v4/status"
    case createTemporaryKey = "/pa/v4/keystore/create"
    case createActivation = "/pa/v4/activation/create"
    case confirmActivation = "/pa/v4/activation/confirm"
    case activationStatus = "/pa/v4/activation/status"
    case removeActivation = "/pa/v4/activation/remove"
    case validate = "/pa/v4/auth/validate"
    case createToken = "/pa/v4/token/create"
    case removeToken = "/pa/v4/token/remove"
    case unlockVault = "/pa/v4/vault/unlock"
    case changePassword = "/pa/v4/password/change"
    case addBiometry = "/pa/v4/biometry/add"
    case removeBiometry = "/pa/v4/biometry/remove"
    case startUpgrade = "/pa/v4/upgrade/start"
    case confirmUpgrade = "/pa/v4/upgrade/confirm"
    case userInfo = "/pa/v4/user/info"

    var testDescription: String { rawValue }

    /// What protects a request.
    enum Form: Equatable, Sendable {
        case plain
        /// A code over the body as sent.
        case coded
        /// An envelope with its own header.
        case sealed(EciesScope)
        /// A code over the envelope.
        case sealedThenCoded
        /// A code of version 3.3 over an envelope, and both headers.
        case upgrade
    }

    var form: Form {
        switch self {
        case .serverStatus, .createTemporaryKey: .plain
        case .confirmActivation, .removeActivation, .validate, .removeToken, .removeBiometry, .confirmUpgrade: .coded
        case .createActivation: .sealed(.application)
        case .activationStatus, .userInfo: .sealed(.activation)
        case .createToken, .unlockVault, .changePassword, .addBiometry: .sealedThenCoded
        case .startUpgrade: .upgrade
        }
    }

    /// Whether a code is verified.
    var isCoded: Bool { [.coded, .sealedThenCoded, .upgrade].contains(form) }

    /// The label that the code covers in place of the URL.
    var uriId: String { rawValue.replacing("/pa/v4/", with: "/pa/") }

    /// The purpose of the endpoint's envelopes.
    var purpose: AeadPurpose {
        switch self {
        case .createActivation: .applicationGeneric
        case .createToken: .tokenCreate
        case .unlockVault: .vaultUnlock
        case .changePassword: .passwordChange
        case .addBiometry: .biometryAdd
        case .startUpgrade: .upgradeStart
        default: .activationGeneric
        }
    }

    /// The factors that are accepted.
    var factors: Set<SignatureType> {
        switch self {
        case .validate, .createToken, .removeToken, .removeBiometry: .withPossession
        case .removeActivation: .strong
        case .confirmUpgrade: [.possession]
        default: [.possessionKnowledge]
        }
    }

    /// The factors of a request that is accepted.
    var usualFactors: SignatureType { self == .confirmUpgrade ? .possession : .possessionKnowledge }

    /// The failure of a request whose code is not accepted.
    var codeFailure: ErrorResponse { self == .startUpgrade ? .authentication : .authenticationCode }

    /// The failure of a request whose envelope or content cannot be read.
    var closedFailure: ErrorResponse {
        switch self {
        case .createActivation, .confirmActivation, .activationStatus: .activation
        case .createTemporaryKey: .temporaryKey
        case .unlockVault: .vault
        case .changePassword, .addBiometry, .userInfo: .encryption
        case .startUpgrade: .upgrade
        default: .authenticationCode
        }
    }

    /// The members of an answer's content, decrypted where it is encrypted.
    var answerKeys: Set<String> {
        switch self {
        case .serverStatus: ["serverTime", "application"]
        case .createTemporaryKey: ["jwt"]
        case .createActivation: ["activationData", "customAttributes", "userInfo"]
        case .confirmActivation, .validate, .removeBiometry, .confirmUpgrade: ["status"]
        case .activationStatus: ["activationStatus"]
        case .removeActivation: ["activationId"]
        case .createToken: ["tokenId", "tokenSecret"]
        case .removeToken: ["tokenId"]
        case .unlockVault: ["vaultEncryptionKey"]
        case .changePassword, .addBiometry: ["salt", "encapsulatedKeys"]
        case .startUpgrade: ["sharedSecretResponse", "serverPublicKeys", "ctrData"]
        case .userInfo: ["sub", "jti", "iat"]
        }
    }

    /// The history items of a call that is accepted.
    var changes: [String] {
        switch self {
        case .createActivation: ["PENDING_COMMIT"]
        case .removeActivation: ["REMOVED"]
        case .confirmUpgrade: ["ACTIVE ACTIVATION_VERSION_CHANGED"]
        default: []
        }
    }
}
