// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2
import SDKTestSupport
import TestSupport
import Testing

/// Every operation of the SDK with the external encryption key that the activation uses, with another one, with none, and
/// with one although none is used (sdk.md, section 12.5).
@Suite("Every operation and the external encryption key", .endsInTime)
struct ExternalKeyTableTests {
    enum Situation: CaseIterable, Sendable {
        case right, wrong, missing, unneeded

        static let key = Data(repeating: 0x50, count: 16)

        /// What the activation is protected with.
        var used: Data? { self == .unneeded ? nil : Self.key }

        /// What the SDK object has.
        var given: Data? {
            switch self {
            case .right, .unneeded: Self.key
            case .wrong: Data(repeating: 0x51, count: 16)
            case .missing: nil
            }
        }

        /// How an operation ends that signs with the password; nil for a success.
        var error: PowerAuthErrorCode? {
            switch self {
            case .right: nil
            // Only the server notices a wrong key, and takes it for a wrong password.
            case .wrong: .networkError
            case .missing, .unneeded: .signatureError
            }
        }
    }

    /// The operations of an activation that there is, of the protocol that there is.
    private static let operations = LateOperation.allCases.filter {
        ![.creation, .upgradeStart, .upgradeCommit].contains($0)
    }

    @Test(arguments: operations, Situation.allCases)
    func `An operation that signs with the password needs the key, and no other operation does`(
        operation: LateOperation, situation: Situation
    ) async throws {
        let (app, code) = try await Self.application(for: operation, situation)
        let sdk = try app.restarted { $0.externalEncryptionKey = situation.given }
        let error = await operation(sdk, code: code)
        #expect(error?.powerAuthErrorCode == (operation.needsPassword ? situation.error : nil))
        guard operation != .removal || error != nil else { return }
        // What was refused has changed nothing.
        let right = try app.restarted { $0.externalEncryptionKey = situation.used }
        let isChanged = operation == .passwordChange && error == nil
        #expect(await right.validate(isChanged ? LateOperation.passwordAfterChange : TestApp.password) == nil)
        guard operation == .biometry, error == nil else { return }
        try app.answer(.success)
        let authentication = try await right.authenticate().get()
        #expect(try await app.sign(right, with: authentication).get())
    }

    private static func application(
        for operation: LateOperation, _ situation: Situation
    ) async throws -> (app: TestApp, code: String) {
        guard operation == .recoveryConfirmation || operation == .recoveryData else {
            let app = try await TestApp.activated { $0.externalEncryptionKey = situation.used }
            if operation == .biometry { try app.enrol() }
            if operation == .tokenRemoval { _ = try await app.sdk.token("old").get() }
            return (app, "")
        }
        let app = try await RecoveryTests.recovering(.alone)
        let code = try await app.createActivation().get().activationRecovery?.recoveryCode
        if let key = situation.used { try app.sdk.setExternalEncryptionKey(key) }
        try app.sdk.persistActivation(withPassword: TestApp.password)
        try await app.backOffice.commit(app.activationId)
        return (app, try #require(code))
    }
}
