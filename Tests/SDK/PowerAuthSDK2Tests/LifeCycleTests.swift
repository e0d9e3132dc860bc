// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthSDK2
import PowerAuthShared
import SDKTestSupport
import TestSupport
import Testing

@Suite("The life cycle of an activation in SDK 2.0 (protocol-4.md, section 8)", .endsInTime)
struct LifeCycleTests {
    private static let confirmation = "/pa/v4/activation/confirm"

    @Test(arguments: PowerAuthAlgorithm.allCases, [false, true])
    func `An activation of every algorithm is made, confirmed, used, found again and removed`(
        algorithm: PowerAuthAlgorithm, isSharing: Bool
    ) async throws {
        let app = try await TestApp2(algorithm, isSharing: isSharing)
        #expect(app.sdk.canStartActivation() && app.sdk.activationIdentifier == nil)
        let created = try await app.createActivation().get()
        #expect(app.sdk.hasPendingActivation() && !app.sdk.hasValidActivation())
        #expect(created.activationFingerprint == app.sdk.activationFingerprint)
        let detail = try await app.backOffice.detail(app.activationId)
        #expect(detail["devicePublicKeyFingerprint"]?.stringValue == created.activationFingerprint)

        try await app.backOffice.commit(app.activationId)
        #expect(await app.persist() == nil)
        #expect(app.sdk.hasValidActivation() && !app.sdk.hasPendingActivation())
        let status = try await app.sdk.status()
        #expect(status.state == .active && status.isAlgorithmSupported)
        #expect(app.sdk.lastFetchedActivationStatus === status)
        #expect(await app.sdk.validate() == nil)
        #expect(try await app.codeIsAccepted())
        #expect(try await app.codeIsAccepted(.possession()))

        let restarted = try app.restarted(algorithm)
        #expect(restarted.activationIdentifier == app.sdk.activationIdentifier)
        #expect(try await app.codeIsAccepted(of: restarted))
        #expect(await failure { restarted.removeActivation(with: .rightPassword, callback: $0) } == nil)
        #expect(app.sdk.canStartActivation() || !isSharing)
        #expect(try await app.backOffice.state(#require(detail["activationId"]?.stringValue)) == "REMOVED")
    }

