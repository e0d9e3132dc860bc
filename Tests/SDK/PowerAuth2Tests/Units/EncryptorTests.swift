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
    /// Sends a message to a backend that knows the scope, and gives its decrypted answer.
    private func exchange(
        _ text: String, _ encryptor: PowerAuthCoreEciesEncryptor, _ path: String, _ app: TestApp
    ) async throws -> String {
        let plain: JSONValue = ["data": .string(text)]
        let cryptogram = try #require(encryptor.encryptRequest(plain.encoded()))
        let payload = try JSONSerialization.data(withJSONObject: cryptogram.requestPayload())
        let metaData = try #require(encryptor.associatedMetaData)
        let answer = try await app.backOffice.send(
            app.server.addresses.enrollmentURL + path, JSONValue.parse(payload),
            headers: [(metaData.httpHeaderKey, metaData.httpHeaderValue)])
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
}
