// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabHTTP
import PowerAuth2
import PowerAuthShared
import SDKTestSupport
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("Manual: signing, vault and tokens", .endsInTime)
struct SigningChapterTests {
    @Test(arguments: TestApp.Mode.allCases)
    func `The SDK's requests wait while an operation of the application has the serial queue`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        let path = "/pa/v3/signature/validate"
        let (entered, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let operation = BlockOperation {
            entered.signal()
            mayLeave.wait()
        }
        #expect(app.sdk.executeOperation(onSerialQueue: operation))
        try await onThread { entered.wait() }
        let validation = Task { await app.validate() }
        #expect(try await app.status().get().state == .active, "a request without signature does not wait")
        #expect(app.transport.count(of: path) == 0)
        mayLeave.signal()
        #expect(await validation.value == nil)
        #expect(app.transport.count(of: path) == 1)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A cancelled block releases the queue`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        let task: UncheckedTransfer<any PowerAuthOperationTask> = await callback { report in
            #expect(app.sdk.executeBlock(onSerialQueue: { report(UncheckedTransfer($0)) }) != nil)
        }
        #expect(try app.sdk.requestSignature(with: .possession(), method: "GET", uriId: "/a", body: nil).value != "")
        task.value.cancel()
        #expect(await app.validate() == nil)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A password checked by the server may be changed on the device in a second step`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        #expect(await app.validate() == nil)
        #expect(!app.sdk.unsafeChangePassword(from: TestApp.password, to: "123"), "four bytes at least")
        #expect(app.sdk.unsafeChangePassword(from: TestApp.password, to: "5678"))
        #expect(await app.validate("5678") == nil)
        #expect(app.sdk.unsafeChangePassword(from: TestApp.wrongPassword, to: "9999"), "it is not verified")
        #expect(await app.validate("9999")?.powerAuthErrorCode == .networkError)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A failed change keeps the old password`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        let path = "/pa/v3/signature/validate"
        app.transport.order(.fail(.notConnectedToInternet), .loseAnswer(.networkConnectionLost), for: path)
        for code in [URLError.notConnectedToInternet, .networkConnectionLost] {
            let error = await failure { app.sdk.changePassword(from: TestApp.password, to: "5678", callback: $0) }
            #expect(error?.domain == NSURLErrorDomain && error?.code == code.rawValue)
        }
        #expect(await failure { app.sdk.changePassword(from: "0000", to: "5678", callback: $0) } != nil)
        #expect(await app.validate() == nil)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `An encryption key depends only on its index and on the activation`(mode: TestApp.Mode) async throws {
        func key(_ sdk: PowerAuthSDK, _ index: UInt64) async throws -> Data {
            try await outcome { sdk.fetchEncryptionKey(.rightPassword, index: index, callback: $0) }.get()
        }
        let app = try await TestApp.activated(mode)
        let first = try await key(app.sdk, 1000)
        #expect(first.count == 16)
        #expect(try await key(app.sdk, 1001) != first)
        #expect(await failure { app.sdk.changePassword(from: TestApp.password, to: "5678", callback: $0) } == nil)
        #expect(app.sdk.unsafeChangePassword(from: "5678", to: TestApp.password))
        #expect(try await key(app.sdk, 1000) == first)
        #expect(try await key(app.restarted(), 1000) == first)
        #expect(try await key(TestApp.activated(mode).sdk, 1000) != first)
    }

    @Test func `The vault does not open for possession alone, nor for a wrong password`() async throws {
        let app = try await TestApp.activated()
        for authentication in [PowerAuthAuthentication.possession(), .wrongPassword] {
            let result = await outcome { app.sdk.fetchEncryptionKey(authentication, index: 1, callback: $0) }
            #expect(result.code == .networkError)
        }
        #expect(await app.validate() == nil)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A token removed locally stays on the server, and the next request makes another one`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        let token = try await app.sdk.token("a").get()
        _ = try await app.sdk.token("b").get()
        let header = try AuthorizationHeader(#require(token.generateHeader()))
        app.sdk.tokenStore.removeLocalToken(withName: "a")
        #expect(!app.sdk.tokenStore.hasLocalToken(withName: "a") && app.sdk.tokenStore.hasLocalToken(withName: "b"))
        #expect(try await app.backOffice.validate(token: header)["tokenValid"]?.boolValue == true)
        #expect(try await app.sdk.token("a").get().tokenIdentifier != token.tokenIdentifier)
        app.sdk.tokenStore.removeAllLocalTokens()
        #expect(!app.sdk.tokenStore.hasLocalToken(withName: "b"))
    }

    @Test(arguments: [nil, "Bank/1.0"])
    func `The SDK's requests introduce themselves with the user agent of the configuration`(text: String?) async throws
    {
        let app = try await TestApp()
        let client = PowerAuthClientConfiguration.patient
        client.userAgent = text
        let sdk = try PowerAuthSDK(
            configuration: app.sdk.configuration, clientConfiguration: client, sandbox: app.sandbox,
            transport: app.transport)
        _ = try await outcome { sdk.fetchServerStatus(callback: $0) }.get()
        let sent = try #require(app.transport.requests.last).headers.filter { $0.name == "User-Agent" }.map(\.value)
        #expect(sent == [text].compactMap { $0 })
    }
}
