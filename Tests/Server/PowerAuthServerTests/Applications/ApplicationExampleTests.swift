import Foundation
import HTTPTypes
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The example application", .endsInTime)
struct ApplicationExampleTests {
    @Test("A signed request logs in", arguments: ProtocolVersion.allCases)
    func aSignedRequestLogsIn(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice(version)
            let session = try await device.sendSigned("/session/login", uriId: "/session/login")
            #expect(session.status == 200)
            #expect(session.text("userId") == "alice")
            #expect(session.text("activationId") == device.activationId)
            #expect(
                try await device.sendSigned("/session/login", uriId: "/session/login", type: .possession).status == 401)
            #expect(try await device.sendSigned("/session/login", uriId: "/other").status == 401)
        }
    }

    @Test("Placeholders of the URI identifier come from query and path")
    func placeholdersOfTheURIIdentifier() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let account = try await device.sendSigned(
                "/secured/account/42?filter=a%26b+c", uriId: "/secured/account/42?filter=a&b c")
            #expect(account.status == 200)
            #expect(account.text("accountId") == "42")
            let unfilled = try await device.sendSigned(
                "/secured/account/42", uriId: "/secured/account/42?filter=${filter}")
            #expect(unfilled.status == 200)
            let other = try await device.sendSigned(
                "/secured/account/43", uriId: "/secured/account/42?filter=${filter}")
            #expect(other.status == 401)
        }
    }

    @Test(
        "A part of the path stands for the text that it spells, and for itself where it spells none",
        arguments: [("a%20b%2Fc%C3%A9", "a b/cé"), ("100%25", "100%"), ("%FF", "%FF"), ("a+b", "a+b")])
    func partsOfThePath(part: String, text: String) async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let account = try await device.sendSigned(
                "/secured/account/\(part)?filter=x", uriId: "/secured/account/\(text)?filter=x")
            #expect(account.status == 200)
            #expect(account.text("accountId") == text)
        }
    }

    @Test("A token authorises, once for each of its headers")
    func aTokenAuthorisesOnceForEach() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let token = try await device.createToken()
            let header = try token.header(.v3_3, timestamp: client.timestamp)
            let path = "/secure/account/widget/balance"
            let fresh = try await client.send(path, method: .get, headers: [TokenHeader.name: header.value])
            #expect(fresh.status == 200)
            let replayed = try await client.send(path, method: .get, headers: [TokenHeader.name: header.value])
            #expect(replayed.status == 401 && replayed.code == "ERR_AUTHENTICATION")
            #expect(try await client.send(path, method: .get).status == 401)
        }
    }
}
