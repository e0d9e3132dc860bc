// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2
import PowerAuthShared
import SDKTestSupport
import TestSupport

/// An operation that asks the server and does something with the answer. Each resource of the server has its row.
enum LateOperation: CaseIterable, Sendable {
    case status, validation, passwordChange, removal, vaultKey, deviceSignature, biometry, token, tokenRemoval
    case recoveryConfirmation, userInfo, keyOfActivation, keyOfApplication, serverStatus, upgradeStart, upgradeCommit
    case creation, jwt, certificateRequest, recoveryData

    /// The request whose answer is late.
    var endpoint: RestEndpoint {
        switch self {
        case .status: .activationStatus
        case .validation, .passwordChange: .validateSignature
        case .removal: .removeActivation
        case .vaultKey, .deviceSignature, .biometry, .jwt, .certificateRequest, .recoveryData: .unlockVault
        case .token: .createToken
        case .tokenRemoval: .removeToken
        case .recoveryConfirmation: .confirmRecovery
        case .userInfo: .userInfo
        case .keyOfActivation: .createTemporaryKeyOfActivation
        case .keyOfApplication: .createTemporaryKey
        case .serverStatus: .serverStatus
        case .upgradeStart: .startUpgrade
        case .upgradeCommit: .commitUpgrade
        case .creation: .createActivation
        }
    }

    /// The function of the SDK.
    var function: String {
        switch self {
        case .status, .upgradeStart, .upgradeCommit: "fetchActivationStatus"
        case .validation: "validatePassword"
        case .passwordChange: "changePassword"
        case .removal: "removeActivation"
        case .vaultKey: "fetchEncryptionKey"
        case .deviceSignature: "signData"
        case .biometry: "addBiometryFactor"
        case .token: "requestAccessToken"
        case .tokenRemoval: "removeAccessToken"
        case .recoveryConfirmation: "confirmRecoveryCode"
        case .userInfo: "fetchUserInfo"
        case .keyOfActivation: "eciesEncryptorForActivationScope"
        case .keyOfApplication: "eciesEncryptorForApplicationScope"
        case .serverStatus: "fetchServerStatus"
        case .creation: "createActivation"
        case .jwt: "signJwt"
        case .certificateRequest: "createSignedCSR"
        case .recoveryData: "activationRecoveryData"
        }
    }

    /// Functions with a callback that ask nothing of the server, or what another row asks.
    static let withoutRow: Set = [
        // The user is asked.
        "authenticateUsingBiometry", "unlockBiometryKeys", "fetchBiometryKeys",
        // It asks for the time, as `fetchServerStatus` does.
        "generateAuthorizationHeader",
    ]

    /// Whether the password signs the request.
    var needsPassword: Bool {
        switch self {
        case .validation, .passwordChange, .removal, .vaultKey, .deviceSignature, .biometry, .recoveryConfirmation,
            .jwt, .certificateRequest, .recoveryData:
            true
        default: false
        }
    }

    static let passwordAfterChange = "5678"

    /// Runs the operation; its error.
    ///
    /// - Parameters:
    ///   - sdk: the SDK object that asks.
    ///   - code: a recovery code of the activation, or an activation code.
    func callAsFunction(_ sdk: PowerAuthSDK, code: String) async -> NSError? {
        await failure { report in
            switch self {
            case .status, .upgradeStart, .upgradeCommit: sdk.fetchActivationStatus { report($1) }
            case .validation: sdk.validatePassword(password: TestApp.password, callback: report)
            case .passwordChange:
                sdk.changePassword(from: TestApp.password, to: Self.passwordAfterChange, callback: report)
            case .removal: sdk.removeActivation(with: .rightPassword, callback: report)
            case .vaultKey: sdk.fetchEncryptionKey(.rightPassword, index: 7) { report($1) }
            case .deviceSignature: sdk.signData(withDevicePrivateKey: .rightPassword, data: Data()) { report($1) }
            case .biometry: sdk.addBiometryFactor(password: TestApp.password, callback: report)
            case .token:
                sdk.tokenStore.requestAccessToken(withName: "new", authentication: .possession()) { report($1) }
            case .tokenRemoval: sdk.tokenStore.removeAccessToken(withName: "old") { report($1) }
            case .recoveryConfirmation:
                sdk.confirmRecoveryCode(code, authentication: .rightPassword) { report($1) }
            case .userInfo: sdk.fetchUserInfo { report($1) }
            case .keyOfActivation: sdk.eciesEncryptorForActivationScope { report($1) }
            case .keyOfApplication: sdk.eciesEncryptorForApplicationScope { report($1) }
            case .serverStatus: sdk.fetchServerStatus { report($1) }
            case .jwt: sdk.signJwt(withDevicePrivateKey: .rightPassword, claims: ["sub": "alice"]) { report($1) }
            case .certificateRequest:
                sdk.createSignedCSR(
                    with: .rightPassword, distinguishedNames: ["CN": "alice"], subjectAltNames: nil
                ) { report($1) }
            case .recoveryData: sdk.activationRecoveryData(.rightPassword) { report($1) }
            case .creation: sdk.createActivation(withName: nil, activationCode: code) { report($1) }
            }
        }
    }
}

