// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Activation by identity attributes", .endsInTime)
struct ActivationIdentityTests {
    @Test(arguments: ProtocolVersion.allCases)
    func `A custom activation belongs to the user the provider finds and waits for its commit`(
        version: ProtocolVersion
    ) async throws {
        try await ServerFixture.run { client in
            var device = try TestDevice(client, version)
            #expect(try await device.activate(type: "CUSTOM", identity: ["username": "carol"]).status == 200)
            #expect(try await device.status()?.state == .pendingCommit)
            let detail = try await client.activationStatus(device.activationId)
            #expect(detail.text("userId") == "carol")
            #expect(detail.text("extras") == "blue")
            try await client.backOffice("activation/commit", ["activationId": device.activationId]).expectOK()
            #expect(try await device.validateSignature() == 200)
        }
    }

    @Test(.verifies("rest-api.md", "B-21"))
    func `A custom activation without a usable user is refused and leaves nothing`() async throws {
        try await ServerFixture.run { client in
            for identity in [
                ["login": "carol"], ["username": " "], ["username": String(repeating: "x", count: 256)], [:],
            ] {
                var device = try TestDevice(client, .v3_3)
                let answer = try await device.activate(type: "CUSTOM", identity: identity)
                #expect(answer.status == 400 && answer.code == "ERR_ACTIVATION")
            }
            // No user has such a name.
            let list = try await client.backOffice("activation/list", ["userId": String(repeating: "x", count: 256)])
            #expect(list.status == 400 && list.code == "ERR0024")
            for userId in ["carol", " "] {
                let found = try await client.backOffice("activation/list", ["userId": userId])
                #expect((found.value("activations") as? [Any])?.isEmpty == true)
            }
        }
    }

    @Test(.verifies("rest-api.md", "B-21"))
    func `The provider decides about custom attributes and commits`() async throws {
        let fixture = try ServerFixture {
            $0.activationProvider = ActivationProvider(
                userId: { $0["login"] },
                customAttributes: { ["key_new": .string(($0["key"]?.stringValue ?? "") + "_new")] },
                commits: { $0 == "CUSTOM" })
        }
        try await fixture.run { client in
            var device = try TestDevice(client, .v3_3)
            let answer = try await device.activate(
                type: "CUSTOM", identity: ["login": "dave"], attributes: ["key": "value"],
                expectedAttributes: ["key_new": "value_new"])
            #expect(answer.status == 200)
            #expect(try await device.status()?.state == .active)
        }
    }

    @Test func `An unknown direct method is a custom activation, an unknown type is refused`() async throws {
        try await ServerFixture.run { client in
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(type: "DIRECT", identity: ["username": "erin"]).status == 200)
            #expect(try await client.activationStatus(device.activationId).text("userId") == "erin")
            var other = try TestDevice(client, .v3_3)
            let unknown = try await other.activate(type: "MAGIC", identity: ["username": "erin"])
            #expect(unknown.status == 400 && unknown.code == "ERR_ACTIVATION")
        }
    }

    @Test func `Claims stored for a user come with the activation and with user info`() async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        try await fixture.run { client in
            try await client.send(
                "/lab/seed",
                body: Data(#"{"claims":{"alice":{"given_name":"Alice","email_verified":true}}}"#.utf8)
            ).expectOK()
            let (_, code) = try await client.initiate()
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(code: code).status == 200)
            #expect(device.userInfo?["given_name"]?.stringValue == "Alice")
            #expect(device.userInfo?["sub"]?.stringValue == "alice")
            try await client.backOffice("activation/commit", ["activationId": device.activationId]).expectOK()
            let info = try await device.encrypted("/pa/v3/user/info", [:])
            #expect(info["email_verified"]?.boolValue == true)
            #expect(info["jti"]?.stringValue != nil && info["iat"]?.integerValue != nil)
        }
    }

    @Test func `A user without claims has none at the activation`() async throws {
        try await ServerFixture.run { client in
            let device = try await client.activeDevice()
            #expect(device.userInfo == JSONValue.null)
            let info = try await device.encrypted("/pa/v3/user/info", [:])
            #expect(info["sub"]?.stringValue == "alice")
        }
    }
}

@Suite("Names of activations", .endsInTime)
struct ActivationNameTests {
    private static let path = "/pa/v3/activation/rename"

    @Test(arguments: ProtocolVersion.allCases)
    func `A device renames its activation and reads the name with a token`(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice(version)
            let renamed = try await device.signedEncrypted(
                Self.path, uriId: "/pa/activation/rename", ["activationName": "New name"])
            #expect(renamed.status == 200)
            let token = try await device.createToken(type: .possessionKnowledge)
            let header = try token.header(version, timestamp: client.timestamp)
            let detail = try await device.encrypted(
                "/pa/v3/activation/detail", [:], headers: [TokenHeader.name: header.value])
            #expect(detail["status"]?.stringValue == "OK")
            #expect(detail["responseObject"]?["activationName"]?.stringValue == "New name")
            #expect(detail["responseObject"]?["activationId"]?.stringValue == device.activationId)
        }
    }

    @Test func `Weak factors neither rename nor read`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            for type in [SignatureType.possession, .possessionKnowledgeBiometry] {
                let refused = try await device.signedEncrypted(
                    Self.path, uriId: "/pa/activation/rename", ["activationName": "X"], type: type)
                #expect(refused.status == 401)
            }
            let token = try await device.createToken(type: .possession)
            let header = try token.header(.v3_3, timestamp: client.timestamp)
            let scope = try await device.activationScope()
            let (request, _) = try device.seal([:], scope, .activationGeneric)
            let answer = try await client.send(
                "/pa/v3/activation/detail",
                headers: [
                    TokenHeader.name: header.value, EncryptionHeader.name: device.encryptionHeader(scope).value,
                ], body: JSONEncoder().encode(request))
            #expect(answer.status == 401)
        }
    }

    @Test func `A name must have text in it`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let blank = try await device.signedEncrypted(
                Self.path, uriId: "/pa/activation/rename", ["activationName": " "])
            #expect(blank.status == 400 && blank.code == "ERR_ACTIVATION")
        }
    }
}
