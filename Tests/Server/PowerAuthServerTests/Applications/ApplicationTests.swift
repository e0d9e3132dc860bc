// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Applications", .endsInTime)
struct ApplicationTests {
    @Test(.verifies("server.md", "B-1", "B-3")) func `A new application is ready to use`() async throws {
        try await ServerFixture.run { client in
            let created = try await client.backOffice("application/create", ["applicationId": "bank"])
            #expect(created.text("applicationId") == "bank")
            let detail = try await client.backOffice("application/detail", ["applicationId": "bank"])
            #expect(detail.text("versions.0.applicationVersionId") == "default")
            #expect(detail.flag("versions.0.supported") == true)
            let configuration = try MobileSdkConfiguration(detail.required("versions.0.mobileSdkConfig"))
            #expect(configuration.applicationKeyText == detail.text("versions.0.applicationKey"))
            #expect(configuration.applicationSecretText == detail.text("versions.0.applicationSecret"))
            #expect(configuration.masterServerPublicKeyText == detail.text("masterPublicKey"))
            #expect(configuration.masterServerPublicKey.count == 65)
            #expect(try await client.backOffice("application/create", ["applicationId": "bank"]).code == "ERR0043")
            let list = try await client.backOffice("application/list")
            #expect(list.text("applications.0.applicationId") == "lab")
            #expect(list.text("applications.1.applicationId") == "bank")
            let key = try #require(detail.text("versions.0.applicationKey"))
            let owner = try await client.backOffice("application/detail/version", ["applicationKey": key])
            #expect(owner.text("applicationId") == "bank")
        }
    }

    @Test func `Versions are added, supported and refused`() async throws {
        try await ServerFixture.run { client in
            let version: [String: any Sendable] = ["applicationId": "lab", "applicationVersionId": "v2"]
            let created = try await client.backOffice("application/version/create", version)
            #expect(created.isNull("applicationVersionName"))
            #expect(
                try MobileSdkConfiguration(created.required("mobileSdkConfig")).applicationKeyText
                    == created.text("applicationKey"))
            #expect(try await client.backOffice("application/version/create", version).code == "ERR0043")
            let unsupported = try await client.backOffice("application/version/unsupport", version)
            #expect(unsupported.flag("supported") == false)
            let detail = try await client.backOffice("application/detail", ["applicationId": "lab"])
            #expect(detail.flag("versions.1.supported") == false)
            #expect(try await client.backOffice("application/version/support", version).flag("supported") == true)
        }
    }

    @Test func `Missing and unknown identifiers have their codes`() async throws {
        try await ServerFixture.run { (client: ServerClient) async throws in
            #expect(try await client.backOffice("application/create").code == "ERR0024")
            #expect(try await client.backOffice("application/detail").code == "ERR0024")
            #expect(try await client.backOffice("application/detail", ["applicationId": "no"]).code == "ERR0015")
            let unknown: [String: any Sendable] = ["applicationId": "lab", "applicationVersionId": "no"]
            #expect(try await client.backOffice("application/version/support", unknown).code == "ERR0015")
            #expect(
                try await client.backOffice("application/version/create", ["applicationId": "no"]).code == "ERR0015")
        }
    }
}

@Suite("The example application", .endsInTime)
struct ApplicationExampleTests {
    @Test(arguments: ProtocolVersion.allCases) func `A signed request logs in`(version: ProtocolVersion) async throws {
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

    @Test func `Placeholders of the URI identifier come from query and path`() async throws {
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

    @Test(arguments: [("a%20b%2Fc%C3%A9", "a b/cé"), ("100%25", "100%"), ("%FF", "%FF"), ("a+b", "a+b")])
    func `A part of the path stands for the text that it spells, and for itself where it spells none`(
        part: String, text: String
    ) async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let account = try await device.sendSigned(
                "/secured/account/\(part)?filter=x", uriId: "/secured/account/\(text)?filter=x")
            #expect(account.status == 200)
            #expect(account.text("accountId") == text)
        }
    }

    @Test func `A token authorises, once for each of its headers`() async throws {
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
