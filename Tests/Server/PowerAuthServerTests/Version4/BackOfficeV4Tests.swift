// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthPostQuantum
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Back office of protocol 4", .endsInTime)
struct BackOfficeV4Tests {
    private static let body = Data("{}".utf8)

    /// The fields of a verification, as a mobile-facing server sends them.
    private func fields(
        _ header: AuthenticationHeader, version: String = "4.0"
    ) -> [String: any Sendable] {
        let data = [
            "POST", StrictBase64.encode(Data("/login".utf8)), header.nonce, StrictBase64.encode(Self.body),
        ]
        return [
            "activationId": header.activationId, "applicationKey": header.applicationKey,
            "data": data.joined(separator: "&"), "authenticationCode": header.code,
            "authenticationCodeType": header.type.name, "authenticationVersion": version,
        ]
    }

    @Test func `A code is verified under the new names, of either generation`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDeviceV4()
            let right = try device.header(uriId: "/login", body: Self.body)
            let answer = try await client.backOfficeV4("auth/verify", fields(right))
            #expect(answer.flag("authenticationValid") == true && answer.value("signatureValid") == nil)
            #expect(answer.text("authenticationCodeType") == "POSSESSION_KNOWLEDGE")
            let wrong = try device.header(uriId: "/login", body: Self.body, isCorrect: false)
            let refused = try await client.backOfficeV4("auth/verify", fields(wrong))
            #expect(refused.flag("authenticationValid") == false && refused.number("remainingAttempts") == 4)
            let unknown = try await client.backOfficeV4("auth/verify", fields(right, version: "5.0"))
            #expect(unknown.code == "ERR0047")
            // The former names have no meaning.
            var former = fields(right)
            former["signature"] = former.removeValue(forKey: "authenticationCode")
            #expect(try await client.backOfficeV4("auth/verify", former).code == "ERR0024")

            var old = try await client.activeDevice()
            let signature = try old.signature(uriId: "/login", body: Self.body)
            let translated = AuthenticationHeader(
                activationId: signature.activationId, applicationKey: signature.applicationKey, nonce: signature.nonce,
                type: signature.signatureType, code: signature.signature)
            let valid = try await client.backOfficeV4("auth/verify", fields(translated, version: "3.3"))
            #expect(valid.flag("authenticationValid") == true)
        }
    }

    @Test func `Every resource of the newer API is one of the former, under its new name`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let endpoints = fixture.server.endpoints.filter { $0.face == .backOffice }
            let (former, newer) = (endpoints.filter { $0.original == nil }, endpoints.filter { $0.original != nil })
            let gone = former.filter { endpoint in !newer.contains { $0.original == endpoint.path } }.map(
                \.backOfficePath)
            #expect(!gone.isEmpty && gone.allSatisfy { $0.contains("/recovery/") })
            let paths = Set(newer.map(\.path))
            #expect(paths.count == newer.count && paths.allSatisfy { $0.hasPrefix("/rest/v4/") })
            #expect(!paths.contains { $0.contains("signature") || $0.contains("recovery") })
            for path in [
                "auth/verify", "auth/offline/verify", "audit/list", "dsa/sign", "dsa/verify", "token/validate",
            ] {
                #expect(paths.contains("/rest/v4/\(path)"), "\(path)")
            }
            let document = OpenAPIDocument(endpoints: fixture.server.endpoints).json
            let schema = document["paths"]?["/rest/v4/auth/verify"]?["post"]?["requestBody"]?["content"]?[
                "application/json"]?["schema"]?["properties"]?["requestObject"]
            let names = Set((schema?["properties"]?.objectValue ?? [:]).keys)
            #expect(names.isSuperset(of: ["authenticationCode", "authenticationCodeType", "authenticationVersion"]))
            #expect(names.isDisjoint(with: ["signature", "signatureType", "signatureVersion"]))
            let former404 = try await client.send("/rest/v4/signature/verify", body: Self.body)
            #expect(former404.status == 404)
        }
    }

    @Test func `Each API lists its own errors, and the newer one says ERR0024 for those that are gone`() async throws {
        try await ServerFixture.run { client in
            func codes(_ answer: Answer) -> Set<String> {
                let entries = answer.value("errors") as? [[String: Any]] ?? []
                return Set(entries.compactMap { $0["code"] as? String })
            }
            let former = codes(try await client.backOffice("error/list"))
            let newer = codes(try await client.backOfficeV4("error/list"))
            #expect(newer.subtracting(former) == ["ERR0046", "ERR0047"])
            #expect(
                former.subtracting(newer) == [
                    "ERR0025", "ERR0026", "ERR0027", "ERR0028", "ERR0029", "ERR0030", "ERR0044",
                ])
            let device = try await client.activeDeviceV4()
            let old: [String: any Sendable] = [
                "tokenId": device.activationId, "tokenDigest": StrictBase64.encode(Data(count: 32)),
                "nonce": StrictBase64.encode(Data(count: 16)), "timestamp": "1000000000", "protocolVersion": "4.0",
            ]
            #expect(try await client.backOfficeV4("token/validate", old).code == "ERR0024")
        }
    }

    @Test func `A message of protocol 4 is refused where it cannot be read`() async throws {
        try await ServerFixture.run { client in
            let answer = try await client.backOfficeV4(
                "activation/prepare", ["activationCode": "x", "protocolVersion": "4.0"])
            #expect(answer.code == "ERR0047")
        }
    }

    @Test(arguments: CryptographySuite.Name.allCases)
    func `The keys of an activation sign and verify`(name: CryptographySuite.Name) async throws {
        try await ServerFixture.run { client in
            let device = try await client.activeDeviceV4(.named(name))
            let data = Data("data".utf8)
            let request = ["activationId": device.activationId, "data": StrictBase64.encode(data)]
            let signed = try await client.backOfficeV4("dsa/sign", request)
            let signature = try signed.bytes("signature")
            let server = try #require(device.serverKeys).ec
            #expect(server.verify(signature: signature, of: data))
            func isValid(_ signature: Data, _ more: [String: String] = [:]) async throws -> Bool? {
                let fields = request.merging(["signature": StrictBase64.encode(signature)]) { $1 }
                return try await client.backOfficeV4("dsa/verify", fields.merging(more) { $1 }).flag("signatureValid")
            }
            #expect(try await isValid(device.deviceKeys.ec.sign(data)) == true)
            let jose = try device.deviceKeys.ec.sign(data, format: .jose)
            #expect(try await isValid(jose, ["signatureFormat": "JOSE"]) == true)
            #expect(try await isValid(device.deviceKeys.ec.sign(Data("other".utf8))) == false)
            if let lattice = try device.deviceKeys.latticeSignature(of: data) {
                #expect(try await isValid(lattice) == true)
                #expect(try await isValid(Data(lattice.reversed())) == false)
            }
        }
    }
}
