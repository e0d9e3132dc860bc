// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Identifiers are the same when their bytes are, for every layer.
@Suite("Equality of identifiers", .endsInTime)
struct IdentifierEqualityTests {
    private static let composed = "jos\u{E9}"
    private static let decomposed = "jose\u{301}"

    @Test func `Two forms of one letter are two identifiers, also as keys and in sorted lists`() {
        #expect(Self.composed == Self.decomposed, "Swift's texts would be the same")
        let (one, other) = (Identifier(known: Self.composed), Identifier(known: Self.decomposed))
        #expect(one != other && Set([one, other, one]).count == 2)
        #expect([one, other].sorted() == [other, one])
        #expect([other: 1][one] == nil)
        #expect(one == Identifier(known: String(decoding: Array(Self.composed.utf8), as: UTF8.self)))
    }

    @Test func `No identifier has a control character or more than 255 characters`() {
        for scalar in (0...0x9F).compactMap(Unicode.Scalar.init) {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            #expect((Identifier("a\(scalar)b") == nil) == isControl, "U+\(String(scalar.value, radix: 16))")
        }
        #expect(Identifier(String(repeating: "é", count: 255)) != nil)
        #expect(Identifier(String(repeating: "é", count: 256)) == nil)
    }

    @Test(.verifies("security.md", "look-alike-names"))
    func `A device of one user decides about no operation of another whose name looks the same`() async throws {
        try await ServerFixture.mobileToken().run { client in
            try await client.backOffice(
                "operation/template/create",
                [
                    "templateName": "lookalike", "operationType": "lookalike", "dataTemplate": "A2",
                    "signatureType": ["POSSESSION_KNOWLEDGE"], "maxFailureCount": 5, "expiration": 300,
                ]
            ).expectOK()
            func operation() async throws -> String {
                try await client.backOffice(
                    "operation/create",
                    ["userId": Self.composed, "applications": ["lab"], "templateName": "lookalike"]
                ).required("id")
            }
            let id = try await operation()
            func decide(_ path: String, _ userId: String, _ extra: Fields = [:]) async throws -> Answer {
                try await client.backOffice(
                    path, ["operationId": id, "userId": userId, "applicationId": "lab"].merging(extra) { $1 })
            }
            let approval: Fields = ["data": "A2", "signatureType": "POSSESSION_KNOWLEDGE"]
            #expect(
                try await decide("operation/approve", Self.decomposed, approval).text("result") == "APPROVAL_FAILED")
            #expect(try await decide("operation/reject", Self.decomposed).text("result") == "REJECT_FAILED")
            let claimed = try await client.backOffice(
                "operation/claim", ["operationId": id, "userId": Self.decomposed])
            #expect(claimed.code == "ERR0034")
            let listed = try await client.backOffice(
                "operation/list", ["userId": Self.decomposed, "applications": ["lab"]])
            #expect((listed.value("") as? [Any])?.isEmpty == true)
            #expect(try await decide("operation/approve", Self.composed, approval).text("result") == "APPROVED")
        }
    }

    @Test func `A flag that looks like the one that an operation asks for is another flag`() async throws {
        try await ServerFixture.run { client in
            let (id, _) = try await client.initiate()
            func change(_ what: String, _ flag: String) async throws -> [String] {
                let answer = try await client.backOffice(
                    "activation/flags/\(what)", ["activationId": id, "activationFlags": [flag]])
                return try #require(answer.value("activationFlags") as? [String])
            }
            #expect(try await change("create", Self.composed).count == 1)
            #expect(try await change("create", Self.decomposed).count == 2)
            #expect(try await change("remove", Self.composed).map { Array($0.utf8) } == [Array(Self.decomposed.utf8)])
        }
    }

    @Test(.verifies("security.md", "control-characters"))
    func `A NUL behind an identifier gets round no limit, no replay check, no blocking and no removal`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let id = device.activationId
            func verify(_ id: String, correct: Bool) async throws -> Answer {
                let header = try device.signature(uriId: "/x", body: Data(), correct: correct)
                return try await client.backOffice(
                    "signature/verify",
                    [
                        "activationId": id, "applicationKey": device.configuration.applicationKeyText,
                        "data": "POST&L3g=&\(header.nonce)&", "signature": header.signature,
                        "signatureType": "POSSESSION_KNOWLEDGE", "signatureVersion": "3.3",
                    ])
            }
            for number in 1...20 {
                let answer = try await verify(id + "\u{0}\(number)", correct: number == 20)
                #expect(answer.status == 400)
            }
            #expect(try await client.activationStatus(id).number("failedAttempts") == 0)
            for _ in 1...5 { _ = try await verify(id, correct: false) }
            #expect(try await client.activationStatus(id).text("activationStatus") == "BLOCKED")
            #expect(try await verify(id + "\u{0}", correct: true).status == 400)
            try await client.backOffice("activation/remove", ["activationId": id]).expectOK()
            let unblocked = try await client.backOffice("activation/unblock", ["activationId": id + "\u{0}a"])
            #expect(unblocked.status == 400)
            #expect(try await client.activationStatus(id).text("activationStatus") == "REMOVED")
        }
    }

    @Test(.verifies("security.md", "row-cache"))
    func `A row is cached under its own identifier, independently of the lookup key`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let (id, _) = try await client.initiate()
            let context = fixture.server.services.context
            // SQLite finds the row; no caller can name it so.
            let alias = Identifier(known: id + "\u{0}alias")
            _ = try context.activation(alias)
            #expect(context.database.cache.activation(alias) == nil)
            _ = try context.change { change in
                _ = try change.findActivation(alias)
                #expect(change.rows.activation(alias) == nil)
            }
            #expect(context.database.cache.activation(alias) == nil)
        }
    }
}
