// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabVocabulary
import LocalAuthentication
import PowerAuth2
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing

@Suite("The biometry factor (sdk.md, section 12.6)", .endsInTime)
struct BiometryTests {
    @Test(
        .verifies("sharing.md", "K-1"), .verifies("sdk.md", "B-29"),
        arguments: TestApp.Mode.allCases)
    func
        `Signing with biometry without a factor gives no header and the error biometryFailed; without a sensor the error biometryNotAvailable`(
            mode: TestApp.Mode
        ) async throws
    {
        let app = try await TestApp.activated(mode)
        #expect(!app.sdk.hasBiometryFactor())
        for isEnrolled in [false, true] {
            if isEnrolled { try app.enrol() }
            #expect(try await app.sign(with: .possessionWithBiometry()).code == .biometryFailed)
            #expect(try await app.sign(with: .possessionWithBiometry(prompt: "Confirm")).code == .biometryFailed)
        }
        let watch = try TemporaryDevice(biometry: DeviceSpec.Biometry.none)
        let sandbox = try watch.sandbox(appGroups: [TestApp.appGroup], keychainAccessGroups: [TestApp.accessGroup])
        let keys = try PowerAuthSDK(configuration: app.sdk.configuration, sandbox: sandbox, transport: app.transport)
            .factorKeys
        let error = #expect(throws: NSError.self) { try keys.keys(for: .possessionWithBiometry()) }
        #expect(error?.powerAuthErrorCode == .biometryNotAvailable)
    }

    @Test(
        .verifies("sharing.md", "K-2", "S-0"), .verifies("sdk.md", "B-30"),
        arguments: TestApp.Mode.allCases)
    func `The factor is added with persisting, removed on request, and added again with the password`(
        mode: TestApp.Mode
    ) async throws {
        let app = try await TestApp(mode)
        try app.enrol()
        _ = try await app.createActivation().get()
        try app.sdk.persistActivation(with: .persistWithPasswordAndBiometry(password: TestApp.password))
        try await app.backOffice.commit(app.activationId)
        #expect(app.sdk.hasBiometryFactor())
        #expect(app.sdk.removeBiometryFactor() && !app.sdk.hasBiometryFactor())
        #expect(app.sdk.removeBiometryFactor(), "true whenever there is an activation")
        #expect(await app.sdk.addBiometry() == nil)
        #expect(app.sdk.hasBiometryFactor())
        let password = PowerAuthCorePassword(string: TestApp.password)
        #expect(await failure { app.sdk.addBiometryFactor(password: password, callback: $0) } == nil, "replaced")
        try app.answer(.success)
        #expect(try await app.sign(with: .possessionWithBiometry(prompt: "Confirm")).get())
        app.sdk.removeActivationLocal()
        #expect(!app.sdk.hasBiometryFactor() && !app.sdk.removeBiometryFactor())
    }

