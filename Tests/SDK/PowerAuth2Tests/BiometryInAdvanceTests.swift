// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabVocabulary
import LocalAuthentication
import PowerAuth2
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing

@Suite("Biometry before the signature (sdk.md, section 9.9)", .endsInTime)
struct BiometryInAdvanceTests {
    @Test func `One dialog gives credentials for several signatures, on the main queue`() async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        try app.answer(.success)
        let isOnMain: Bool = await callback { report in
            sdk.authenticateUsingBiometry(withPrompt: "Confirm") { authentication, error in
                #expect(authentication?.overridenBiometryKey?.count == 16 && error == nil)
                report(MainQueue.isCurrent)
            }
        }
        #expect(isOnMain)
        try app.answer(.success)
        let authentication = try await sdk.authenticate().get()
        #expect(try await app.sign(sdk, with: authentication).get())
        #expect(try await app.sign(sdk, with: authentication).get())
    }

    @Test
    func `Without an activation or usable biometry, the error is reported before the function returns`() async throws {
        let app = try await TestApp()
        func code() -> PowerAuthErrorCode? {
            var received: PowerAuthErrorCode?
            app.sdk.authenticateUsingBiometry(withPrompt: "Confirm") { received = $1?.powerAuthErrorCode }
            return received
        }
        #expect(code() == .missingActivation)
        try await app.activate()
        #expect(code() == .biometryNotAvailable)
        try app.enrol()
        try app.answer(.lockout)
        _ = await app.sdk.authenticate()
        #expect(code() == .biometryNotAvailable, "a lockout that exists already is no attempt")
        #expect(try await app.failedAttempts() == 0)
    }

    @Test(arguments: ["failure", "lockout"])
    func `An unrecognised user gets credentials that the server refuses`(answer: String) async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        try app.answer(try #require(AuthenticationAnswer(rawValue: answer)))
        let authentication = try await sdk.authenticate().get()
        #expect(try await app.sign(sdk, with: authentication).get() == false)
        #expect(try await app.failedAttempts() == 1)
    }

    @Test func `Errors of the system have the SDK's codes and carry the original`() async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        for (answer, code, cause) in [
            (AuthenticationAnswer.cancel, PowerAuthErrorCode.biometryCancel, LAError.Code.userCancel),
            (.systemCancel, .biometryCancel, .systemCancel), (.fallback, .biometryFallback, .userFallback),
        ] {
            try app.answer(answer)
            let context = LAContext(service: app.sandbox.authentication)
            let result: Result<PowerAuthAuthentication, NSError> = await outcome {
                sdk.authenticateUsingBiometry(withContext: context, callback: $0)
            }
            guard case .failure(let error) = result else {
                Issue.record("\(answer) gave credentials")
                continue
            }
            #expect(error.powerAuthErrorCode == code)
            #expect((error.userInfo[NSUnderlyingErrorKey] as? LAError)?.code == cause)
        }
        try app.answer(.fallback)
        #expect(await sdk.authenticate().code == .biometryCancel, "the dialog with a prompt has no fallback button")

        let context = LAContext(service: app.sandbox.authentication)
        context.interactionNotAllowed = true
        let silent: Result<PowerAuthAuthentication, NSError> = await outcome {
            sdk.authenticateUsingBiometry(withContext: context, callback: $0)
        }
        #expect(silent.code == .wrongParameter)
    }

    @Test func `Without a key the credentials end with the error biometryFailed`() async throws {
        let app = try await TestApp.activated()
        try app.enrol()
        try app.answer(.success)
        #expect(await app.sdk.authenticate().code == .biometryFailed)
    }

    @Test
    func `While a dialog is open every other biometric request ends with the error biometryCancel`() async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        try app.device.clock.advance(by: .seconds(1))
        let dialogs = AsyncStream<Void>.makeStream()
        app.sandbox.authentication.onPrompt { _ in dialogs.continuation.yield() }
        async let first = sdk.authenticate()
        for await _ in dialogs.stream { break }
        try await app.dialogIsOpen()
        #expect(await sdk.authenticate().code == .biometryCancel)
        #expect(try await app.sign(sdk, with: .possessionWithBiometry(prompt: "C")).code == .biometryCancel)
        let isCancelled: Bool = await callback { report in
            sdk.unlockBiometryKeys(withPrompt: "Confirm") { keys, isCancelled in report(keys == nil && isCancelled) }
        }
        #expect(isCancelled)
        try app.sandbox.security.answer(.success)
        _ = try await first.get()
    }

    @Test
    func `While a dialog is open, a request that needs no dialog of its own ends with the error biometryCancel too`()
        async throws
    {
        let (app, sdk) = try await TestApp.withBiometry { $0.invalidateLocalAuthenticationContextAfterUse = false }
        let confirmed = LAContext(service: app.sandbox.authentication)
        try app.answer(.success)
        let isConfirmed: Bool = await callback { report in
            confirmed.evaluatePolicy(
                .deviceOwnerAuthenticationWithBiometrics, localizedReason: "Confirm"
            ) { success, _ in report(success) }
        }
        #expect(isConfirmed)
        func codes() async throws -> [PowerAuthErrorCode?] {
            let authentication: Result<PowerAuthAuthentication, NSError> = await outcome {
                sdk.authenticateUsingBiometry(withContext: confirmed, callback: $0)
            }
            let keys: Result<[String: Data], NSError> = await outcome {
                sdk.fetchBiometryKeys(withContext: confirmed, callback: $0)
            }
            let signature = try await app.sign(sdk, with: .possessionWithBiometry(context: confirmed))
            return [authentication.code, keys.code, signature.code]
        }
        try app.device.clock.advance(by: .seconds(1))
        async let first = sdk.authenticate()
        try await app.dialogIsOpen()
        #expect(try await codes() == [.biometryCancel, .biometryCancel, .biometryCancel])
        try app.sandbox.security.answer(.success)
        _ = try await first.get()
        #expect(try await codes() == [nil, nil, nil])
    }

    @Test func `All keys of the service are unlocked with one dialog, and failures are distinguishable`() async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        try app.answer(.success)
        let keys: [String: Data]? = await callback { report in
            sdk.unlockBiometryKeys(withPrompt: "Confirm") { keys, isCancelled in
                #expect(!isCancelled && !MainQueue.isCurrent)
                report(keys)
            }
        }
        #expect(keys?.mapValues(\.count) == [sdk.configuration.instanceId: 16])
        for (answer, code) in [
            (AuthenticationAnswer.cancel, PowerAuthErrorCode.biometryCancel), (.failure, .biometryFailed),
        ] {
            try app.answer(answer, answer)
            let wasCancelled: Bool = await callback { report in
                sdk.unlockBiometryKeys(withPrompt: "Confirm") { keys, isCancelled in
                    #expect(keys == nil)
                    report(isCancelled)
                }
            }
            #expect(wasCancelled == (code == .biometryCancel))
            let result: Result<[String: Data], NSError> = await outcome {
                sdk.fetchBiometryKeys(withPrompt: "Confirm", callback: $0)
            }
            #expect(result.code == code)
        }
    }

    @Test func `A context confirmed by the application signs without a dialog of its own`() async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        let context = LAContext(service: app.sandbox.authentication)
        try app.answer(.success)
        let isConfirmed: Bool = await callback { report in
            context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "Confirm") { success, _ in
                report(success)
            }
        }
        #expect(isConfirmed)
        #expect(try await app.sign(sdk, with: .possessionWithBiometry(context: context)).get())
    }
}
