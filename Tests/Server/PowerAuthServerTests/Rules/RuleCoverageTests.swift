import GRDB
import LabKit
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// The table of rules has a row for every place from which the server can be changed.
@Suite("Coverage of the table of rules", .endsInTime)
struct RuleCoverageTests {
    @Test("Every resource of the server has its rows, and no row is about another")
    func everyResourceHasItsRows() throws {
        let resources = Set(try ServerFixture.deviceSide().server.endpoints.map(\.path))
        let calls = RuleCall.backOffice + RuleCall.device + RuleCall.mobileToken + RuleCall.lab
        let places = Set(calls.map(\.place))
        #expect(
            resources.subtracting(places).sorted() == [],
            "declare in Tests/Server/PowerAuthServerTests/Rules what they do to failures, histories and operations")
        #expect(places.subtracting(resources).sorted() == [])
    }

    @Test("Every command of the server has its rows")
    func everyCommandHasItsRows() {
        let commands = ActorKind.server.commands(of: nil).map(\.name)
        let places = Set(RuleCall.commands.map(\.place))
        #expect(
            Set(commands).subtracting(places).sorted() == [],
            "declare in RuleCalls+Commands.swift what they do to failures, histories and operations")
        #expect(places.subtracting(commands).sorted() == [])
    }

    @Test("A request that can name the operator does so in its sample, and its rows expect the name")
    func everyNameOfAnOperatorIsExpected() async throws {
        let named = try ServerFixture().server.endpoints.filter { endpoint in
            guard endpoint.face == .backOffice, let type = endpoint.bodies?.request else { return false }
            return JSONSchema.of(type)["properties"]?["externalUserId"] != nil
        }
        let paths = Set(named.map { String($0.path.dropFirst("/rest/v3".count)) })
        #expect(paths == RuleCall.namesActor)
        try await World.run { world in
            for path in paths.sorted() {
                let fields = try await EndpointTable[path]?.sample(world)
                #expect(fields?["externalUserId"] as? String == "operator", "\(path)")
            }
        }
    }

    @Test("Every column that counts failures is one that the table looks at")
    func everyCountIsLookedAt() throws {
        let counts = try ServerFixture().server.services.context.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c
                    WHERE m.type = 'table' AND (c.name LIKE '%fail%' OR c.name LIKE '%attempt%')
                    """)
        }
        let limits: Set = [
            "activation.max_failed", "recovery_code.max_failed", "operation.max_failures",
            "operation_template.max_failures",
        ]
        // What callbacks count is about their targets; `CallbackPolicyTests` have it.
        let ofCallbacks: Set = [
            "callback_url.max_attempts", "callback_url.failures", "callback_url.t_last_failure",
            "callback_event.attempts", "callback_attempt.failure",
        ]
        #expect(
            Set(counts).subtracting(limits).subtracting(ofCallbacks)
                == ["activation.failed", "recovery_code.failed", "operation.failures"],
            "let RuleRecords and RuleEffects look at it")
    }
}
