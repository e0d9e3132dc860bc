// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// The resources of applications, which devices of either version call.
@Suite("Applications with devices of protocol 4", .endsInTime)
struct ApplicationV4Tests {
    private static let hello = Data(#"{"data":"hello"}"#.utf8)

    @Test func `An encrypted request is answered in both scopes`() async throws {
        try await ServerFixture.run { client in
            let device = try await client.activeDeviceV4()
            for (path, activation) in [("/exchange/v3/application", false), ("/exchange/v3/activation", true)] {
                let answer = try await device.encrypted(path, Self.hello, activation: activation)
                #expect(answer["data"]?.stringValue?.contains("hello") == true, "\(path)")
            }
        }
    }

    @Test func `A code is taken, also for what was encrypted behind it`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDeviceV4()
            try await device.sendCoded("/session/login").expectOK()
            try await device.sendCoded("/session/login", isCorrect: false).expect(.authentication, "a wrong code")
            #expect(try await device.status().failedAttempts == 1)
            let path = "/exchange/v3/signed"
            let header = try device.header(uriId: path, body: Self.hello)
            let (request, decryptor) = try device.seal(
                Self.hello, try await device.scope(activation: true), .activationGeneric)
            let answer = try await client.send(
                path, headers: [SignatureHeader.name: header.value], body: JSONEncoder().encode(request))
            try #require(answer.status == 200)
            let content = try decryptor.decrypt(JSONDecoder().decode(AeadResponse.self, from: answer.body))
            #expect(try JSONValue.parse(content)["data"]?.stringValue?.contains("alice") == true)
            // An envelope that does not open counts as a wrong code.
            let closed = try device.header(uriId: path, body: Self.hello)
            try await client.send(path, headers: [SignatureHeader.name: closed.value], body: Data("{}".utf8))
                .expect(.authentication, "no envelope")
            #expect(try await device.status().failedAttempts == 1)
        }
    }

    @Test func `A token is taken`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDeviceV4()
            let (answer, content) = try await device.sendSealed(
                "/pa/v4/token/create", Data("{}".utf8), .tokenCreate, type: .possession)
            answer.expectOK()
            let token = try JSONValue.parse(try #require(content))
            let id = try #require(token["tokenId"]?.stringValue)
            let secret = try #require(token["tokenSecret"]?.stringValue.flatMap { StrictBase64.decode($0) })
            let right = try TokenSecret256(secret)
            for (key, status) in [(right, 200), (TokenSecret256.random(), 401)] {
                let header = TokenHeaderV4(tokenId: id, secret: key, timestamp: client.timestamp)
                let balance = try await client.send(
                    "/secure/account/widget/balance", method: .get, headers: [TokenHeader.name: header.value])
                #expect(balance.status == status)
            }
        }
    }

    @Test func `A code without a connection is made for one device, and its digits are taken`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDeviceV4(biometry: true)
            let made = try await client.backOfficeV4(
                "auth/offline/personalized/create", ["activationId": device.activationId, "data": "A2\nPay"])
            let payload = try OfflinePayloadV4(made.required("offlineData"))
            let shared = try await client.backOfficeV4(
                "auth/offline/non-personalized/create", ["applicationId": "lab", "data": "A2\nPay"])
            let master = try device.configuration.masterKeys(suite: .ecP384).ec
            #expect(try OfflinePayloadV4(shared.required("offlineData")).isSigned(by: master))
            let secrets = try #require(device.secrets)
            #expect(payload.isAuthentic(key: secrets.keys.utility.personalizedData) && payload.data == "A2\nPay")
            let body = Data(payload.data.utf8)
            func verify(_ keys: AuthenticationKeys, biometry: Bool) async throws -> Answer {
                let digits = try AuthenticationCode.offline(
                    keys: keys, counter: device.counter, uriId: "/operation/authorize/offline", nonce: payload.nonce,
                    body: body)
                let data = [
                    "POST", StrictBase64.encode(Data("/operation/authorize/offline".utf8)), payload.nonce,
                    StrictBase64.encode(body),
                ]
                return try await client.backOfficeV4(
                    "auth/offline/verify",
                    [
                        "activationId": device.activationId, "data": data.joined(separator: "&"),
                        "authenticationCode": digits, "allowBiometry": biometry,
                    ])
            }
            let strong = AuthenticationKeys(
                possession: secrets.keys.possession, knowledge: secrets.knowledge.current)
            let touch = AuthenticationKeys(
                possession: secrets.keys.possession, biometry: secrets.biometry?.current)
            let knowledge = try await verify(strong, biometry: false)
            #expect(knowledge.flag("authenticationValid") == true)
            device.counter = device.counter.next()
            #expect(try await verify(touch, biometry: false).flag("authenticationValid") == false)
            let biometry = try await verify(touch, biometry: true)
            #expect(biometry.text("authenticationCodeType") == "POSSESSION_BIOMETRY")
            device.counter = device.counter.next()
            #expect(try await device.validate() == 200)
        }
    }
}