    @Test(.verifies("sharing.md", "K-3"), .verifies("sdk.md", "B-31"))
    func `A context that allows no interaction gives no header and the error biometryFailed`() async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        let context = LAContext(service: app.sandbox.authentication)
        context.interactionNotAllowed = true
        #expect(try await app.sign(sdk, with: .possessionWithBiometry(context: context)).code == .biometryFailed)
        #expect(app.sandbox.security.prompt == nil)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A biometric signature verifies for every kind of dialog`(mode: TestApp.Mode) async throws {
        let (app, sdk) = try await TestApp.withBiometry(mode)
        let context = LAContext(service: app.sandbox.authentication)
        context.localizedReason = "Confirm"
        for authentication: PowerAuthAuthentication in [
            .possessionWithBiometry(), .possessionWithBiometry(prompt: "Confirm"),
            .possessionWithBiometry(context: context),
        ] {
            try app.answer(.success)
            #expect(try await app.sign(sdk, with: authentication).get())
        }
        #expect(try await app.sign(sdk, with: .possessionWithBiometry(context: context)).code == .biometryFailed)
    }

    @Test func `A context is confirmed once for several signatures when the configuration keeps it`() async throws {
        let (app, sdk) = try await TestApp.withBiometry { $0.invalidateLocalAuthenticationContextAfterUse = false }
        let context = LAContext(service: app.sandbox.authentication)
        try app.answer(.success)
        #expect(try await app.sign(sdk, with: .possessionWithBiometry(context: context)).get())
        #expect(try await app.sign(sdk, with: .possessionWithBiometry(context: context)).get())
    }

    @Test
    func `A cancelled dialog signs nothing; an unrecognised user makes the server count a failure`() async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        for answer in [AuthenticationAnswer.cancel, .systemCancel] {
            try app.answer(answer)
            #expect(try await app.sign(sdk, with: .possessionWithBiometry(prompt: "C")).code == .biometryCancel)
        }
        #expect(try await app.failedAttempts() == 0)
        try app.answer(.failure)
        #expect(try await app.sign(sdk, with: .possessionWithBiometry(prompt: "C")).get() == false)
        try app.answer(.lockout)
        #expect(try await app.sign(sdk, with: .possessionWithBiometry(prompt: "C")).get() == false)
        #expect(try await app.sign(sdk, with: .possessionWithBiometry(prompt: "C")).get() == false, "locked out by now")
        #expect(try await app.failedAttempts() == 3)
    }

    @Test
    func `The key that is linked to the enrolled set is lost with it; the others are not, and the passcode may help`()
        async throws
    {
        let (linked, linkedSDK) = try await TestApp.withBiometry { $0.linkBiometricItemsToCurrentSet = true }
        try linked.sandbox.security.changeState { try $0.alter() }
        #expect(!linkedSDK.hasBiometryFactor())
        #expect(try await linked.sign(linkedSDK, with: .possessionWithBiometry(prompt: "C")).code == .biometryFailed)
        #expect(await linkedSDK.addBiometry() == nil)
        #expect(linkedSDK.hasBiometryFactor())

        let (any, anySDK) = try await TestApp.withBiometry()
        try any.sandbox.security.changeState { try $0.alter() }
        try any.answer(.success)
        #expect(try await any.sign(anySDK, with: .possessionWithBiometry(prompt: "C")).get())

        let (passcode, passcodeSDK) = try await TestApp.withBiometry {
            $0.allowBiometricAuthenticationFallbackToDevicePasscode = true
            $0.linkBiometricItemsToCurrentSet = true
        }
        try passcode.sandbox.security.changeState { try $0.alter() }
        try passcode.answer(.lockout, .passcode)
        #expect(try await passcode.sign(passcodeSDK, with: .possessionWithBiometry(prompt: "C")).get())
    }

    @Test
    func `Adding the factor: unusable biometry is reported before a missing activation, both at once`() async throws {
        let app = try await TestApp()
        for (isEnrolled, code) in [(false, PowerAuthErrorCode.biometryNotAvailable), (true, .missingActivation)] {
            if isEnrolled { try app.enrol() }
            var received: PowerAuthErrorCode?
            let task = app.sdk.addBiometryFactor(password: TestApp.password) { received = $0?.powerAuthErrorCode }
            #expect(task == nil && received == code)
        }
    }

    @Test
    func `A factor is not added with a wrong password, nor while its key cannot be stored; persisting refuses too`()
        async throws
    {
        let app = try await TestApp.activated()
        try app.enrol()
        #expect(await app.sdk.addBiometry(TestApp.wrongPassword)?.powerAuthErrorCode == .networkError)
        #expect(!app.sdk.hasBiometryFactor())

        app.transport.order(.hold(.response), for: "/pa/v3/vault/unlock")
        async let error = app.sdk.addBiometry()
        await app.transport.holds("/pa/v3/vault/unlock")
        try app.sandbox.security.changeState { $0.removeEnrolled() }
        app.transport.release("/pa/v3/vault/unlock")
        #expect(await error?.powerAuthErrorCode == .biometryNotAvailable)
        #expect(!app.sdk.hasBiometryFactor())
        #expect(app.sdk.sessionProvider.readBoolTask { !$0.hasBiometryFactor() }, "no factor without a key")
        #expect(await app.validate() == nil)

        let pending = try await TestApp()
        _ = try await pending.createActivation().get()
        let authentication = PowerAuthAuthentication.persistWithPasswordAndBiometry(password: TestApp.password)
        let refusal = #expect(throws: NSError.self) { try pending.sdk.persistActivation(with: authentication) }
        #expect(refusal?.powerAuthErrorCode == .biometryNotAvailable)
        try pending.sdk.persistActivation(withPassword: TestApp.password)
        #expect(pending.sdk.hasValidActivation())
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `With nothing to persist the device is not asked, and nothing is stored`(mode: TestApp.Mode) async throws {
        let app = try await TestApp(mode)
        let authentication = PowerAuthAuthentication.persistWithPasswordAndBiometry(password: TestApp.password)
        let refusal = #expect(throws: NSError.self) { try app.sdk.persistActivation(with: authentication) }
        #expect(refusal?.powerAuthErrorCode == .invalidActivationState)
        #expect(app.sandbox.keychain.accounts(service: PowerAuthKeychain_Possession).accounts ?? [] == [])
    }

    @Test(arguments: [[], ["sdk.7"]])
    func `Persisting with a key that the keychain refuses can be tried again; the original lost the key (sdk.7)`(
        quirks: [String]
    ) async throws {
        let app = try await TestApp(quirks: quirks)
        try app.enrol()
        _ = try await app.createActivation().get()
        // Makes sure that the next item the keychain gets is the key.
        let tooShort = PowerAuthAuthentication.persistWithPasswordAndBiometry(password: "123")
        #expect(throws: NSError.self) { try app.sdk.persistActivation(with: tooShort) }
        #expect(app.sdk.hasPendingActivation() && !app.sdk.hasBiometryFactor())

        try app.device.faults.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("EIO")))
        let authentication = PowerAuthAuthentication.persistWithPasswordAndBiometry(password: TestApp.password)
        if quirks.isEmpty {
            let refusal = #expect(throws: NSError.self) { try app.sdk.persistActivation(with: authentication) }
            #expect(refusal?.powerAuthErrorCode == .biometryNotAvailable)
            #expect(app.sdk.hasPendingActivation() && !app.sdk.hasValidActivation())
        }
        try app.sdk.persistActivation(with: authentication)
        try await app.backOffice.commit(app.activationId)
        #expect(app.sdk.hasBiometryFactor() == quirks.isEmpty)
        try app.answer(.success)
        let signature = try await app.sign(with: .possessionWithBiometry(prompt: "Confirm"))
        if quirks.isEmpty { #expect(try signature.get()) } else { #expect(signature.code != nil) }
        #expect(await app.validate() == nil)
    }
}
