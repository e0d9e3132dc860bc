// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Tokens", .endsInTime)
struct TokenTests {
    @Test(
        .verifies("server.md", "B-41"),
        .verifies("rest-api.md", "B-16"), arguments: ProtocolVersion.allCases)
    func `A token proves its factors until it is removed`(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice(version)
            let token = try await device.createToken(type: .possessionKnowledge)
            let valid = try await client.validate(token.header(version, timestamp: client.timestamp))
            #expect(valid.flag("tokenValid") == true)
            #expect(valid.text("signatureType") == "POSSESSION_KNOWLEDGE")
            #expect(valid.text("activationId") == device.activationId)
            #expect(valid.text("userId") == "alice")

            let body = try JSONEncoder().encode(["requestObject": ["tokenId": token.tokenId]])
            for _ in 0..<2 {
                let removal = try await device.sendSigned(
                    "/pa/v3/token/remove", uriId: "/pa/token/remove", body: body, type: .possession)
                #expect(removal.status == 200)
                #expect(removal.text("tokenId") == token.tokenId)
            }
            let gone = try await client.validate(token.header(version, timestamp: client.timestamp))
            #expect(gone.status == 200)
            #expect(gone.flag("tokenValid") == false)
            #expect(gone.isNull("activationId"))
        }
    }

    @Test func `All factor combinations with possession create tokens`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            for type in [
                SignatureType.possession, .possessionKnowledge, .possessionBiometry, .possessionKnowledgeBiometry,
            ] {
                let token = try await device.createToken(type: type)
                let valid = try await client.validate(token.header(.v3_3, timestamp: client.timestamp))
                #expect(valid.text("signatureType") == type.rawValue.uppercased())
            }
        }
    }

    @Test(
        .verifies("server.md", "B-41"),
        arguments: [ProtocolVersion.v3_1, .v3_3])
    func `A digest is used once in all the time it is valid`(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice(version)
            let token = try await device.createToken()
            let header = try token.header(version, timestamp: client.timestamp)
            #expect(try await client.validate(header).flag("tokenValid") == true)
            #expect(try await client.validate(header).code == "ERR0024")
            client.clock.advance(milliseconds: 7_200_000)
            #expect(try await client.validate(header).code == "ERR0024")
            client.clock.advance(milliseconds: 1)
            #expect(try await client.validate(header).code == "ERR0030")
        }
    }

    @Test func `A digest stays used while those of other tokens come and go`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let token = try await device.createToken()
            let first = try token.header(.v3_3, timestamp: client.timestamp)
            #expect(try await client.validate(first).flag("tokenValid") == true)
            // Longer than a request may be under way, and each validation purges what is over.
            for _ in 0..<3 {
                client.clock.advance(milliseconds: 61_000)
                let other = try token.header(.v3_3, timestamp: client.timestamp)
                #expect(try await client.validate(other).flag("tokenValid") == true)
            }
            #expect(try await client.validate(first).code == "ERR0024")
        }
    }

    @Test(
        .verifies("server.md", "B-41"),
        .verifies(
            "size", "ServerPolicy.extendedRequestWindow", "ServerPolicy.tokenForwardValidity",
            "ServerPolicy.tokenValidity"))
    func `Timestamps have a window, and newer versions a narrower one ahead`() async throws {
        try await ServerFixture.run { client in
            for (version, ahead, code) in [
                (ProtocolVersion.v3_1, 1_800_000, "ERR0044"), (.v3_3, 60_000, "ERR0024"),
            ] {
                var device = try await client.activeDevice(version)
                let token = try await device.createToken()
                let edge = client.timestamp + UInt64(ahead)
                #expect(try await client.validate(token.header(version, timestamp: edge)).flag("tokenValid") == true)
                #expect(try await client.validate(token.header(version, timestamp: edge + 1)).code == code)
                let oldest = client.timestamp - 7_200_000
                #expect(try await client.validate(token.header(version, timestamp: oldest)).flag("tokenValid") == true)
                #expect(try await client.validate(token.header(version, timestamp: oldest - 1)).code == "ERR0030")
            }
        }
    }

    @Test func `A changed digest or another version's digest is invalid`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let token = try await device.createToken()
            let right = try token.header(.v3_3, timestamp: client.timestamp)
            var digest = right.tokenDigest
            digest[0] ^= 1
            let changed = TokenHeader(
                version: .v3_3, tokenId: right.tokenId, tokenDigest: digest, nonce: right.nonce,
                timestamp: right.timestamp)
            #expect(try await client.validate(changed).flag("tokenValid") == false)
            let older = try token.header(.v3_1, timestamp: client.timestamp)
            let renamed = TokenHeader(
                version: .v3_3, tokenId: older.tokenId, tokenDigest: older.tokenDigest, nonce: older.nonce,
                timestamp: older.timestamp)
            #expect(try await client.validate(renamed).flag("tokenValid") == false)
        }
    }

    @Test(.verifies("server.md", "B-41"))
    func `A token of a blocked activation is invalid but shows why`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let token = try await device.createToken()
            try await client.backOffice("activation/block", ["activationId": device.activationId]).expectOK()
            let blocked = try await client.validate(token.header(.v3_3, timestamp: client.timestamp))
            #expect(blocked.flag("tokenValid") == false)
            #expect(blocked.text("activationStatus") == "BLOCKED")
        }
    }

    @Test func `The back office removes a token of its activation only`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let token = try await device.createToken()
            func remove(_ activationId: String) async throws -> Bool? {
                try await client.backOffice(
                    "token/remove", ["tokenId": token.tokenId, "activationId": activationId]
                ).flag("removed")
            }
            #expect(try await remove("another") == false)
            #expect(try await remove(device.activationId) == true)
            #expect(try await remove(device.activationId) == false)
        }
    }

    @Test(.verifies("rest-api.md", "B-15")) func `A wrong signature creates no token`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let (request, _) = try device.seal([:], try await device.activationScope(), .createToken)
            let answer = try await device.sendSigned(
                "/pa/v3/token/create", uriId: "/pa/token/create", body: JSONEncoder().encode(request), correct: false)
            #expect(answer.status == 401)
            #expect(answer.code == "ERR_AUTHENTICATION")
        }
    }
}
