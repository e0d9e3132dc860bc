// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Every endpoint of the back office: one success, every documented error, and a correct description.
@Suite("Endpoints of the back office", .endsInTime)
struct BackOfficeEndpointTests {
    /// Codes that only a collision of random identifiers can bring about; `IdentifierTests` has them.
    private static func unreachable(_ path: String) -> Set<String> {
        var codes: Set<ServiceErrorCode> = [.unableToGenerateActivationCode]
        // A server without free identifiers has no recovery code to begin with.
        if path == "/activation/recovery/create" { codes.insert(.unableToGenerateActivationId) }
        return Set(codes.map(\.rawValue))
    }

    @Test func `Every route has a table, and a table nothing but routes`() throws {
        let server = try ServerFixture().server
        let routes = Set(
            server.endpoints.filter { $0.face == .backOffice }.map(\.backOfficePath))
        let paths = EndpointTable.all.map(\.path)
        #expect(Set(paths) == routes)
        #expect(Set(paths).count == paths.count)
        #expect(Set(BackOfficeContract.all.keys) == routes)
    }

    @Test(arguments: EndpointTable.all)
    func `Every documented error has a row, and every row a documented error`(table: EndpointTable) throws {
        let contract = try #require(BackOfficeContract.all[table.path])
        let documented = Set(contract.errors.map(\.rawValue) + contract.others.map { $0.code(on: .backOffice) })
        let tested = Set(table.rows.map(\.code))
        #expect(documented.subtracting(Self.unreachable(table.path)).subtracting(tested).isEmpty)
        #expect(tested.subtracting(documented).isEmpty)
    }

    @Test(
        .verifies("server.md", "B-11", "B-22"),
        arguments: EndpointTable.all)
    func `A right request gets exactly the documented answer`(table: EndpointTable) async throws {
        try await World.run { world in
            let request = try await table.sample(world)
            let answer = try await world.client.backOffice(String(table.path.dropFirst()), request)
            let body = try JSONValue.parse(answer.body)
            try #require(answer.status == 200, "answered \(body)")
            let expected: Shape =
                table.shape.map { ["status": "OK", "responseObject": $0] } ?? ["status": "OK"]
            #expect(expected.mismatches(body) == [])

            let document = try await World.description
            let operation = try #require(document["paths"]?["/rest/v3\(table.path)"]?["post"])
            let check = SchemaCheck(document: document)
            let described = try #require(operation["responses"]?["200"]?["content"]?["application/json"]?["schema"])
            #expect(check.violations(body, described) == [])
            guard let wanted = operation["requestBody"]?["content"]?["application/json"]?["schema"] else {
                #expect(BackOfficeContract.all[table.path]?.required == [])
                return
            }
            let sent = try JSONValue.parse(JSONSerialization.data(withJSONObject: ["requestObject": request]))
            #expect(check.violations(sent, wanted) == [])
        }
    }

    @Test(
        .verifies("mobile-token.md", "B-58"),
        .verifies("server.md", "B-1", "B-5", "B-19", "B-30", "B-36", "B-40", "B-44", "B-45"),
        arguments: EndpointTable.all)
    func `A wrong request gets exactly the documented error`(table: EndpointTable) async throws {
        let together = table.rows.filter { $0.configure == nil && !$0.isDestructive }
        try await World.run { world in
            for row in together { try await check(row, of: table, in: world) }
            let required = BackOfficeContract.all[table.path]?.required ?? []
            for field in required where !together.contains(where: { $0.title == "without \(field)" }) {
                let request = try await table.sample(world).filter { $0.key != field }
                let answer = try await world.client.backOffice(String(table.path.dropFirst()), request)
                #expect(answer.status == 400, "\(table.path) without \(field)")
            }
        }
        for row in table.rows where row.configure != nil || row.isDestructive {
            try await World.run(row.configure ?? { _ in }) { try await check(row, of: table, in: $0) }
        }
    }

    @Test func `Every business error has the code and the text of the specification`() throws {
        // | ERR0009 | Activation with given activation ID was not found. | |
        let rows = try Project.text(of: "docs/spec/server.md").split(separator: "\n").compactMap { line in
            line.prefixMatch(of: /\| (ERR[0-9]{4}) \| ([^|]+) \|/).map { "\($0.1) \($0.2)" }
        }
        #expect(rows == BackOfficeV4.codes(of: .v3).map { "\($0.rawValue) \($0.message)" })
    }

