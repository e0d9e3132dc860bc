// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthPostQuantum
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Devices of both versions of the protocol", .endsInTime)
struct BothVersionsTests {
    private static let clear = Data("{}".utf8)

    @Test func `Devices of the two versions do not reach each other's activations`() async throws {
        try await ServerFixture.run { client in
            var former = try await client.activeDevice()
            var device = try await client.activeDeviceV4()
            let (formerId, id) = (former.activationId, device.activationId)
            (former.activationId, device.activationId) = (id, formerId)
            #expect(try await former.validateSignature() == 401)
            #expect(try await device.validate() == 401)
            for id in [formerId, id] {
                #expect(try await client.activationStatus(id).number("failedAttempts") == 0)
            }
            (former.activationId, device.activationId) = (formerId, id)
            // A code of one version where the other one is expected.
            let header = try device.header(uriId: "/pa/signature/validate", body: Self.clear)
            let old = try await client.send(
                "/pa/v3/signature/validate", headers: [SignatureHeader.name: header.value], body: Self.clear)
            old.expect(.authentication, "a code of version 4")
            let signature = try former.signature(uriId: "/pa/auth/validate", body: Self.clear)
            let new = try await client.send(
                "/pa/v4/auth/validate", headers: [SignatureHeader.name: signature.value], body: Self.clear)
            new.expect(.authenticationCode, "a code of version 3")
            #expect(try await client.activationStatus(id).number("failedAttempts") == 0)
            // The status of version 3 shows random bytes.
            let status = try await client.send(
                "/pa/v3/activation/status",
                body: Data(#"{"requestObject":{"activationId":"\#(id)","challenge":"ckyO/kP+wdUHclnmpxdPqw=="}}"#.utf8))
            #expect(status.status == 200)
        }
    }

    @Test func `An activation that waits for another device knows nothing of the former one, in either version`()
        async throws
    {
        try await ServerFixture.run { client in
            func wait(_ id: String) async throws {
                try await client.backOffice(
                    "activation/status/update", ["activationIds": [id], "activationStatus": "CREATED"]
                ).expectOK()
            }
            let (id, code) = try await client.initiate()
            var first = try await TestDeviceV4(client)
            try await first.activate(code: code).expectOK()
            let scope = try await first.scope(activation: true)
            try await wait(id)
            // The former device gets neither a key nor, with one that it has, the status.
            let exchange = try SharedSecretClient(suite: first.suite)
            let (wanted, key) = try first.temporaryKeyRequest(exchange, activation: true)
            try await first.requestTemporaryKey(jwt: wanted.jwt(key: key)).expect(.temporaryKey, "a former device")
            let (request, _) = try first.seal(Data(), scope, .activationGeneric)
            try await client.send(
                "/pa/v4/activation/status", headers: [EncryptionHeader.name: first.encryptionHeader(scope)],
                body: JSONEncoder().encode(request)
            ).expect(.activation, "a former device")

            var former = try TestDevice(client, .v3_3)
            try await former.activate(code: code).expectOK()
            try await client.backOffice("activation/commit", ["activationId": id]).expectOK()
            #expect(try await former.validateSignature() == 200)
            #expect(try await client.activationStatus(id).number("version") == 3)
            try await first.requestTemporaryKey(jwt: wanted.jwt(key: key)).expect(.temporaryKey, "a former device")

            try await wait(id)
            var last = try await TestDeviceV4(client, .ecP384MLL3)
            try await last.activate(code: code).expectOK()
            try await client.backOffice("activation/commit", ["activationId": id]).expectOK()
            try await last.confirm().expectOK()
            #expect(try await last.validate() == 200)
            #expect(try await former.validateSignature() == 401)
            #expect(try await last.status().failedAttempts == 0)
        }
    }

    @Test func `The audit says that a code was refused for the state of its activation`() async throws {
        try await ServerFixture.run { client in
            var former = try await client.activeDevice()
            var device = try await client.activeDeviceV4()
            var unconfirmed = try await client.committedDeviceV4()
            func note() async throws -> String? {
                try await client.backOfficeV4("audit/list", ["userId": "alice"]).text("items.0.note")
            }
            #expect(try await device.validate() == 200)
            #expect(try await note() == "signature_ok")
            #expect(try await unconfirmed.validate() == 401)
            #expect(try await note() == "activation_invalid_state")
            #expect(try await device.validate() == 200)
            swap(&former.activationId, &device.activationId)
            #expect(try await former.validateSignature() == 401)
            #expect(try await note() == "activation_invalid_state")
            #expect(try await device.validate() == 401)
            #expect(try await note() == "activation_invalid_state")
        }
    }
}
