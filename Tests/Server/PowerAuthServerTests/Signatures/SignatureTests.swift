// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Signatures", .endsInTime)
struct SignatureTests {
    @Test
    func `An activation of protocol 2 signs the end of its upgrade with forcedSignatureVersion 3, and nothing else`()
        async throws
    {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        try await fixture.run { client in
            let device = try await client.deviceOfProtocol2()
            let counter = try await device.startUpgrade()
            let data = "POST&L3Rlc3Q=&AAAAAAAAAAAAAAAAAAAAAA==&e30="
            let signature = try SymmetricSignature.online(
                version: .v3_3, keys: SignatureKeys(#require(device.keys), factors: [.possession]), counter: counter,
                data: SymmetricSignature.appendSecret(
                    device.configuration.applicationSecretText, to: Data(data.utf8)))
            func isValid(forced: Int?) async throws -> Bool? {
                var request: [String: any Sendable] = [
                    "activationId": device.activationId, "applicationKey": device.configuration.applicationKeyText,
                    "data": data, "signature": signature, "signatureType": "POSSESSION", "signatureVersion": "3.3",
                ]
                request["forcedSignatureVersion"] = forced
                return try await client.backOffice("signature/verify", request).flag("signatureValid")
            }
            for forced in [nil, 2, 4] { #expect(try await isValid(forced: forced) == false) }
            #expect(try await isValid(forced: 3) == true)
        }
    }

    @Test(
        .verifies("server.md", "B-22", "B-27", "B-30"),
        .verifies("rest-api.md", "B-12"), arguments: ProtocolVersion.allCases)
    func `Signatures of every accepted combination are valid once`(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice(version)
            for type in [
                SignatureType.possession, .possessionKnowledge, .possessionBiometry, .possessionKnowledgeBiometry,
            ] {
                let header = try device.signature(uriId: "/pa/signature/validate", body: Data(), type: type)
                let headers = [SignatureHeader.name: header.value]
                #expect(try await client.send("/pa/v3/signature/validate", headers: headers).status == 200)
                #expect(try await client.send("/pa/v3/signature/validate", headers: headers).status == 401)
            }
        }
    }

    @Test(
        .verifies("server.md", "B-29"),
        .verifies("rest-api.md", "B-12"))
    func `GET signs the canonical query, for any order of the parameters`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let body = SymmetricSignature.canonicalQuery([("who", "John T&Co"), ("when", "now")])
            let header = try device.signature(method: "GET", uriId: "/pa/signature/validate", body: body)
            let answer = try await client.send(
                "/pa/v3/signature/validate?who=John+T%26Co&when=now", method: .get,
                headers: [SignatureHeader.name: header.value])
            #expect(answer.status == 200)
        }
    }

    @Test(.verifies("server.md", "B-29")) func `The signature covers the bytes as received`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let header = try device.signature(uriId: "/pa/signature/validate", body: Data("{\"a\": 1}".utf8))
            let headers = [SignatureHeader.name: header.value]
            let changed = try await client.send(
                "/pa/v3/signature/validate", headers: headers, body: Data("{\"a\":1}".utf8))
            #expect(changed.status == 401)
            let exact = try await client.send(
                "/pa/v3/signature/validate", headers: headers, body: Data("{\"a\": 1}".utf8))
            #expect(exact.status == 200)
        }
    }

    @Test(.verifies("server.md", "B-26"), .verifies("rest-api.md", "B-26"))
    func `The look-ahead window has twenty values`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            device.skip(19)
            #expect(try await device.validateSignature() == 200)
            #expect(try await device.status()?.counter?.byte == 20)
            #expect(try await device.validateSignature() == 200)
            device.skip(20)
            #expect(try await device.validateSignature() == 401)
        }
    }

    @Test(.verifies("server.md", "B-28")) func `More signatures than the counter byte can tell apart`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            for _ in 0..<264 {
                #expect(try await device.validateSignature(type: .possession) == 200)
            }
            #expect(try await device.status()?.counter?.byte == 8)
        }
    }

    @Test(
        .verifies("server.md", "B-23"),
        .verifies("rest-api.md", "B-26"))
    func `Five wrong signatures in a row block, a right one in between resets`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            for _ in 0..<4 { #expect(try await device.validateSignature(correct: false) == 401) }
            #expect(try await device.status()?.failedAttempts == 4)
            #expect(try await device.validateSignature() == 200)
            #expect(try await device.status()?.failedAttempts == 0)
            for _ in 0..<5 { #expect(try await device.validateSignature(correct: false) == 401) }
            let detail = try await client.activationStatus(device.activationId)
            #expect(detail.text("activationStatus") == "BLOCKED")
            #expect(detail.text("blockedReason") == "MAX_FAILED_ATTEMPTS")
            #expect(try await device.validateSignature() == 401)
            try await client.backOffice("activation/unblock", ["activationId": device.activationId]).expectOK()
            #expect(try await device.status()?.failedAttempts == 0)
        }
    }

    @Test(.verifies("server.md", "B-24")) func `The limit of failures is the activation's own`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice(.v3_3, ["maxFailureCount": 2])
            #expect(try await device.validateSignature(correct: false) == 401)
            #expect(try await device.status()?.state == .active)
            #expect(try await device.validateSignature(correct: false) == 401)
            #expect(try await device.status()?.state == .blocked)
        }
    }

    @Test(.verifies("server.md", "B-25")) func `Possession alone neither counts nor forgets`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            for _ in 0..<6 { #expect(try await device.validateSignature(type: .possession, correct: false) == 401) }
            #expect(try await device.status()?.failedAttempts == 0)
            #expect(try await device.validateSignature(correct: false) == 401)
            #expect(try await device.validateSignature(type: .possession) == 200)
            #expect(try await device.status()?.failedAttempts == 1)
        }
    }

    @Test(.verifies("server.md", "B-31"))
    func `The back office verifies normalised data and reports the attempts that are left`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            func verify(
                _ header: SignatureHeader, version: String? = nil, applicationKey: String? = nil
            ) async throws -> Answer {
                let uriId = Data("/login".utf8).base64EncodedString()
                return try await client.backOffice(
                    "signature/verify",
                    [
                        "activationId": header.activationId,
                        "applicationKey": applicationKey ?? header.applicationKey,
                        "data": "POST&\(uriId)&\(header.nonce)&", "signature": header.signature,
                        "signatureType": header.signatureType.rawValue.uppercased(),
                        "signatureVersion": version ?? header.version.rawValue,
                    ])
            }
            let right = try await verify(try device.signature(uriId: "/login", body: Data()))
            #expect(right.flag("signatureValid") == true)
            #expect(right.text("activationStatus") == "ACTIVE")
            #expect(right.number("remainingAttempts") == 5)
            #expect(right.text("signatureType") == "POSSESSION_KNOWLEDGE")
            #expect(right.text("userId") == "alice")
            let wrong = try await verify(try device.signature(uriId: "/login", body: Data(), correct: false))
            #expect(wrong.flag("signatureValid") == false)
            #expect(wrong.number("remainingAttempts") == 4)
            let possession = try await verify(try device.signature(uriId: "/login", body: Data(), type: .possession))
            #expect(possession.flag("signatureValid") == true)
            #expect(possession.number("remainingAttempts") == 5)
            let decimal = try await verify(try device.signature(uriId: "/login", body: Data()), version: "3.0")
            #expect(decimal.flag("signatureValid") == false)
            let later = try await verify(try device.signature(uriId: "/login", body: Data()), version: "3.7")
            #expect(later.flag("signatureValid") == true)
            let unknown = try await verify(try device.signature(uriId: "/login", body: Data()), version: "2.1")
            #expect(unknown.code == "ERR0013")

            try await client.backOffice("application/create", ["applicationId": "other"]).expectOK()
            let other = try await client.backOffice("application/detail", ["applicationId": "other"])
            let otherKey = try #require(other.text("versions.0.applicationKey"))
            let foreign = try await verify(
                try device.signature(uriId: "/login", body: Data()), applicationKey: otherKey)
            #expect(foreign.flag("signatureValid") == false)
            #expect(foreign.isNull("remainingAttempts"))
            #expect(try await device.status()?.failedAttempts == 1)
            #expect(try await client.backOffice("signature/verify", ["activationId": "x"]).code == "ERR0024")
        }
    }

    @Test func `Failures of an activation that is not active are not counted`() async throws {
        try await ServerFixture.run { client in
            let (_, code) = try await client.initiate()
            var device = try TestDevice(client, .v3_3)
            try await device.activate(code: code)
            for _ in 0..<6 { #expect(try await device.validateSignature(correct: false) == 401) }
            #expect(try await device.status()?.state == .pendingCommit)
            #expect(try await device.status()?.failedAttempts == 0)
        }
    }

    @Test(.verifies("server.md", "B-2"))
    func `An unsupported version of the application is served again once it is supported`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice(.v3_2)
            let version: [String: any Sendable] = ["applicationId": "lab", "applicationVersionId": "default"]
            try await client.backOffice("application/version/unsupport", version).expectOK()
            #expect(try await device.validateSignature() == 401)
            let (_, code) = try await client.initiate()
            var other = try TestDevice(client, .v3_2)
            #expect(try await other.activate(code: code).code == "ERR_ACTIVATION")
            try await client.backOffice("application/version/support", version).expectOK()
            #expect(try await device.validateSignature() == 200)
            #expect(try await other.activate(code: code).status == 200)
        }
    }

    @Test(.verifies("rest-api.md", "B-11")) func `Every refusal looks the same`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let path = "/pa/v3/signature/validate"
            var answers = [try await client.send(path)]
            answers.append(try await client.send(path, headers: [SignatureHeader.name: "Basic abc"]))
            answers.append(try await device.sendSigned(path, uriId: "/pa/signature/other"))
            answers.append(try await device.sendSigned(path, uriId: "/pa/signature/validate", type: .knowledge))
            answers.append(try await device.sendSigned(path, uriId: "/pa/signature/validate", correct: false))
            var stranger = device
            stranger.activationId = UUID().uuidString.lowercased()
            answers.append(try await stranger.sendSigned(path, uriId: "/pa/signature/validate"))
            #expect(Set(answers.map(\.status)) == [401])
            #expect(Set(answers.map(\.body)).count == 1)
            #expect(answers[0].code == "ERR_AUTHENTICATION")
            #expect(answers[0].text("message") == "POWER_AUTH_SIGNATURE_INVALID")
        }
    }

    @Test(.verifies("server.md", "B-32")) func `Simultaneous verifications leave one counter`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            var headers: [SignatureHeader] = []
            for _ in 0..<10 {
                headers.append(try device.signature(uriId: "/pa/signature/validate", body: Data(), type: .possession))
            }
            let accepted = try await withThrowingTaskGroup(of: Int.self) { group in
                for header in headers {
                    group.addTask {
                        try await client.send(
                            "/pa/v3/signature/validate", headers: [SignatureHeader.name: header.value]
                        ).status
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 == 200 ? 1 : 0 }
            }
            // Arriving out of order, an overtaken signature is behind the counter; none counts twice.
            #expect((1...10).contains(accepted))
            #expect(try await device.status()?.counter?.byte == 10)
            #expect(try await device.validateSignature() == 200)
        }
    }
}