    @Test func `The server confirms no activation before its commit, and the application may try again`() async throws {
        let app = try await TestApp2()
        _ = try await app.createActivation().get()
        #expect(await app.persist()?.powerAuthErrorCode == .networkError)
        #expect(app.sdk.hasPendingActivation() && !app.sdk.hasValidActivation())
        #expect(
            await failure { app.sdk.persistActivation(withPassword: "123", callback: $0) }?.powerAuthErrorCode
                == .invalidActivationState)
        try await app.backOffice.commit(app.activationId)
        // Other factors than in the first attempt.
        let password = PowerAuthAuthentication.persistWithPassword(password: TestApp2.newPassword)
        #expect(await app.persist(password) == nil)
        #expect(await app.sdk.validate(TestApp2.newPassword) == nil)
        #expect(await app.sdk.validate()?.powerAuthErrorCode == .networkError)
    }

    @Test func `A confirmation whose answer is lost is repeated by the application`() async throws {
        let app = try await TestApp2()
        _ = try await app.createActivation().get()
        try await app.backOffice.commit(app.activationId)
        app.transport.order(.loseAnswer(.timedOut), for: Self.confirmation)
        #expect(await app.persist()?.domain == NSURLErrorDomain)
        #expect(app.sdk.hasPendingActivation())
        #expect(await app.persist() == nil)
        #expect(try await app.codeIsAccepted())
        #expect(await app.persist()?.powerAuthErrorCode == .invalidActivationState, "nothing is pending")
    }

    @Test(arguments: [false, true])
    func `A repeated confirmation decides whether biometry is on`(biometry: Bool) async throws {
        let app = try await TestApp2()
        try app.enrol()
        _ = try await app.createActivation().get()
        try await app.backOffice.commit(app.activationId)
        func persist(biometry: Bool) async -> NSError? {
            await app.persist(
                biometry
                    ? .persistWithPasswordAndBiometry(password: TestApp.password)
                    : .persistWithPassword(password: TestApp.password))
        }
        app.transport.order(.loseAnswer(.timedOut), for: Self.confirmation)
        #expect(await persist(biometry: !biometry)?.domain == NSURLErrorDomain)
        #expect(await persist(biometry: biometry) == nil)
        #expect(app.sdk.hasBiometryFactor() == biometry)
        if biometry {
            try app.confirmNextDialog()
            #expect(try await app.codeIsAccepted(.possessionWithBiometry(prompt: "Confirm")))
        }
        #expect(try await app.sdk.status().failCount == 0)
    }

    @Test func `Of two attempts to persist at one time the later one chooses the factors, and the earlier one fails`()
        async throws
    {
        let app = try await TestApp2()
        _ = try await app.createActivation().get()
        try await app.backOffice.commit(app.activationId)
        app.transport.order(.hold(.response), for: Self.confirmation)
        async let earlier = app.persist()
        await app.transport.holds(Self.confirmation)
        // The function returns when the keys are locked again.
        let (results, report) = AsyncStream<Bool>.makeStream()
        app.sdk.persistActivation(withPassword: TestApp2.newPassword) { error in report.yield(error == nil) }
        app.transport.release(Self.confirmation)
        #expect(await earlier?.powerAuthErrorCode == .invalidActivationState)
        let isPersisted = await results.first { _ in true }
        #expect(isPersisted == true)
        #expect(await app.sdk.validate(TestApp2.newPassword) == nil)
        #expect(await app.sdk.validate()?.powerAuthErrorCode == .networkError)
    }

    @Test func `Another app that has no activation does not take away the biometry key of a pending one`()
        async throws
    {
        let app = try await TestApp2(isSharing: true)
        let neighbour = try app.neighbour()
        try app.enrol()
        _ = try await app.createActivation().get()
        try await app.backOffice.commit(app.activationId)
        app.transport.order(.hold(.response), for: Self.confirmation)
        async let persisted = app.persist(.persistWithPasswordAndBiometry(password: TestApp.password))
        await app.transport.holds(Self.confirmation)
        neighbour.sdk.removeActivationLocal()
        app.transport.release(Self.confirmation)
        #expect(await persisted == nil)
        #expect(app.sdk.hasBiometryFactor())
        try app.confirmNextDialog()
        #expect(try await app.codeIsAccepted(.possessionWithBiometry(prompt: "Confirm")))
    }

    @Test func `A wrong password is refused and counted, and the right one forgets it`() async throws {
        let app = try await TestApp2.activated()
        let error = try #require(await app.sdk.validate(TestApp.wrongPassword))
        let answer = error.userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse
        #expect(error.powerAuthErrorCode == .networkError && answer?.httpStatusCode == 401)
        #expect(try await app.sdk.status().failCount == 1)
        #expect(await app.sdk.validate() == nil)
        #expect(try await app.sdk.status().failCount == 0)
    }

    @Test func `A counter that codes without the server have moved is synchronised by the status`() async throws {
        let app = try await TestApp2.activated()
        for _ in 1...15 {
            let nonce = Data(repeating: 7, count: 16).base64EncodedString()
            let code = try app.sdk.offlineAuthenticationCode(
                with: .rightPassword, uriId: "/test", body: nil, nonce: nonce)
            #expect(code.split(separator: "-").map(\.count) == [8, 8])
        }
        let count = app.transport.count(of: "/pa/v4/auth/validate")
        #expect(try await app.sdk.status().state == .active)
        #expect(app.transport.count(of: "/pa/v4/auth/validate") == count + 1)
        #expect(try await app.codeIsAccepted())
    }

    @Test func `Without an activation, and with a pending one, calls that need one report it at once`() async throws {
        let app = try await TestApp2()
        let sdk = app.sdk
        func codes() async -> [PowerAuthErrorCode?] {
            [
                await outcome { sdk.fetchActivationStatus(callback: $0) }.code,
                await failure { sdk.changePassword(from: "1234", to: "5678", callback: $0) }?.powerAuthErrorCode,
                await failure { sdk.removeBiometryFactor(callback: $0) }?.powerAuthErrorCode,
                await sdk.upgrade()?.powerAuthErrorCode,
                await outcome { sdk.fetchSecureVaultKey(.twoFactor, with: .rightPassword, callback: $0) }.code,
                await outcome { sdk.encryptorForActivationScope(callback: $0) }.code,
            ]
        }
        let missing = [PowerAuthErrorCode?](repeating: .missingActivation, count: 6)
        #expect(await codes() == missing)
        #expect(await app.persist()?.powerAuthErrorCode == .invalidActivationState)
        _ = try await app.createActivation().get()
        var pending = missing
        pending[0] = .activationPending
        #expect(await codes() == pending)
        sdk.removeActivationLocal()
        #expect(sdk.canStartActivation())
    }

    @Test func `A configuration without the master keys of its algorithm is refused with the cause`() async throws {
        let app = try await TestApp2()
        let configuration = PowerAuthSDK2.PowerAuthConfiguration(
            instanceId: "other", baseEndpointUrl: "https://localhost",
            configuration: app.server.addresses.configuration)
        for algorithm in PowerAuthAlgorithm.allCases {
            configuration.algorithm = algorithm
            #expect(configuration.validate() == (algorithm == .LEGACY_P256), "\(algorithm)")
        }
        #expect(throws: InvalidConfiguration.self) {
            try PowerAuthSDK2.PowerAuthSDK(
                configuration: configuration, sandbox: app.sandbox, transport: app.transport)
        }
    }

    @Test func `Callers can wait for an operation instead of passing a callback`() async throws {
        let app = try await TestApp2()
        let initiated = try await app.backOffice.initiate(userId: app.userId)
        _ = try await app.sdk.createActivation(PowerAuthActivation(activationCode: initiated.code))
        try await app.backOffice.commit(initiated.activationId)
        try await app.sdk.persistActivation(withPassword: TestApp.password)
        #expect(try await app.sdk.fetchActivationStatus().state == .active)
        await #expect(throws: NSError.self) { try await app.sdk.validatePassword(password: TestApp.wrongPassword) }
    }
}
