import Foundation
import HTTPTypes
import LabKit
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

    @Test("Every route has a table, and a table nothing but routes")
    func everyRouteHasATableAndATable() throws {
        let server = try ServerFixture().server
        let routes = Set(
            server.endpoints.filter { $0.face == .backOffice }.map { String($0.path.dropFirst("/rest/v3".count)) })
        let paths = EndpointTable.all.map(\.path)
        #expect(Set(paths) == routes)
        #expect(Set(paths).count == paths.count)
        #expect(Set(BackOfficeContract.all.keys) == routes)
    }

    @Test("Every documented error has a row, and every row a documented error", arguments: EndpointTable.all)
    func everyDocumentedErrorHasARow(table: EndpointTable) throws {
        let contract = try #require(BackOfficeContract.all[table.path])
        let documented = Set(contract.errors.map(\.rawValue) + contract.others.map { $0.code(on: .backOffice) })
        let tested = Set(table.rows.map(\.code))
        #expect(documented.subtracting(Self.unreachable(table.path)).subtracting(tested).isEmpty)
        #expect(tested.subtracting(documented).isEmpty)
    }

    @Test("A right request gets exactly the documented answer", arguments: EndpointTable.all)
    func aRightRequestGetsExactly(table: EndpointTable) async throws {
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

    @Test("A wrong request gets exactly the documented error", arguments: EndpointTable.all)
    func aWrongRequestGetsExactly(table: EndpointTable) async throws {
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
        "Ten collisions are enough",
        arguments: [ServiceErrorCode.unableToGenerateActivationId, .unableToGenerateActivationCode])
    func tenCollisionsAreEnough(code: ServiceErrorCode) {
        var drawn = 0
        #expect(throws: ServiceError(code, "10 candidates were all taken")) {
            try Identifiers.firstFree(attempts: 10, orThrow: code, draw: { drawn += 1 }, isTaken: { _ in true })
        }
        #expect(drawn == 10)
    }
}
