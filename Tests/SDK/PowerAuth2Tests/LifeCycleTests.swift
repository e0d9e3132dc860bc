// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2
import PowerAuthServer
import SDKTestSupport
import TestSupport
import Testing

@Suite("The life cycle of an activation (sdk.md, section 12.1)", .endsInTime)
struct LifeCycleTests {
    private static func expectNone(_ sdk: PowerAuthSDK) {
        #expect(!sdk.hasPendingActivation() && !sdk.hasValidActivation() && sdk.canStartActivation())
        #expect(sdk.activationIdentifier == nil && sdk.activationFingerprint == nil)
    }

    @Test(
        .verifies("sdk.md", "B-1"),
        arguments: TestApp.Mode.allCases)
    func `A fresh SDK object, and one whose activation was removed locally, can start an activation`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp(mode)
        Self.expectNone(app.sdk)
        try await app.activate()
        #expect(app.sdk.hasValidActivation())
        app.sdk.removeActivationLocal()
        Self.expectNone(app.sdk)
    }

    @Test(
        .verifies("sdk.md", "B-2"),
        arguments: TestApp.Mode.allCases)
    func `An activation is pending as soon as its task is there`(mode: TestApp.Mode) async throws {
        let app = try await TestApp(mode)
        let activation = try await app.activation()
        let result = await outcome {
            (report: @escaping @Sendable (PowerAuthActivationResult?, (any Error)?) -> Void) in
            #expect(app.sdk.createActivation(activation, callback: report) != nil)
            #expect(app.sdk.hasPendingActivation())
            #expect(!app.sdk.hasValidActivation() && !app.sdk.canStartActivation())
        }
        _ = try result.get()
    }

    @Test(
        .verifies("sdk.md", "B-3"),
        arguments: TestApp.Mode.allCases)
    func `Until it is persisted an activation stays pending, with identifier and fingerprint, without status`(
        mode: TestApp.Mode
    ) async throws {
        let app = try await TestApp(mode)
        let initiated = try await app.backOffice.initiate(userId: app.userId)
        let activation = try PowerAuthActivation(activationCode: initiated.code)
        _ = try await outcome { app.sdk.createActivation(activation, callback: $0) }.get()
        #expect(app.sdk.activationIdentifier == initiated.activationId)
        #expect(app.sdk.activationFingerprint != nil)

        var received: PowerAuthErrorCode?
        let task = app.sdk.fetchActivationStatus { status, error in
            #expect(status == nil)
            received = error?.powerAuthErrorCode
        }
        #expect(task == nil)
        #expect(received == .activationPending)
        #expect(app.sdk.hasPendingActivation() && !app.sdk.hasValidActivation() && !app.sdk.canStartActivation())
    }

    @Test(
        .verifies("sdk.md", "B-4"),
        arguments: TestApp.Mode.allCases)
    func `A persisted activation waits for the server's commit, then is active`(mode: TestApp.Mode) async throws {
        let app = try await TestApp(mode)
        _ = try await app.createActivation().get()
        try app.sdk.persistActivation(withPassword: TestApp.password)
        #expect(!app.sdk.hasPendingActivation() && app.sdk.hasValidActivation() && !app.sdk.canStartActivation())
        #expect(try await app.status().get().state == .pendingCommit)
        try await app.backOffice.commit(app.activationId)
        #expect(try await app.status().get().state == .active)
        #expect(await app.validate() == nil)
    }

    @Test(
        .verifies("sdk.md", "B-4"),
        arguments: TestApp.Mode.allCases)
    func `An activation is active at once when the server commits by itself`(mode: TestApp.Mode) async throws {
        let server = try await RealServer.start { configuration in
            configuration.activationProvider.commits = { $0 == "CODE" }
        }
        let app = try await TestApp(mode, server: server)
        _ = try await app.createActivation().get()
        try app.sdk.persistActivation(withPassword: TestApp.password)
        #expect(try await app.status().get().state == .active)
    }

    @Test(
        .verifies("sdk.md", "B-4"),
        arguments: TestApp.Mode.allCases)
    func `An activation is active at once when its one-time password was checked in the key exchange`(
        mode: TestApp.Mode
    ) async throws {
        let app = try await TestApp(mode)
        let initiated = try await app.backOffice.initiate(
            userId: app.userId, otp: "12-34-56", validation: "ON_KEY_EXCHANGE")
        let activation = try PowerAuthActivation(activationCode: initiated.code)
            .with(additionalActivationOtp: "12-34-56")
        _ = try await outcome { app.sdk.createActivation(activation, callback: $0) }.get()
        try app.sdk.persistActivation(withPassword: TestApp.password)
        #expect(try await app.status().get().state == .active)
        #expect(await app.validate() == nil)
    }

    @Test func `A wrong one-time password ends the key exchange, and the right one may follow`() async throws {
        let app = try await TestApp()
        let initiated = try await app.backOffice.initiate(
            userId: app.userId, otp: "1234", validation: "ON_KEY_EXCHANGE")
        for (otp, code) in [("4321", PowerAuthErrorCode.networkError), ("1234", nil)] {
            let activation = try PowerAuthActivation(activationCode: initiated.code).with(additionalActivationOtp: otp)
            let result = await outcome { app.sdk.createActivation(activation, callback: $0) }
            #expect(result.code == code)
            #expect(app.sdk.hasPendingActivation() == (code == nil))
        }
    }

    @Test(
        .verifies("sdk.md", "B-5"),
        arguments: TestApp.Mode.allCases)
    func `Device and server show the same fingerprint and name from the key exchange on`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp(mode)
        let result = try await app.createActivation { $0.with(activationName: "Phone of Eva") }.get()
        #expect(app.sdk.activationFingerprint == result.activationFingerprint)
        try app.sdk.persistActivation(withPassword: TestApp.password)
        #expect(app.sdk.activationFingerprint == result.activationFingerprint)
        #expect(result.activationFingerprint.wholeMatch(of: #/[0-9]{8}/#) != nil)
        let detail = try await app.backOffice.detail(app.activationId)
        #expect(detail["devicePublicKeyFingerprint"]?.stringValue == result.activationFingerprint)
        #expect(detail["activationName"]?.stringValue == "Phone of Eva")
        #expect(try app.restarted().activationFingerprint == result.activationFingerprint)
    }

    /// The ways to begin and to protect an activation.
    enum Variant: CaseIterable, Sendable {
        case unsignedCode, signedCode, otp, authentication, corePassword, biometry
    }

    @Test(
        .verifies("sharing.md", "S-0"),
        .verifies("sdk.md", "B-6"), arguments: TestApp.Mode.allCases,
        Variant.allCases)
    func `Every way to begin and to protect an activation gives one that signs`(mode: TestApp.Mode, variant: Variant)
        async throws
    {
        let app = try await TestApp(mode)
        let otp = variant == .otp ? "55555" : nil
        let initiated = try await app.backOffice.initiate(
            userId: app.userId, otp: otp, validation: otp.map { _ in "ON_COMMIT" })
        let activation = try PowerAuthActivation(
            activationCode: variant == .signedCode ? initiated.signedCode : initiated.code)
        _ = try await outcome { app.sdk.createActivation(activation, callback: $0) }.get()
        switch variant {
        case .unsignedCode, .signedCode, .otp: try app.sdk.persistActivation(withPassword: TestApp.password)
        case .corePassword:
            try app.sdk.persistActivation(withPassword: PowerAuthCorePassword(string: TestApp.password))
        case .authentication:
            try app.sdk.persistActivation(with: .persistWithPassword(password: TestApp.password))
        case .biometry:
            try app.enrol()
            try app.enrol()
            try app.sdk.persistActivation(with: .persistWithPasswordAndBiometry(password: TestApp.password))
        }
        if let otp {
            try await app.backOffice.call(
                "activation/commit",
                ["activationId": .string(initiated.activationId), "activationOtp": .string(otp)])
        } else {
            try await app.backOffice.commit(initiated.activationId)
        }
        #expect(try await app.status().get().state == .active)
        #expect(try await app.signatureIsAccepted())
        #expect(app.sdk.hasBiometryFactor() == (variant == .biometry))
    }

    @Test(
        .verifies("sdk.md", "B-7"),
        arguments: TestApp.Mode.allCases)
    func `Removing the activation removes it on the server and here`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        let activationId = try app.activationId
        let error = await failure { report in
            #expect(app.sdk.removeActivation(with: .rightPassword, callback: report) != nil)
        }
        #expect(error == nil)
        Self.expectNone(app.sdk)
        #expect(try await app.backOffice.state(activationId) == "REMOVED")
        try await app.activate()
        #expect(try app.activationId != activationId)
    }

    @Test(
        .verifies("sharing.md", "S-1"), .verifies("sdk.md", "B-8"),
        arguments: TestApp.Mode.allCases)
    func `A valid activation refuses to be persisted again or to be replaced, and stays valid`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        let before = app.sdk.activationIdentifier
        let error = #expect(throws: NSError.self) { try app.sdk.persistActivation(withPassword: TestApp.password) }
        #expect(error?.powerAuthErrorCode == .invalidActivationState)
        #expect(app.sdk.hasValidActivation())
        #expect(try await app.createActivation().code == .invalidActivationState)
        #expect(app.sdk.hasValidActivation() && app.sdk.activationIdentifier == before)
        #expect(await app.validate() == nil)
    }

    @Test(
        .verifies("sdk.md", "B-9"),
        arguments: TestApp.Mode.allCases)
    func `An application version that the server no longer supports cannot activate, and nothing is left pending`(
        mode: TestApp.Mode
    ) async throws {
        let server = try await RealServer.shared()
        let version = try await server.backOffice.createVersion()
        try await server.backOffice.unsupport(version: version.id)
        let app = try await TestApp(mode, sdkConfiguration: version.configuration)
        let activation = try await app.activation()
        let result = await outcome {
            (report: @escaping @Sendable (PowerAuthActivationResult?, (any Error)?) -> Void) in
            #expect(app.sdk.createActivation(activation, callback: report) != nil)
        }
        #expect(result.code == .networkError)
        Self.expectNone(app.sdk)
    }

    @Test(
        .verifies("sdk.md", "B-10"),
        arguments: TestApp.Mode.allCases)
    func `The last fetched status is known after a fetch and forgotten with the activation`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        #expect(app.sdk.lastFetchedActivationStatus == nil)
        let status = try await app.status().get()
        #expect(app.sdk.lastFetchedActivationStatus === status)
        app.sdk.removeActivationLocal()
        #expect(app.sdk.lastFetchedActivationStatus == nil)
    }
}
