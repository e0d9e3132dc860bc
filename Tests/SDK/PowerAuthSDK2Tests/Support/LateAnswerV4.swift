// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuth2
import PowerAuthSDK2
import PowerAuthShared
import SDKTestSupport
import TestSupport

/// An operation of SDK 2.0 that asks the server and does something with the answer. Each resource of protocol 4 has its
/// row.
enum LateOperation: CaseIterable, Sendable {
    case status, validation, passwordChange, passwordChangeInSteps, removal
    case vaultKey, deviceSignature, jws, certificateRequest, biometry, biometryRemoval, token, tokenRemoval
    case userInfo, keyOfActivation, keyOfApplication, serverStatus
    case upgradeStart, upgradeConfirmation, upgradeProgress, creation, persisting

    /// The request whose answer is late.
    var endpoint: RestEndpoint {
        switch self {
        case .status, .upgradeProgress: .activationStatusV4
        case .validation, .passwordChangeInSteps: .validateCode
        case .passwordChange: .changePassword
        case .removal: .removeActivationV4
        case .vaultKey, .deviceSignature, .jws, .certificateRequest: .unlockVaultV4
        case .biometry: .addBiometry
        case .biometryRemoval: .removeBiometry
        case .token: .createTokenV4
        case .tokenRemoval: .removeTokenV4
        case .userInfo: .userInfoV4
        case .keyOfActivation: .createTemporaryKeyOfActivationV4
        case .keyOfApplication: .createTemporaryKeyV4
        case .serverStatus: .serverStatusV4
        case .upgradeStart: .startUpgradeV4
        case .upgradeConfirmation: .confirmUpgrade
        case .creation: .createActivationV4
        case .persisting: .confirmActivation
        }
    }

    /// The function of the SDK.
    var function: String {
        switch self {
        case .status: "fetchActivationStatus"
        case .validation: "validatePassword"
        case .passwordChange: "changePassword"
        case .passwordChangeInSteps: "beginPasswordChange"
        case .removal: "removeActivation"
        case .vaultKey: "fetchSecureVaultKey"
        case .deviceSignature: "signData"
        case .jws: "signJws"
        case .certificateRequest: "createSignedCSR"
        case .biometry: "addBiometryFactor"
        case .biometryRemoval: "removeBiometryFactor"
        case .token: "requestAccessToken"
        case .tokenRemoval: "removeAccessToken"
        case .userInfo: "fetchUserInfo"
        case .keyOfActivation: "encryptorForActivationScope"
        case .keyOfApplication: "encryptorForApplicationScope"
        case .serverStatus: "fetchServerStatus"
        case .upgradeStart, .upgradeConfirmation, .upgradeProgress: "startProtocolUpgrade"
        case .creation: "createActivation"
        case .persisting: "persistActivation"
        }
    }

    /// Functions with a callback that ask nothing of the server, or what another row asks.
    static let withoutRow: Set = [
        // The user is asked.
        "authenticateUsingBiometry",
        // The watch is asked.
        "sendActivationStatusToWatch",
        // It asks for the time, as `fetchServerStatus` does.
        "generateAuthorizationHeader",
        // The second step of a change is `changePassword`.
        "finish",
    ]

    var isUpgrade: Bool { function == "startProtocolUpgrade" }

    /// Whether the answer brings a key, for which an SDK object asks once.
    var bringsTemporaryKey: Bool { self == .keyOfActivation || self == .keyOfApplication }

    /// Runs the operation; its error. What makes an activation has tests of its own and no row.
    func callAsFunction(_ sdk: PowerAuthSDK2.PowerAuthSDK) async -> NSError? {
        await failure { report in
            let password = TestApp.password
            switch self {
            case .status: sdk.fetchActivationStatus { report($1) }
            case .validation: sdk.validatePassword(password: password, callback: report)
            case .passwordChange:
                sdk.changePassword(from: password, to: TestApp2.newPassword, callback: report)
            case .passwordChangeInSteps: sdk.beginPasswordChange(from: password) { report($1) }
            case .removal: sdk.removeActivation(with: .rightPassword, callback: report)
            case .vaultKey: sdk.fetchSecureVaultKey(.twoFactor, with: .rightPassword) { report($1) }
            case .deviceSignature: sdk.signData(withDevicePrivateKey: .rightPassword, data: Data()) { report($1) }
            case .jws: sdk.signJws(withDevicePrivateKey: .rightPassword, claims: ["sub": "alice"]) { report($1) }
            case .certificateRequest:
                sdk.createSignedCSR(
                    with: .rightPassword, distinguishedNames: ["CN": "alice"], subjectAltNames: nil
                ) { report($1) }
            case .biometry: sdk.addBiometryFactor(password: password, callback: report)
            case .biometryRemoval: sdk.removeBiometryFactor(callback: report)
            case .token:
                sdk.tokenStore.requestAccessToken(withName: "new", authentication: .possession()) { report($1) }
            case .tokenRemoval: sdk.tokenStore.removeAccessToken(withName: "old") { report($1) }
            case .userInfo: sdk.fetchUserInfo { report($1) }
            case .keyOfActivation: sdk.encryptorForActivationScope { report($1) }
            case .keyOfApplication: sdk.encryptorForApplicationScope { report($1) }
            case .serverStatus: sdk.fetchServerStatus { report($1) }
            case .upgradeStart, .upgradeConfirmation, .upgradeProgress:
                sdk.startProtocolUpgrade(with: .rightPassword, callback: report)
            case .creation, .persisting: report(nil)
            }
        }
    }
}

