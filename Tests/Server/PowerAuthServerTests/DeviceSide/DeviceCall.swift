// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// Every endpoint that devices call, with what rest-api.md says about it: how a request is protected (rest-api.md,
/// section 4.4) and which failure each kind of mistake has (rest-api.md, sections 6 and 7).
enum DeviceCall: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case createActivation = "/pa/v3/activation/create"
    case activationStatus = "/pa/v3/activation/status"
    case removeActivation = "/pa/v3/activation/remove"
    case activationDetail = "/pa/v3/activation/detail"
    case renameActivation = "/pa/v3/activation/rename"
    case validateSignature = "/pa/v3/signature/validate"
    case createToken = "/pa/v3/token/create"
    case removeToken = "/pa/v3/token/remove"
    case unlockVault = "/pa/v3/vault/unlock"
    case confirmRecovery = "/pa/v3/recovery/confirm"
    case startUpgrade = "/pa/v3/upgrade/start"
    case commitUpgrade = "/pa/v3/upgrade/commit"
    case userInfo = "/pa/v3/user/info"
    case serverStatus = "/pa/v3/status"
    case createTemporaryKey = "/pa/v3/keystore/create"
    case login = "/session/login"
    case account = "/secured/account/{id}"
    case balance = "/secure/account/widget/balance"
    case exchangeApplication = "/exchange/v3/application"
    case exchangeActivation = "/exchange/v3/activation"
    case exchangeSigned = "/exchange/v3/signed"
    case exchangeString = "/exchange/v3/signed/string"
    case exchangeRaw = "/exchange/v3/signed/raw"
    case exchangeGenerics = "/exchange/v3/signed/generics"
    case exchangeToken = "/exchange/v3/token"
    case exchangeApplicationGenerics = "/exchange/v3/application/generics"
    case exchangeActivationGenerics = "/exchange/v3/activation/generics"
    case exchangeTokenGenerics = "/exchange/v3/token/generics"
    case identityProvider = "/api/config/oidc"
    case activationCode = "/api/activation/code"

    var testDescription: String { rawValue }

    /// The one-time password of an activation code, as short as it may be.
    static let otpOfCode = "1234567890abcdef"

    /// What protects a request.
    enum Form: Equatable, Sendable {
        /// Nothing but, for a temporary key, the JWT in the body.
        case plain
        /// A signature over the body as sent.
        case signed
        /// An envelope with its own header.
        case sealed(EciesScope)
        /// A signature over the envelope.
        case sealedThenSigned
        /// An envelope around what was signed.
        case signedThenSealed
        case token
        case tokenAndSealed
    }

    var form: Form {
        switch self {
        case .activationStatus, .serverStatus, .createTemporaryKey: .plain
        case .removeActivation, .validateSignature, .removeToken, .commitUpgrade, .login, .account: .signed
        case .createActivation, .exchangeApplication, .exchangeApplicationGenerics, .identityProvider:
            .sealed(.application)
        case .startUpgrade, .userInfo, .exchangeActivation, .exchangeActivationGenerics: .sealed(.activation)
        case .createToken, .unlockVault, .confirmRecovery: .sealedThenSigned
        case .renameActivation, .exchangeSigned, .exchangeString, .exchangeRaw, .exchangeGenerics, .activationCode:
            .signedThenSealed
        case .balance: .token
        case .activationDetail, .exchangeToken, .exchangeTokenGenerics: .tokenAndSealed
        }
    }

    var methods: Set<String> {
        switch self {
        case .validateSignature: ["POST", "GET", "PUT", "DELETE"]
        case .balance: ["GET", "POST"]
        default: ["POST"]
        }
    }

    /// The versions that change the request; one represents all if none does.
    var versions: [ProtocolVersion] {
        switch self {
        case .serverStatus, .createTemporaryKey: [.v3_3]
        default: ProtocolVersion.allCases
        }
    }

    /// Whether the content type matters: resources that do not read JSON ignore it.
    var readsJSON: Bool { !takesAnyBody }

    /// Whether any bytes will do, as long as a signature that is asked for covers them.
    var takesAnyBody: Bool {
        switch self {
        case .removeActivation, .validateSignature, .commitUpgrade, .serverStatus, .login, .account, .balance: true
        default: false
        }
    }

    /// The failures of the endpoint's own, as documented (rest-api.md, sections 6 and 7.2).
    var documented: [ErrorResponse] {
        switch self {
        case .createActivation: [.activation, .recovery(expectedPukIndex: 1)]
        case .activationStatus: [.activation]
        case .removeActivation, .activationDetail, .renameActivation: [.activation, .authentication]
        case .validateSignature, .createToken, .removeToken, .confirmRecovery: [.authentication]
        case .unlockVault: [.vault, .authentication]
        case .startUpgrade, .commitUpgrade: [.upgrade, .authentication]
        case .userInfo: [.encryption, .userInfo]
        case .serverStatus: []
        case .identityProvider: [.encryption, .applicationConfiguration]
        case .activationCode: [.activationCode, .authentication]
        case .createTemporaryKey: [.temporaryKey]
        case .login, .account, .balance, .exchangeRaw: [.authentication]
        case .exchangeApplication, .exchangeActivation, .exchangeApplicationGenerics, .exchangeActivationGenerics:
            [.encryption]
        case .exchangeSigned, .exchangeString, .exchangeGenerics, .exchangeToken, .exchangeTokenGenerics:
            [.encryption, .authentication]
        }
    }

    /// The failure of a request whose PowerAuth header cannot be read (rest-api.md, section 7.4).
    func failure(ofHeader name: String) -> ErrorResponse {
        switch self {
        case .createActivation: .activation
        case .startUpgrade, .commitUpgrade: .upgrade
        case .userInfo, .exchangeApplication, .exchangeActivation, .exchangeApplicationGenerics,
            .exchangeActivationGenerics, .identityProvider:
            .encryption
        case .activationDetail: name == EncryptionHeader.name ? .activation : .authentication
        case .exchangeToken, .exchangeTokenGenerics:
            name == EncryptionHeader.name ? .encryption : .authentication
        default: .authentication
        }
    }

    /// The failure of a request whose body cannot be read or opened (rest-api.md, section 7.3).
    var closedFailure: ErrorResponse {
        switch self {
        case .createActivation, .activationStatus, .activationDetail: .activation
        case .createTemporaryKey: .temporaryKey
        case .unlockVault: .vault
        case .startUpgrade: .upgrade
        case .userInfo, .exchangeApplication, .exchangeActivation, .exchangeToken, .exchangeApplicationGenerics,
            .exchangeActivationGenerics, .exchangeTokenGenerics, .identityProvider:
            .encryption
        default: .authentication
        }
    }

    /// The failure of an envelope without nonce, timestamp or temporary key where the version requires them
    /// (rest-api.md, section 6.6, and section 6.11 for the upgrade).
    var missingFieldFailure: ErrorResponse {
        switch self {
        case .unlockVault, .startUpgrade: .authentication
        default: closedFailure
        }
    }

    /// The failure of a well-formed request whose activation or application is not to be served
    /// (rest-api.md, section 7.5).
    var refusal: ErrorResponse {
        switch self {
        case .startUpgrade: .upgrade
        case .userInfo, .exchangeApplication, .exchangeActivation, .exchangeApplicationGenerics,
            .exchangeActivationGenerics, .identityProvider:
            .encryption
        case .createActivation: .activation
        case .createTemporaryKey: .temporaryKey
        default: .authentication
        }
    }

    /// The label that is signed in place of the URL.
    var uriId: String {
        switch self {
        case .account: "/secured/account/42?filter=all"
        default: rawValue.replacing("/pa/v3/", with: "/pa/")
        }
    }

    /// Where a request goes.
    var uri: String { self == .account ? "/secured/account/42?filter=all" : rawValue }

    /// The purpose of the endpoint's envelopes.
    var sharedInfo1: EciesSharedInfo1 {
        switch self {
        case .createActivation, .exchangeApplication, .exchangeApplicationGenerics, .identityProvider:
            .applicationGeneric
        case .createToken: .createToken
        case .unlockVault: .vaultUnlock
        case .confirmRecovery: .confirmRecovery
        case .startUpgrade: .upgrade
        default: .activationGeneric
        }
    }

    /// The factors of a request that is accepted.
    var factors: SignatureType { self == .commitUpgrade ? .possession : .possessionKnowledge }

    /// The keys of an answer's content, decrypted where it is encrypted.
    func answerKeys(_ version: ProtocolVersion) -> Set<String> {
        switch self {
        case .createActivation: ["activationData", "customAttributes", "userInfo"]
        case .activationStatus:
            Set(["activationId", "encryptedStatusBlob"] + (version.usesStatusChallenge ? ["nonce"] : []))
        case .removeActivation: ["activationId"]
        case .activationDetail, .renameActivation: ["activationId", "activationName"]
        case .validateSignature, .commitUpgrade: ["status"]
        case .createToken: ["tokenId", "tokenSecret"]
        case .removeToken: ["tokenId"]
        case .unlockVault: ["encryptedVaultEncryptionKey"]
        case .confirmRecovery: ["alreadyConfirmed"]
        case .startUpgrade: ["ctrData"]
        case .userInfo: ["sub", "jti", "iat"]
        case .serverStatus: ["serverTime", "application"]
        case .createTemporaryKey: ["jwt"]
        case .login: ["userId", "activationId"]
        case .account: ["accountId", "userId"]
        case .balance, .exchangeString: []
        case .identityProvider: ["providerId", "clientId", "scopes", "authorizeUri", "redirectUri", "pkceEnabled"]
        case .activationCode: ["activationId", "activationCode", "activationSignature"]
        default: ["data"]
        }
    }
}

extension DeviceCall {
    /// The endpoints that read an envelope.
    static let sealed = allCases.filter { ![.plain, .signed, .token].contains($0.form) }
    /// The endpoints that check a signature.
    static let signed = allCases.filter { [.signed, .sealedThenSigned, .signedThenSealed].contains($0.form) }
    /// The endpoints that ask for a PowerAuth header.
    static let withHeader = allCases.filter { $0.form != .plain }
    /// The endpoints that serve one activation.
    static let ofActivation = withHeader.filter { $0.form != .sealed(.application) }
}
