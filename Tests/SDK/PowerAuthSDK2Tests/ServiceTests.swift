// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabHTTP
import PowerAuthSDK2
import PowerAuthShared
import SDKTestSupport
import TestSupport
import Testing

@Suite("Tokens, encryption and claims in SDK 2.0 (protocol-4.md, sections 7 and 11)", .endsInTime)
struct ServiceTests {
    @Test(arguments: [PowerAuthAlgorithm.EC_P384, .EC_P384_ML_L5])
    func `A token is made once, its headers are those of version 4.0, and it is removed on both sides`(
        algorithm: PowerAuthAlgorithm
    ) async throws {
        let app = try await TestApp2.activated(algorithm)
        let token = try await app.token("list")
        #expect(try await app.token("list").isEqual(to: token))
        #expect(app.transport.count(of: "/pa/v4/token/create") == 1)
        let header = try AuthorizationHeader(#require(token.generateHeader()))
        #expect(header["version"] == "4.0")
        #expect(try await app.backOffice.acceptsToken(header))
        let isRemoved: Bool = await callback { report in
            app.sdk.tokenStore.removeAccessToken(withName: "list") { isRemoved, _ in report(isRemoved) }
        }
        #expect(isRemoved && !app.sdk.tokenStore.hasLocalToken(withName: "list"))
    }

    @Test(arguments: [PowerAuthAlgorithm.EC_P384, .EC_P384_ML_L3])
    func `An encryptor serves one request and its response`(algorithm: PowerAuthAlgorithm) async throws {
        let app = try await TestApp2.activated(algorithm)
        try await app.backOffice.setClaims(["name": "Eva"], userId: app.userId)
        let encryptor = try await outcome { app.sdk.encryptorForActivationScope(callback: $0) }.get()
        let request = try encryptor.encryptRequest(Data("{}".utf8))
        #expect(throws: NSError.self) { try encryptor.encryptRequest(Data()) }
        let answer = try await app.backOffice.exchange(
            app.server.addresses.enrollmentURL + "/pa/v4/user/info", JSONValue.parse(request),
            headers: [(encryptor.headerName, encryptor.headerValue)])
        try #require(answer.status == 200)
        let plain = try JSONValue.parse(encryptor.decryptResponse(answer.body))
        #expect(plain["name"]?.stringValue == "Eva")
        #expect(throws: NSError.self) { try encryptor.decryptResponse(answer.body) }

        let application = try await outcome { app.sdk.encryptorForApplicationScope(callback: $0) }.get()
        #expect(!application.headerValue.contains("activation_id"))
        #expect(throws: NSError.self) { try application.decryptResponse(Data("{}".utf8)) }
    }

    @Test func `Claims about the user are fetched and remembered`() async throws {
        let app = try await TestApp2.activated()
        try await app.backOffice.setClaims(["name": "Eva"], userId: app.userId)
        let info = try await outcome { app.sdk.fetchUserInfo(callback: $0) }.get()
        #expect(info.name == "Eva" && app.sdk.lastFetchedUserInfo === info)
    }

    @Test func `A temporary key that the server has lost is replaced, and the password is counted once`() async throws {
        let app = try await TestApp2.activated()
        _ = try await app.token("first")
        let changed = app.transport.count(of: "/pa/v4/keystore/create")
        app.transport.order(
            .answer(status: 400, body: #"{"status":"ERROR","responseObject":{"code":"ERR_ENCRYPTION","message":""}}"#),
            for: "/pa/v4/password/change")
        let error = await failure {
            app.sdk.changePassword(from: TestApp.password, to: TestApp2.newPassword, callback: $0)
        }
        #expect(error == nil)
        #expect(app.transport.count(of: "/pa/v4/keystore/create") == changed + 1)
        #expect(await app.sdk.validate(TestApp2.newPassword) == nil)
    }

    @Test func `The server's time comes from the resource of protocol 4`() async throws {
        let app = try await TestApp2()
        _ = try await outcome { app.sdk.fetchServerStatus(callback: $0) }.get()
        #expect(app.transport.paths == ["/pa/v4/status"])
    }
}
