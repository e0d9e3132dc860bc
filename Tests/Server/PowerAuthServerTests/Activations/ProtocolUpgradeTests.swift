// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Protocol upgrades", .endsInTime)
struct ProtocolUpgradeTests {
    private func fixture() throws -> ServerFixture { try ServerFixture { $0.hasLabPowers = true } }

    @Test func `An activation of protocol 2 comes to protocol 3`() async throws {
        try await fixture().run { client in
            var device = try await client.deviceOfProtocol2()
            #expect(try await device.status()?.currentVersion == 2)
            #expect(try await device.validateSignature() == 401)

            let counter = try await device.startUpgrade()
            #expect(try await device.startUpgrade() == counter)
            device.counter = counter
            let commit = try await device.sendSigned(
                "/pa/v3/upgrade/commit", uriId: "/pa/upgrade/commit", type: .possession)
            #expect(commit.status == 200 && commit.envelopeStatus == "OK")
            #expect(try await device.status()?.currentVersion == 3)
            #expect(try await device.validateSignature() == 200)

            let history = try await client.backOffice(
                "activation/history",
                ["activationId": device.activationId, "timestampFrom": "0", "timestampTo": "9999999999999"])
            #expect(history.text("items.0.eventReason") == "ACTIVATION_VERSION_CHANGED")
        }
    }

    @Test func `An upgrade is committed with possession over a body, after its start`() async throws {
        try await fixture().run { client in
            var device = try await client.deviceOfProtocol2()
            let early = try await device.sendSigned(
                "/pa/v3/upgrade/commit", uriId: "/pa/upgrade/commit", type: .possession)
            #expect(early.status == 401)
            device.counter = try await device.startUpgrade()
            let strong = try await device.sendSigned("/pa/v3/upgrade/commit", uriId: "/pa/upgrade/commit")
            #expect(strong.status == 401 && strong.code == "ERR_AUTHENTICATION")
            let empty = try await device.sendSigned(
                "/pa/v3/upgrade/commit", uriId: "/pa/upgrade/commit", body: Data(), type: .possession)
            #expect(empty.status == 401)
            let missing = try await client.send("/pa/v3/upgrade/commit", body: Data("{}".utf8))
            #expect(missing.status == 400 && missing.code == "ERR_UPGRADE")
            #expect(try await device.status()?.currentVersion == 2)
        }
    }

    @Test
    func `An activation of protocol 3 is refused before its request is decrypted, one of protocol 2 behind that`()
        async throws
    {
        try await fixture().run { client in
            let devices = [
                (try await client.activeDevice(), "ERR0008"), (try await client.deviceOfProtocol2(), "ERR0018"),
            ]
            for (device, code) in devices {
                let scope = try await device.activationScope()
                let (request, _) = try device.seal([:], scope, .upgrade)
                // An envelope that cannot be opened; the error appears only when it is decrypted.
                let answer = try await client.backOffice(
                    "upgrade/start",
                    [
                        "activationId": device.activationId, "applicationKey": device.configuration.applicationKeyText,
                        "protocolVersion": "3.3", "temporaryKeyId": try #require(request.temporaryKeyId),
                        "ephemeralPublicKey": StrictBase64.encode(request.ephemeralPublicKey),
                        "encryptedData": StrictBase64.encode(request.encryptedData),
                        "mac": StrictBase64.encode(Data(count: 32)),
                        "nonce": StrictBase64.encode(try #require(request.nonce)),
                        "timestamp": try #require(request.timestamp),
                    ])
                #expect(answer.code == code)
            }
        }
    }

    @Test func `An activation of protocol 3 has nothing to upgrade`() async throws {
        try await fixture().run { client in
            var device = try await client.activeDevice()
            let (request, _) = try device.seal([:], try await device.activationScope(), .upgrade)
            let header = EncryptionHeader(
                version: .v3_3, applicationKey: device.configuration.applicationKeyText,
                activationId: device.activationId)
            let start = try await client.send(
                "/pa/v3/upgrade/start", headers: [EncryptionHeader.name: header.value],
                body: JSONEncoder().encode(request))
            #expect(start.status == 400 && start.code == "ERR_UPGRADE")
            #expect(start.text("message") == "POWER_AUTH_UPGRADE_FAILED")
            let commit = try await device.sendSigned(
                "/pa/v3/upgrade/commit", uriId: "/pa/upgrade/commit", type: .possession)
            #expect(commit.status == 400 && commit.code == "ERR_UPGRADE")
            let bare = try await client.send("/pa/v3/upgrade/start", body: Data("{}".utf8))
            #expect(bare.status == 400 && bare.code == "ERR_UPGRADE")
        }
    }
}