/// What another application does while the answer is under way. Nothing of it needs the lock of the queue, which belongs to
/// the request.
enum Meanwhile: CaseIterable, Sendable {
    case removed, replaced, passwordChanged, biometryChanged, upgraded, keyAdded, signed, statusFetched, blocked

    static let otherPassword = "9999"
    static let externalKey = Data(repeating: 0x45, count: 16)

    func happens(to app: TestApp) async throws {
        switch self {
        case .removed: app.sdk.removeActivationLocal()
        case .replaced:
            app.sdk.removeActivationLocal()
            try await app.activate()
        case .passwordChanged:
            guard app.sdk.unsafeChangePassword(from: TestApp.password, to: Self.otherPassword) else { throw Refused() }
        case .biometryChanged: guard app.sdk.removeBiometryFactor() else { throw Refused() }
        case .upgraded, .statusFetched: _ = try await app.status().get()
        case .keyAdded: try app.sdk.addExternalEncryptionKey(Self.externalKey)
        case .signed:
            for _ in 0..<2 { guard try await app.signatureIsAccepted(.possession()) else { throw Refused() } }
        case .blocked:
            try await app.backOffice.call("activation/block", ["activationId": .string(app.activationId)])
            guard try await app.status().get().state == .blocked else { throw Refused() }
        }
    }

    private struct Refused: Error {}
}

/// One row of the table: an operation, and what happens before its answer is there.
struct LateAnswer: Sendable, CustomStringConvertible {
    let operation: LateOperation
    let meanwhile: Meanwhile

    var description: String { "\(operation), \(meanwhile)" }

    /// Every combination that there can be.
    static let all = LateOperation.allCases.flatMap { operation in
        Meanwhile.allCases.compactMap { LateAnswer(operation, $0) }
    }

    private init?(_ operation: LateOperation, _ meanwhile: Meanwhile) {
        switch (operation, meanwhile) {
        // A key exchange excludes those of others; what its own application does is a test of its own.
        case (.creation, _): return nil
        // The server has removed it already.
        case (.removal, .signed), (.removal, .blocked): return nil
        // Signed requests of an old activation are refused, and who upgrades one excludes the others.
        case (.upgradeStart, .removed), (.upgradeCommit, .removed), (.status, .upgraded), (.userInfo, .upgraded): break
        case (.upgradeStart, _), (.upgradeCommit, _), (_, .upgraded): return nil
        default: break
        }
        (self.operation, self.meanwhile) = (operation, meanwhile)
    }

    /// Whether the activation is one of the older protocol.
    var isOld: Bool { meanwhile == .upgraded || [.upgradeStart, .upgradeCommit].contains(operation) }

    /// The password of the activation when both are over.
    var passwordAfter: String {
        operation == .passwordChange && error == nil ? LateOperation.passwordAfterChange : TestApp.password
    }

    /// How the operation ends; nil for a success.
    var error: PowerAuthErrorCode? {
        switch (operation, meanwhile) {
        case (.serverStatus, _), (.keyOfApplication, _): nil
        case (.status, .removed), (.status, .replaced): .invalidActivationData
        case (.keyOfActivation, .removed), (.keyOfActivation, .replaced): .missingActivation
        case (.upgradeStart, _), (.upgradeCommit, _): .protocolUpgrade
        case (_, .removed): .missingActivation
        case (_, .replaced): .invalidActivationState
        case (.passwordChange, .passwordChanged), (.biometry, .passwordChanged): .invalidActivationState
        case (.passwordChange, .keyAdded), (.biometry, .keyAdded): .invalidActivationState
        default: nil
        }
    }
}
