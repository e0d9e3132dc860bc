// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2
import SDKTestSupport
import TestSupport
import Testing

@Suite("Manual: activations", .endsInTime)
struct ActivationChapterTests {
    @Test func `Extras reach the server, custom attributes come back from the application's server`() async throws {
        let app = try await TestApp()
        let result = try await app.createActivation {
            $0.with(extras: "an extra text").with(customAttributes: ["branch": "Prague", "isVIP": true])
        }.get()
        #expect(result.customAttributes?["branch"] as? String == "Prague")
        #expect(result.customAttributes?["isVIP"] as? Bool == true)
        #expect(try await app.backOffice.detail(app.activationId)["extras"]?.stringValue == "an extra text")
    }

    @Test
    func `Credentials that only the application's server understands make an activation of their user`() async throws {
        let app = try await TestApp()
        let activation = try PowerAuthActivation(
            identityAttributes: ["username": app.userId, "password": "pwd"], name: "Phone")
        _ = try await outcome { app.sdk.createActivation(activation, callback: $0) }.get()
        try app.sdk.persistActivation(withPassword: TestApp.password)
        #expect(try await app.backOffice.detail(app.activationId)["userId"]?.stringValue == app.userId)

        let other = try await TestApp()
        let unknown = try PowerAuthActivation(identityAttributes: ["card": "1234"])
        #expect(await outcome { other.sdk.createActivation(unknown, callback: $0) }.code == .networkError)
        #expect(other.sdk.canStartActivation())
    }

    @Test func `The short forms of the call make the same activations`() async throws {
        let app = try await TestApp()
        let code = try await app.backOffice.initiate(userId: app.userId).code
        _ = try await outcome {
            app.sdk.createActivation(withName: "Phone", activationCode: code, extras: "more", callback: $0)
        }.get()
        let detail = try await app.backOffice.detail(app.activationId)
        #expect(detail["activationName"]?.stringValue == "Phone" && detail["extras"]?.stringValue == "more")
        app.sdk.removeActivationLocal()
        _ = try await outcome {
            app.sdk.createActivation(withName: nil, identityAttributes: ["username": app.userId], callback: $0)
        }.get()
        #expect(try await app.backOffice.detail(app.activationId)["userId"]?.stringValue == app.userId)
    }

    @Test func `The signature of a scanned code verifies with the application's key`() async throws {
        let app = try await TestApp()
        let initiated = try await app.backOffice.initiate(userId: app.userId)
        let scanned = try #require(PowerAuthActivationCodeUtil.parse(fromActivationCode: initiated.signedCode))
        let signature = try #require(scanned.activationSignature)
        #expect(scanned.activationCode == initiated.code)
        #expect(
            app.sdk.verifyServerSignedData(Data(scanned.activationCode.utf8), signature: signature, masterKey: true))
        #expect(!app.sdk.verifyServerSignedData(Data("other".utf8), signature: signature, masterKey: true))
        #expect(!PowerAuthActivationCodeUtil.validateActivationCode(initiated.signedCode))
        #expect(PowerAuthActivationCodeUtil.validateActivationCode(initiated.code))
    }

    @Test func `A code is good for one activation`() async throws {
        let app = try await TestApp()
        let code = try await app.backOffice.initiate(userId: app.userId).code
        for isFirst in [true, false] {
            let activation = try PowerAuthActivation(activationCode: code)
            let result = await outcome { app.sdk.createActivation(activation, callback: $0) }
            #expect(result.code == (isFirst ? nil : .networkError))
            app.sdk.removeActivationLocal()
        }
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A removal of the device only leaves the server's activation as it is`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        let activationId = try app.activationId
        app.sdk.removeActivationLocal()
        #expect(app.sdk.canStartActivation())
        #expect(try await app.backOffice.state(activationId) == "ACTIVE")
        #expect(try app.restarted().canStartActivation())
    }
}
