// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuth2
import PowerAuthServer
import PowerAuthShared
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing

@Suite("Encryptors and temporary keys (sdk.md, section 12.12)", .endsInTime)
struct EncryptorTests {
    /// Sends a message to a backend that knows the scope, and gives its answer as it came.
    private func send(
        _ text: String, _ encryptor: PowerAuthCoreEciesEncryptor, _ path: String, _ app: TestApp
    ) async throws -> (status: Int, body: JSONValue) {
        let plain: JSONValue = ["data": .string(text)]
        let cryptogram = try #require(encryptor.encryptRequest(plain.encoded()))
        let payload = try JSONSerialization.data(withJSONObject: cryptogram.requestPayload())
        let metaData = try #require(encryptor.associatedMetaData)
        return try await app.backOffice.send(
            app.server.addresses.enrollmentURL + path, JSONValue.parse(payload),
            headers: [(metaData.httpHeaderKey, metaData.httpHeaderValue)])
    }

    /// Sends a message to a backend that knows the scope, and gives its decrypted answer.
    private func exchange(
        _ text: String, _ encryptor: PowerAuthCoreEciesEncryptor, _ path: String, _ app: TestApp
    ) async throws -> String {
        let answer = try await send(text, encryptor, path, app)
        #expect(answer.status == 200)
        let object = try JSONSerialization.jsonObject(with: answer.body.encoded())
        let sealed = try #require(PowerAuthCoreEciesCryptogram(responsePayload: object))
        let decrypted = try #require(encryptor.decryptResponse(sealed))
        return try #require(try JSONValue.parse(decrypted)["data"]?.stringValue)
    }

    @Test(
        .verifies("sdk.md", "B-60"),
        arguments: TestApp.Mode.allCases)
    func `The application scope works before any activation, and in a new object of an application that has one`(
        mode: TestApp.Mode
    ) async throws {
        let app = try await TestApp(mode)
        for sdk in [app.sdk, app.sdk] {
            let encryptor = try await outcome { sdk.eciesEncryptorForApplicationScope(callback: $0) }.get()
            #expect(encryptor.associatedMetaData?.activationIdentifier == nil)
            let answer = try await exchange("hello", encryptor, "/exchange/v3/application", app)
            #expect(answer.contains("hello") && answer.contains("APPLICATION_SCOPE"))
        }
        #expect(await outcome { app.sdk.eciesEncryptorForActivationScope(callback: $0) }.code == .missingActivation)
        try await app.activate()
        let restarted = try app.restarted()
        let encryptor = try await outcome { restarted.eciesEncryptorForApplicationScope(callback: $0) }.get()
        #expect(try await exchange("again", encryptor, "/exchange/v3/application", app).contains("again"))
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `The activation scope belongs to the activation`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        let encryptor = try await outcome { app.sdk.eciesEncryptorForActivationScope(callback: $0) }.get()
        #expect(encryptor.associatedMetaData?.activationIdentifier == app.sdk.activationIdentifier)
        let answer = try await exchange("hello", encryptor, "/exchange/v3/activation", app)
        #expect(answer.contains("hello") && answer.contains("ACTIVATION_SCOPE"))
    }

    @Test(
        .verifies("sharing.md", "S-0"), .verifies("sdk.md", "B-61"),
        arguments: TestApp.Mode.allCases)
    func `A temporary key that has expired between two vault operations is replaced, and both succeed`(
        mode: TestApp.Mode
    ) async throws {
        let server = try await RealServer.start { $0.policy.temporaryKeyValidity = 20_000 }
        let app = try await TestApp.activated(mode, server: server)
        func fetchKey() async throws -> Data {
            try await outcome { app.sdk.fetchEncryptionKey(.rightPassword, index: 1, callback: $0) }.get()
        }
        let first = try await fetchKey()
        let keys = app.transport.count(of: "/pa/v3/keystore/create")
        server.clock.advance(seconds: 15)
        try app.device.clock.advance(by: .seconds(15))
        #expect(try await fetchKey() == first)
        #expect(app.transport.count(of: "/pa/v3/keystore/create") == keys + 1)
    }

