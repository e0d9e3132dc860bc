// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing

/// Defects of the original that the lab fixes and can bring back, as far as no other suite shows them.
@Suite("Better than the original, or the same by choice (sdk.md, section 15)", .endsInTime)
struct OriginalBehaviourTests {
    @Test
    func `Keys given for persisting are those of later signatures; the original ignored them (sdk.6)`() async throws {
        let key = Data(repeating: 9, count: 16)
        for quirks in [[], ["sdk.6"]] {
            let app = try await TestApp(quirks: quirks)
            _ = try await app.createActivation().get()
            try app.sdk.persistActivation(
                with: .persistWithPassword(password: TestApp.password, customPossessionKey: key))
            try await app.backOffice.commit(app.activationId)
            let given = try await app.signatureIsAccepted(.possession(customPossessionKey: key))
            let own = try await app.signatureIsAccepted(.possession())
            #expect(given == quirks.isEmpty && own == !quirks.isEmpty)
            // What needs the transport key works with the device's key in both.
            #expect(try await app.status().get().state == .active)
            let authentication: PowerAuthAuthentication =
                quirks.isEmpty ? .possession(customPossessionKey: key) : .possession()
            let token = await outcome {
                app.sdk.tokenStore.requestAccessToken(withName: "T", authentication: authentication, completion: $0)
            }
            #expect(token.failure == nil)
        }
    }

    @Test func `A server without a time is refused; the original set its clock to 1970 (sdk.15)`() async throws {
        for quirks in [[], ["sdk.15"]] {
            let app = try await TestApp(quirks: quirks)
            let body = #"{"status":"OK","responseObject":{}}"#
            app.transport.order(.answer(status: 200, body: body), for: "/pa/v3/status")
            let time = app.sdk.timeSynchronizationService
            let error = await failure { time.synchronizeTime(callback: $0, callbackQueue: nil) }
            #expect(error?.powerAuthErrorCode == (quirks.isEmpty ? .timeSynchronization : nil))
            #expect(time.isTimeSynchronized == !quirks.isEmpty)
            #expect((time.currentTime() < 86_400) == !quirks.isEmpty)
        }
    }

    @Test
    func `An error in the clear is understood where the answer would be encrypted; the original's was not (sdk.28)`()
        async throws
    {
        for quirks in [[], ["sdk.28"]] {
            let app = try await TestApp.activated(quirks: quirks)
            let body = #"{"status":"ERROR","responseObject":{"code":"ERR_LAB","message":"no"}}"#
            app.transport.order(.answer(status: 200, body: body), for: "/pa/v3/user/info")
            let error = await outcome { app.sdk.fetchUserInfo(callback: $0) }.failure
            #expect(error?.powerAuthErrorCode == (quirks.isEmpty ? .networkError : .encryption))
            let response = error?.userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse
            #expect(response?.responseObject?.code == (quirks.isEmpty ? "ERR_LAB" : nil))
        }
    }

    @Test func `An encryptor without waiting needs a key and a time that are known already`() async throws {
        let app = try await TestApp()
        let old: any EncryptorsAtOnce = app.sdk
        #expect(old.applicationEncryptor() == nil && old.activationEncryptor() == nil)
        _ = try await outcome { app.sdk.eciesEncryptorForApplicationScope(callback: $0) }.get()
        #expect(old.applicationEncryptor()?.canEncryptRequest == true)
        try await app.activate()
        _ = try await outcome { app.sdk.eciesEncryptorForActivationScope(callback: $0) }.get()
        #expect(old.activationEncryptor()?.associatedMetaData?.activationIdentifier == (try app.activationId))
        app.sdk.removeActivationLocal()
        #expect(old.activationEncryptor() == nil && old.applicationEncryptor() != nil)
        app.sandbox.lifecycle.enterForeground()
        #expect(old.applicationEncryptor() == nil)

        let original = try await TestApp(quirks: ["sdk.29"])
        _ = try await outcome { original.sdk.eciesEncryptorForApplicationScope(callback: $0) }.get()
        original.sandbox.lifecycle.enterForeground()
        let encryptors: any EncryptorsAtOnce = original.sdk
        #expect(encryptors.applicationEncryptor() != nil)
    }
}

/// Calls the deprecated functions without a warning.
private protocol EncryptorsAtOnce {
    func applicationEncryptor() -> PowerAuthCoreEciesEncryptor?
    func activationEncryptor() -> PowerAuthCoreEciesEncryptor?
}

extension PowerAuthSDK: EncryptorsAtOnce {
    @available(*, deprecated)
    fileprivate func applicationEncryptor() -> PowerAuthCoreEciesEncryptor? { eciesEncryptorForApplicationScope() }

    @available(*, deprecated)
    fileprivate func activationEncryptor() -> PowerAuthCoreEciesEncryptor? { eciesEncryptorForActivationScope() }
}