    /// The answers about what the server does not know, with the field that names it; all else in the request is right.
    private static let unknown: [(path: String, field: String, answer: Shape)] = [
        (
            "/activation/status", "activationId",
            [
                "activationId": "no", "activationStatus": "REMOVED", "activationOtpValidation": "NONE",
                "commitPhase": "ON_COMMIT", "blockedReason": nil, "activationName": "unknown", "userId": "unknown",
                "extras": nil, "protocol": "powerauth", "externalId": nil, "platform": nil, "deviceInfo": nil,
                "applicationId": nil, "failedAttempts": 0, "maxFailedAttempts": 7,
                "timestampCreated": "1970-01-01T00:00:00.000+00:00",
                "timestampLastUsed": "1970-01-01T00:00:00.000+00:00", "timestampLastChange": nil,
                "encryptedStatusBlob": .base64(32), "encryptedStatusBlobNonce": .base64(16), "activationCode": nil,
                "activationSignature": nil, "devicePublicKeyFingerprint": nil, "version": 0, "activationFlags": [],
                "applicationRoles": [],
            ]
        ),
        ("/signature/verify", "activationId", unknownSignature),
        ("/signature/offline/verify", "activationId", unknownSignature),
        (
            "/token/validate", "tokenId",
            [
                "tokenValid": false, "activationId": nil, "activationStatus": nil, "blockedReason": nil, "userId": nil,
                "applicationId": nil, "signatureType": nil, "applicationRoles": [], "activationFlags": [],
            ]
        ),
    ]

    private static let unknownSignature: Shape = [
        "signatureValid": false, "activationStatus": "REMOVED", "blockedReason": nil, "activationId": "no",
        "userId": nil, "applicationId": nil, "signatureType": nil, "remainingAttempts": nil, "applicationRoles": [],
        "activationFlags": [],
    ]

    @Test func `What is unknown has all fields of an answer, and nothing in them`() async throws {
        try await World.run({ $0.policy.maxFailedAttempts = 7 }) { world in
            for (path, field, answer) in Self.unknown {
                let table = try #require(EndpointTable[path])
                let request = try await table.sample(world).merging([field: "no"]) { $1 }
                let body = try JSONValue.parse(
                    await world.client.backOffice(String(path.dropFirst()), request).body)
                let expected: Shape = ["status": "OK", "responseObject": answer]
                #expect(expected.mismatches(body) == [], "\(path)")
            }
        }
    }

    private func check(_ row: EndpointTable.Row, of table: EndpointTable, in world: World) async throws {
        let sample = try await table.sample(world)
        let request = try await row.change(world, sample)
        let answer = try await world.client.backOffice(String(table.path.dropFirst()), request)
        let place: Comment = "\(table.path) \(row.title): \(String(decoding: answer.body, as: UTF8.self))"
        #expect(answer.status == 400, place)
        #expect(answer.envelopeStatus == "ERROR", place)
        #expect(answer.code == row.code, place)
        #expect(answer.text("message") == row.expectedMessage, place)
        #expect(answer.text("localizedMessage") == row.expectedMessage, place)
        let fields = Set((answer.value("") as? [String: Any] ?? [:]).keys)
        let extra: Set<String> = row.code == "ERR_RECOVERY" ? ["currentRecoveryPukIndex"] : []
        #expect(fields == extra.union(["code", "message", "localizedMessage"]), place)
    }
}

@Suite("Identifiers", .endsInTime)
struct IdentifierTests {
    @Test(
        .verifies("size", "ServerPolicy.generationAttempts"),
        arguments: [ServiceErrorCode.unableToGenerateActivationId, .unableToGenerateActivationCode])
    func `Ten collisions are enough`(code: ServiceErrorCode) {
        var drawn = 0
        #expect(throws: ServiceError(code, "10 candidates were all taken")) {
            try Identifiers.firstFree(attempts: 10, orThrow: code, draw: { drawn += 1 }, isTaken: { _ in true })
        }
        #expect(drawn == 10)
    }
}

/// The words of the back office (server.md, section 2.3).
@Suite("Choices are spelled as their cases are", .endsInTime)
struct NamedChoiceTests {
    /// Every type whose words the API reads or writes.
    private static let types: [any NamedChoice.Type] = [
        ActivationState.self, ActivationProtocol.self, CommitPhase.self, OtpValidationMode.self, SignatureType.self,
        RecoveryCodeStatus.self, RecoveryPukStatus.self, ECDSAFormat.self, CallbackType.self, OperationStatus.self,
    ]

    @Test(arguments: types.indices)
    func `Each case has the word of its own name, is found by it, and by no other`(index: Int) {
        func check<Choice: NamedChoice>(_ type: Choice.Type) {
            for choice in Choice.allCases {
                // `onKeyExchange` is ON_KEY_EXCHANGE.
                #expect(choice.name.replacing("_", with: "").uppercased() == "\(choice)".uppercased())
                #expect(Choice(name: choice.name).map { "\($0)" } == "\(choice)")
                #expect(Choice(name: choice.name + "_") == nil)
            }
            #expect(Set(Choice.names).count == Choice.allCases.count)
        }
        check(Self.types[index])
    }
}