    @Test(arguments: [[], ["sdk.29"]])
    func `After the background, an encryptor waits for the server's time`(quirks: [String]) async throws {
        let app = try await TestApp.activated(quirks: quirks)
        let (sdk, isOriginal) = (app.sdk, !quirks.isEmpty)
        let application = try await outcome { sdk.eciesEncryptorForApplicationScope(callback: $0) }.get()
        let activation = try await outcome { sdk.eciesEncryptorForActivationScope(callback: $0) }.get()
        #expect(try await send("a", application, "/exchange/v3/application", app).status == 200)
        #expect(try await send("a", activation, "/exchange/v3/activation", app).status == 200)
        // Two minutes; the server accepts one.
        try app.device.clock.advance(by: .seconds(120))

        app.sandbox.lifecycle.enterForeground()
        let first = try await outcome { sdk.eciesEncryptorForApplicationScope(callback: $0) }.get()
        #expect(sdk.timeSynchronizationService.isTimeSynchronized != isOriginal)
        #expect(try await send("b", first, "/exchange/v3/application", app).status == (isOriginal ? 400 : 200))

        app.sandbox.lifecycle.enterForeground()
        let second = try await outcome { sdk.eciesEncryptorForActivationScope(callback: $0) }.get()
        #expect(sdk.timeSynchronizationService.isTimeSynchronized != isOriginal)
        #expect(try await send("b", second, "/exchange/v3/activation", app).status == (isOriginal ? 400 : 200))
    }

    @Test(arguments: [[], ["sdk.30"]])
    func `A request whose temporary key the server does not know is repeated with another one, once`(
        quirks: [String]
    ) async throws {
        let server = try await RealServer.start { $0.policy.temporaryKeysPerActivation = 1 }
        let app = try await TestApp.activated(server: server, quirks: quirks)
        func keys() -> Int { app.transport.count(of: "/pa/v3/keystore/create") }
        for call in [ErrorPathTests.Call.fetchUserInfo, .fetchEncryptionKey, .requestToken] {
            // The application has a key, which gives way to that of another SDK object.
            for sdk in [app.sdk, try app.restarted()] {
                _ = try await outcome { sdk.eciesEncryptorForActivationScope(callback: $0) }.get()
            }
            let before = keys()
            let error = await call(app.sdk)
            if quirks.isEmpty {
                #expect(error == nil && keys() == before + 1, "\(call)")
            } else {
                #expect(error?.powerAuthErrorCode == .networkError && keys() == before, "\(call)")
            }
        }
        // A refusal that has another cause is reported, and a wrong password counted once.
        let before = app.transport.count(of: "/pa/v3/token/create")
        #expect(await app.sdk.token("other", .wrongPassword).failure?.powerAuthErrorCode == .networkError)
        #expect(app.transport.count(of: "/pa/v3/token/create") == before + 1)
        #expect(try await app.status().get().failCount == 1)
    }

    @Test func `The refusal of a repeated request is reported, and one that may count something is not repeated`()
        async throws
    {
        let app = try await TestApp.activated()
        _ = try await outcome { app.sdk.fetchUserInfo(callback: $0) }.get()
        func refusal(_ code: String) -> TappedTransport.Order {
            .answer(status: 400, body: #"{"status":"ERROR","responseObject":{"code":"\#(code)","message":"m"}}"#)
        }
        let keys = app.transport.count(of: "/pa/v3/keystore/create")
        let path = "/pa/v3/user/info"
        app.transport.order(refusal("ERR_ENCRYPTION"), refusal("ERR_ENCRYPTION"), for: path)
        let asked = app.transport.count(of: path)
        #expect(await outcome { app.sdk.fetchUserInfo(callback: $0) }.failure?.powerAuthErrorCode == .networkError)
        #expect(app.transport.count(of: path) == asked + 2)
        #expect(app.transport.count(of: "/pa/v3/keystore/create") == keys + 1)

        let fresh = try await TestApp()
        fresh.transport.order(refusal("ERR_ACTIVATION"), for: "/pa/v3/activation/create")
        #expect(try await fresh.createActivation().failure?.powerAuthErrorCode == .networkError)
        #expect(fresh.transport.count(of: "/pa/v3/activation/create") == 1)
        _ = try await fresh.createActivation().get()
        #expect(fresh.transport.count(of: "/pa/v3/keystore/create") == 2)
    }
}
