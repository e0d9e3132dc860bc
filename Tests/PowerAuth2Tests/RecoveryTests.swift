import Foundation
import LabKit
import PowerAuth2
import Testing

@Suite("sdk.md 12.4: recovery")
struct RecoveryTests {
    /// An application of the server that gives every activation a recovery code.
    private static func recovering(_ mode: TestApp.Mode) async throws -> TestApp {
        let server = try await RealServer.start()
        try await server.backOffice.call(
            "recovery/config/update",
            [
                "applicationId": .string(server.backOffice.applicationId), "activationRecoveryEnabled": true,
                "recoveryPostcardEnabled": false, "allowMultipleRecoveryCodes": false,
            ])
        return try await TestApp(mode, server: server)
    }

    @Test(
        "The recovery data of an activation are confirmed, come back from the vault and replace a lost activation",
        arguments: TestApp.Mode.allCases)
    func recovery(mode: TestApp.Mode) async throws {
        let app = try await Self.recovering(mode)
        let result = try await app.createActivation().get()
        let issued = try #require(result.activationRecovery)
        try app.sdk.persistActivation(withPassword: TestApp.password)
        try await app.backOffice.commit(app.activationId)
        #expect(app.sdk.hasActivationRecoveryData())
        let confirmation: (wasConfirmed: Bool, error: NSError?) = await callback { report in
            app.sdk.confirmRecoveryCode(issued.recoveryCode, authentication: .rightPassword) { report(($0, $1)) }
        }
        #expect(confirmation.wasConfirmed && confirmation.error == nil)
        let stored = try await outcome { app.sdk.activationRecoveryData(.rightPassword, callback: $0) }.get()
        #expect(stored.recoveryCode == issued.recoveryCode && stored.puk == issued.puk)

        let old = try app.activationId
        app.sdk.removeActivationLocal()
        #expect(!app.sdk.hasActivationRecoveryData())
        let activation = try PowerAuthActivation(recoveryCode: issued.recoveryCode, recoveryPuk: issued.puk)
        _ = try await outcome { app.sdk.createActivation(activation, callback: $0) }.get()
        try app.sdk.persistActivation(withPassword: TestApp.password)
        let new = try app.activationId
        #expect(new != old)
        #expect(try await app.backOffice.state(old) == "REMOVED")
        if try await app.status().get().state == .pendingCommit { try await app.backOffice.commit(new) }
        #expect(await app.validate() == nil)
        #expect(await failure { app.sdk.removeActivation(with: .rightPassword, callback: $0) } == nil)
        #expect(try await app.backOffice.state(new) == "REMOVED")
    }

    @Test("Without recovery data on the server there are none here", arguments: TestApp.Mode.allCases)
    func none(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        #expect(!app.sdk.hasActivationRecoveryData())
        let result = await outcome { app.sdk.activationRecoveryData(.rightPassword, callback: $0) }
        #expect(result.code == .invalidActivationState)
    }

    @Test("A wrong PUK is refused with the index of the one to use, and nothing is left pending")
    func wrongPuk() async throws {
        let app = try await Self.recovering(.alone)
        let issued = try #require(try await app.createActivation().get().activationRecovery)
        try app.sdk.persistActivation(withPassword: TestApp.password)
        try await app.backOffice.commit(app.activationId)
        app.sdk.removeActivationLocal()
        let wrong = issued.puk == "0000000000" ? "1111111111" : "0000000000"
        let activation = try PowerAuthActivation(recoveryCode: "R:" + issued.recoveryCode, recoveryPuk: wrong)
        let result = await outcome { app.sdk.createActivation(activation, callback: $0) }
        guard case .failure(let error) = result else {
            Issue.record("a wrong PUK was accepted")
            return
        }
        #expect(error.powerAuthErrorCode == .networkError)
        let response = error.userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse
        #expect(response?.responseObject.currentRecoveryPukIndex == 1)
        #expect(app.sdk.canStartActivation())
    }
}
