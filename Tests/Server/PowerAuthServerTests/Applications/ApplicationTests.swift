import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Applications", .endsInTime)
struct ApplicationTests {
    @Test("A new application is ready to use")
    func aNewApplicationIsReadyToUse() async throws {
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

    @Test("Versions are added, supported and refused")
    func versionsAreAddedSupported() async throws {
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

    @Test("Missing and unknown identifiers have their codes")
    func missingAndUnknownIdentifiers() async throws {
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
