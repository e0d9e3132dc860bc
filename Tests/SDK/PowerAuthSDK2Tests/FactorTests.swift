// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthSDK2
import PowerAuthShared
import SDKTestSupport
import TestSupport
import Testing

@Suite("Password and biometry in SDK 2.0 (protocol-4.md, section 12)", .endsInTime)
struct FactorTests {
    private func change(
        _ app: TestApp2, from old: String = TestApp.password, to new: String = TestApp2.newPassword
    ) async -> NSError? {
        await failure { app.sdk.changePassword(from: old, to: new, callback: $0) }
    }

    @Test(arguments: [PowerAuthAlgorithm.EC_P384, .EC_P384_ML_L3, .LEGACY_P256])
    func `The password is changed once the server has confirmed the old one`(algorithm: PowerAuthAlgorithm) async throws
    {
        let app = try await TestApp2.activated(algorithm)
        #expect(await change(app, from: TestApp.wrongPassword)?.powerAuthErrorCode == .networkError)
        #expect(await app.sdk.validate() == nil)
        #expect(await change(app) == nil)
        #expect(await app.sdk.validate(TestApp2.newPassword) == nil)
        #expect(await app.sdk.validate()?.powerAuthErrorCode == .networkError)
        let old = PowerAuthCorePassword(string: TestApp2.newPassword)
        let begun = try await outcome { app.sdk.beginPasswordChange(from: old, callback: $0) }.get()
        #expect(await failure { begun.finish(newPassword: TestApp.password, callback: $0) } == nil)
        #expect(await app.sdk.validate() == nil)
        #expect(
            await outcome { app.sdk.beginPasswordChange(from: old, callback: $0) }.code == .networkError,
            "it is the old one again")
    }

    @Test func `After a lost answer the old password stays right, and the change can be repeated`() async throws {
        let app = try await TestApp2.activated()
        app.transport.order(.loseAnswer(.timedOut), for: "/pa/v4/password/change")
        #expect(await change(app)?.domain == NSURLErrorDomain)
        #expect(await app.sdk.validate() == nil)
        #expect(await change(app) == nil)
        #expect(await app.sdk.validate(TestApp2.newPassword) == nil)
        #expect(await change(app, from: TestApp2.newPassword, to: "123")?.powerAuthErrorCode == .wrongParameter)
    }

    @Test func `Biometry comes with persisting, goes with both sides, and comes back`() async throws {
        let app = try await TestApp2()
        try app.enrol()
        try await app.activate(biometry: true)
        for isRepeated in [false, true] {
            #expect(app.sdk.hasBiometryFactor())
            try app.confirmNextDialog()
            #expect(try await app.codeIsAccepted(.possessionWithBiometry(prompt: "Confirm")))
            guard !isRepeated else { break }
            #expect(await failure { app.sdk.removeBiometryFactor(callback: $0) } == nil)
            #expect(!app.sdk.hasBiometryFactor())
            let added = await failure { app.sdk.addBiometryFactor(password: TestApp.password, callback: $0) }
            #expect(added == nil)
        }
        // A replaced factor has another key.
        #expect(await failure { app.sdk.addBiometryFactor(password: TestApp.password, callback: $0) } == nil)
        try app.confirmNextDialog()
        #expect(try await app.codeIsAccepted(.possessionWithBiometry(prompt: "Confirm")))
    }

    @Test func `A factor whose removal the server has not confirmed stays`() async throws {
        let app = try await TestApp2()
        try app.enrol()
        try await app.activate(biometry: true)
        app.transport.order(.fail(.notConnectedToInternet), for: "/pa/v4/biometry/remove")
        #expect(await failure { app.sdk.removeBiometryFactor(callback: $0) }?.domain == NSURLErrorDomain)
        #expect(app.sdk.hasBiometryFactor())
        let wrong = await failure { app.sdk.addBiometryFactor(password: TestApp.wrongPassword, callback: $0) }
        #expect(wrong?.powerAuthErrorCode == .networkError)
        try app.confirmNextDialog()
        #expect(try await app.codeIsAccepted(.possessionWithBiometry(prompt: "Confirm")))
    }
}