/// What another application does while the answer is under way.
enum Meanwhile: CaseIterable, Sendable {
    case removed, signed, statusFetched, blocked, upgraded
    /// An application of SDK 1.9 makes the next activation.
    case replaced
    /// It needs the turn of signed requests, as every change of a factor.
    case replacedInVersion4, passwordChanged, biometryRemoved

    /// Whether it has to wait for a signed request of another application.
    var isSerialized: Bool { [.replacedInVersion4, .passwordChanged, .biometryRemoved, .upgraded].contains(self) }

    /// - Returns: the application of SDK 1.9 that has made another activation.
    func happens(to app: TestApp2) async throws -> PowerAuth2.PowerAuthSDK? {
        switch self {
        case .removed: app.sdk.removeActivationLocal()
        case .replaced:
            app.sdk.removeActivationLocal()
            let older = try app.olderNeighbour()
            let initiated = try await app.backOffice.initiate(userId: app.userId)
            let activation = try PowerAuth2.PowerAuthActivation(activationCode: initiated.code, name: nil)
            _ = try await outcome { older.createActivation(activation, callback: $0) }.get()
            try older.persistActivation(withPassword: TestApp.password)
            try await app.backOffice.commit(initiated.activationId)
            return older
        case .replacedInVersion4:
            app.sdk.removeActivationLocal()
            try await app.activate()
        case .passwordChanged:
            let error = await failure {
                app.sdk.changePassword(from: TestApp.password, to: TestApp2.newPassword, callback: $0)
            }
            if let error { throw error }
        case .biometryRemoved:
            if let error = await failure({ app.sdk.removeBiometryFactor(callback: $0) }) { throw error }
        case .upgraded: if let error = await app.sdk.upgrade() { throw error }
        case .signed:
            for _ in 0..<2 { guard try await app.codeIsAccepted(.possession()) else { throw Refused() } }
        case .statusFetched: _ = try await app.sdk.status()
        case .blocked:
            try await app.backOffice.call("activation/block", ["activationId": .string(app.activationId)])
            guard try await app.sdk.status().state == .blocked else { throw Refused() }
        }
        return nil
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
        // Signed requests of all applications take turns.
        guard !operation.endpoint.isSerialized || !meanwhile.isSerialized else { return nil }
        switch (operation, meanwhile) {
        // Other applications see neither; what the application itself does is a test of its own.
        case (.creation, _), (.persisting, _): return nil
        // The server has removed it already.
        case (.removal, .signed), (.removal, .blocked): return nil
        case (_, .removed), (_, .replaced): break
        case (.upgradeProgress, .upgraded), (.status, .upgraded), (.userInfo, .upgraded): break
        case (_, .upgraded): return nil
        // What else can happen to an activation of protocol 3 is in the table of SDK 1.9.
        case _ where operation.isUpgrade: return nil
        default: break
        }
        (self.operation, self.meanwhile) = (operation, meanwhile)
    }

    /// Whether the activation is one of protocol 3.
    var isOld: Bool { meanwhile == .upgraded || operation.isUpgrade }

    /// The path of the request whose answer is late.
    var path: String {
        switch operation {
        case .status where isOld: RestEndpoint.activationStatus.path
        case .userInfo where isOld: RestEndpoint.userInfo.path
        default: operation.endpoint.path
        }
    }

    /// The password of the activation when both are over.
    var passwordAfter: String {
        meanwhile == .passwordChanged || operation == .passwordChange ? TestApp2.newPassword : TestApp.password
    }

    /// How the operation ends; nil for a success.
    var error: PowerAuthErrorCode? {
        switch (operation, meanwhile) {
        case (.serverStatus, _), (.keyOfApplication, _): nil
        case (.status, .removed), (.status, .replaced), (.status, .replacedInVersion4): .invalidActivationData
        // The status of protocol 3 is sealed with a key that is gone.
        case (.status, .upgraded): .invalidActivationData
        case (.keyOfActivation, .replaced), (.keyOfActivation, .replacedInVersion4): .missingActivation
        case (_, .removed): .missingActivation
        case (_, .replaced), (_, .replacedInVersion4): .invalidActivationState
        default: nil
        }
    }
}
