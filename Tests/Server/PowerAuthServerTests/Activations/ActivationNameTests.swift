import Foundation
import LabKit
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Names of activations", .endsInTime)
struct ActivationNameTests {
    private static let path = "/pa/v3/activation/rename"

    @Test("A device renames its activation and reads the name with a token", arguments: ProtocolVersion.allCases)
    func aDeviceRenamesItsActivation(version: ProtocolVersion) async throws {
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

    @Test("Weak factors neither rename nor read")
    func weakFactorsNeitherRename() async throws {
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

    @Test("A name must have text in it")
    func aNameMustHaveTextInIt() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let blank = try await device.signedEncrypted(
                Self.path, uriId: "/pa/activation/rename", ["activationName": " "])
            #expect(blank.status == 400 && blank.code == "ERR_ACTIVATION")
        }
    }
}
