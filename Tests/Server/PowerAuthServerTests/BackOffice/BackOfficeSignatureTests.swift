// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Signatures in the back office", .endsInTime)
struct BackOfficeSignatureTests {
    private static let data = "POST&L29wZXJhdGlvbi9hdXRob3JpemUvb2ZmbGluZQ==&AfOTl8jeamUtLh3BHh3W3Q==&YQ=="

    private func sign(
        _ device: inout TestDevice, _ factors: SignatureFactors = [.possession, .knowledge], data: String = data,
        length: Int = 8
    ) throws -> String {
        defer { device.counter = device.counter.next() }
        return try SymmetricSignature.signature(
            form: .decimal(length: length), keys: SignatureKeys(#require(device.keys), factors: factors),
            counter: device.counter,
            data: SymmetricSignature.appendSecret(SymmetricSignature.offlineSecretText, to: Data(data.utf8)))
    }

    private func verify(
        _ device: TestDevice, _ signature: String, _ extra: [String: any Sendable] = [:]
    ) async throws -> Answer {
        try await device.client.backOffice(
            "signature/offline/verify",
            ["activationId": device.activationId, "data": Self.data, "signature": signature].merging(extra) { $1 })
    }

    @Test(.verifies("server.md", "B-34")) func `Offline payloads are signed for one device or for all`() async throws {
        try await ServerFixture.run { client in
            let device = try await client.activeDevice()
            let personal = try await client.backOffice(
                "signature/offline/personalized/create", ["activationId": device.activationId, "data": "a\nb"])
            let payload = try OfflinePayload(personal.required("offlineData"))
            #expect(payload.data == "a\nb" && payload.nonce == personal.text("nonce"))
            #expect(payload.signingKey == .personalized)
            #expect(payload.isSigned(by: try #require(device.serverPublicKey)))
            let general = try await client.backOffice(
                "signature/offline/non-personalized/create", ["applicationId": "lab", "data": "c"])
            let other = try OfflinePayload(general.required("offlineData"))
            #expect(other.signingKey == .master)
            #expect(other.isSigned(by: try device.configuration.masterServerKey()))
            let seed = StrictBase64.encode(Data(count: 16))
            let proximity = try await client.backOffice(
                "signature/offline/personalized/create",
                [
                    "activationId": device.activationId, "data": "d",
                    "proximityCheck": ["seed": seed, "stepLength": 30] as [String: any Sendable],
                ])
            let code = try OneTimeCode.generate(seed: Data(count: 16), time: client.timestamp / 1000)
            #expect(try OfflinePayload(proximity.required("offlineData")).data == "d\n\(code)")
            let unknown = try await client.backOffice(
                "signature/offline/personalized/create", ["activationId": "no", "data": "x"])
            #expect(unknown.code == "ERR0009")
        }
    }

    @Test(.verifies("server.md", "B-36"), arguments: 4...8)
    func `Offline signatures verify once at any length`(length: Int) async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let signature = try sign(&device, length: length)
            let valid = try await verify(device, signature, ["componentLength": length])
            #expect(valid.flag("signatureValid") == true)
            #expect(valid.text("signatureType") == "POSSESSION_KNOWLEDGE")
            let again = try await verify(device, signature, ["componentLength": length])
            #expect(again.flag("signatureValid") == false)
            #expect(again.number("remainingAttempts") == 4)
            #expect(try await verify(device, signature, ["componentLength": 9]).code == "ERR0023")
        }
    }

    @Test func `The length of a component is that of the settings unless the caller names one`() async throws {
        try await ServerFixture { $0.policy.offlineComponentLength = 6 }.run { client in
            var device = try await client.activeDevice()
            #expect(try await verify(device, sign(&device, length: 6)).flag("signatureValid") == true)
            let named = try await verify(device, sign(&device, length: 8), ["componentLength": 8])
            #expect(named.flag("signatureValid") == true)
        }
    }

    @Test(
        .verifies("server.md", "B-30"),
        arguments: ["inf", "nan", "0x4", "1e3", "+3.1", "-inf", " 3.1", "3.1.1", ""])
    func `A version is a number in digits`(version: String) async throws {
        try await ServerFixture.run { client in
            let device = try await client.activeDevice()
            let answer = try await client.backOffice(
                "signature/verify",
                [
                    "activationId": device.activationId, "applicationKey": device.configuration.applicationKeyText,
                    "data": "POST&&&", "signature": "AAAA", "signatureType": "POSSESSION",
                    "signatureVersion": version,
                ])
            #expect(answer.code == "ERR0013")
        }
    }

    @Test(.verifies("server.md", "B-35")) func `Biometry signs offline where it is allowed`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let first = try await verify(device, sign(&device, [.possession, .biometry]))
            #expect(first.flag("signatureValid") == false)
            #expect(first.text("signatureType") == "POSSESSION_KNOWLEDGE")
            let second = try await verify(device, sign(&device, [.possession, .biometry]), ["allowBiometry": true])
            #expect(second.flag("signatureValid") == true)
            #expect(second.text("signatureType") == "POSSESSION_BIOMETRY")
            #expect(second.number("remainingAttempts") == 5)
            let audit = try await client.backOffice("signature/list", ["userId": "alice"])
            #expect(audit.text("items.0.additionalInfo.0.key") == "BIOMETRY_ALLOWED")
            #expect(audit.isNull("items.0.signatureVersion"))
        }
    }

    @Test(.verifies("server.md", "B-37"))
    func `A proximity code is good for the steps that are allowed`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let seed = Data(repeating: 7, count: 16)
            func attempt(_ device: inout TestDevice, age: UInt64) async throws -> Answer {
                let code = try OneTimeCode.generate(seed: seed, time: client.timestamp / 1000 - age)
                let body = StrictBase64.encode(Data("a&\(code)".utf8))
                let signed = Self.data.replacing("YQ==", with: body)
                let check: [String: any Sendable] = [
                    "seed": StrictBase64.encode(seed), "stepLength": 30, "stepCount": 1,
                ]
                return try await verify(device, sign(&device, data: signed), ["proximityCheck": check])
            }
            #expect(try await attempt(&device, age: 0).flag("signatureValid") == true)
            #expect(try await attempt(&device, age: 30).flag("signatureValid") == true)
            let old = try await attempt(&device, age: 60)
            #expect(old.flag("signatureValid") == false)
            #expect(old.number("remainingAttempts") == 4)
        }
    }

    @Test(.verifies("server.md", "B-38")) func `Device and server keys sign in both formats`() async throws {
        try await ServerFixture.run { client in
            let device = try await client.activeDevice()
            let data = Data("data to be signed".utf8)
            func verify(_ data: Data, _ signature: Data, _ format: String, id: String? = nil) async throws -> Bool? {
                try await client.backOffice(
                    "signature/ecdsa/verify",
                    [
                        "activationId": id ?? device.activationId, "data": StrictBase64.encode(data),
                        "signature": StrictBase64.encode(signature), "signatureFormat": format,
                    ]
                ).flag("signatureValid")
            }
            let der = try device.deviceKey.sign(data)
            let jose = try device.deviceKey.sign(data, format: .jose)
            #expect(try await verify(data, der, "DER") == true)
            #expect(try await verify(data, jose, "JOSE") == true)
            #expect(try await verify(data + [0], der, "DER") == false)
            #expect(try await verify(data, der, "DER", id: "no") == false)
            let (created, _) = try await client.initiate()
            #expect(try await verify(data, der, "DER", id: created) == false)
            let request: [String: any Sendable] = [
                "activationId": device.activationId, "data": StrictBase64.encode(data),
            ]
            let signature = try await client.backOffice("signature/ecdsa/sign", request).bytes("signature")
            #expect(device.serverPublicKey?.verify(signature: signature, of: data) == true)
            let inactive = try await client.backOffice(
                "signature/ecdsa/sign", request.merging(["activationId": created]) { $1 })
            #expect(inactive.code == "ERR0008")
            let garbage = try await client.backOffice("signature/ecdsa/sign", request.merging(["data": "%"]) { $1 })
            #expect(garbage.code == "ERR0024")
        }
    }

    @Test(.verifies("server.md", "B-33")) func `The audit shows what was before, and no secret`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let counter = StrictBase64.encode(device.counter.rawData)
            #expect(try await device.validateSignature() == 200)
            #expect(try await device.validateSignature(correct: false) == 401)
            let audit = try await client.backOffice("signature/list", ["userId": "alice", "applicationId": "lab"])
            #expect(audit.text("items.0.note") == "signature_does_not_match")
            #expect(audit.flag("items.1.valid") == true)
            #expect(audit.text("items.1.note") == "signature_ok")
            #expect(audit.number("items.1.activationCounter") == 0)
            #expect(audit.text("items.1.activationCtrData") == counter)
            #expect(audit.text("items.1.activationStatus") == "ACTIVE")
            #expect(audit.text("items.1.signatureVersion") == "3.3")
            #expect(String(decoding: try audit.bytes("items.1.dataBase64"), as: UTF8.self).hasSuffix("&***"))
            let other = try await client.backOffice("signature/list", ["userId": "alice", "applicationId": "no"])
            #expect((other.value("items") as? [Any])?.isEmpty == true)
            #expect(try await client.backOffice("signature/list").code == "ERR0024")
        }
    }
}
