// SPDX-License-Identifier: Apache-2.0

import GRDB
import LabCore
import LabVocabulary
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Every call does to failures, histories, operations and audits what the table says, and nothing else.
@Suite("Rules over all calls", .endsInTime)
struct RuleTests {
    @Test(arguments: parts(RuleCall.backOffice))
    func `A resource of the back office does what is declared`(part: Range<Int>) async throws {
        try await check(RuleCall.backOffice[part], on: ServerFixture.deviceSide())
    }

    @Test(arguments: parts(RuleCall.device))
    func `A resource for devices does what is declared`(part: Range<Int>) async throws {
        try await check(RuleCall.device[part], on: ServerFixture.deviceSide())
    }

    @Test(arguments: parts(RuleCall.deviceV4))
    func `A resource for devices of protocol 4 does what is declared`(part: Range<Int>) async throws {
        try await check(RuleCall.deviceV4[part], on: ServerFixture.deviceSide())
    }

    @Test(arguments: parts(RuleCall.mobileToken))
    func `A resource of the Mobile Token API does what is declared`(part: Range<Int>) async throws {
        try await check(RuleCall.mobileToken[part], on: ServerFixture.mobileToken())
    }

    @Test(arguments: parts(RuleCall.lab))
    func `A resource of the lab does what is declared`(part: Range<Int>) async throws {
        try await check(RuleCall.lab[part], on: ServerFixture.mobileToken())
    }

    @Test(arguments: parts(RuleCall.commands)) func `A command does what is declared`(part: Range<Int>) async throws {
        try await check(RuleCall.commands[part], on: ServerFixture.mobileToken())
    }

    @Test func `An answer without blocking does the same`() async throws {
        let fixture = try ServerFixture.deviceSide()
        let quick = Set(fixture.server.endpoints.filter { $0.quickAnswer != nil }.map(\.path))
        let calls = (RuleCall.backOffice + RuleCall.device).filter { quick.contains($0.place) }
        #expect(Set(calls.map(\.place)) == quick)
        try await World.runRules(fixture) { world in
            for call in calls { try await check(call, in: world, isCached: true) }
        }
    }

    /// So many calls as one server makes quickly: all that it has stored is looked at after each.
    private static func parts(_ calls: [RuleCall]) -> [Range<Int>] {
        stride(from: 0, to: calls.count, by: 24).map { $0..<min($0 + 24, calls.count) }
    }

    private func check(_ calls: ArraySlice<RuleCall>, on fixture: ServerFixture) async throws {
        try await World.runRules(fixture) { world in
            for call in calls { try await check(call, in: world) }
        }
    }

    private func check(_ call: RuleCall, in world: World, isCached: Bool = false) async throws {
        guard let trial = try await RuleTrial(call, in: world, isCached: isCached) else { return }
        #expect(trial.effects == call.effects, "\(call.testDescription): \(trial.effects), declared: \(call.effects)")
        #expect(trial.mismatches(actor: call.actor) == [], "\(call.testDescription)")
    }
}

/// The table of rules has a row for every place from which the server can be changed.
@Suite("Coverage of the table of rules", .endsInTime)
struct RuleCoverageTests {
    @Test func `Every resource of the server has its rows, and no row is about another`() throws {
        // Below /rest/v4 are the resources of /rest/v3 with other names.
        let resources = Set(try ServerFixture.deviceSide().server.endpoints.map { $0.original ?? $0.path })
        let calls =
            RuleCall.backOffice + RuleCall.device + RuleCall.deviceV4 + RuleCall.mobileToken + RuleCall.lab
        let places = Set(calls.map(\.place))
        #expect(
            resources.subtracting(places).sorted() == [],
            "declare in Tests/Server/PowerAuthServerTests/Rules what they do to failures, histories and operations")
        #expect(places.subtracting(resources).sorted() == [])
    }

    @Test func `Every command of the server has its rows`() {
        let commands = ActorKind.server.commands(of: nil).map(\.name)
        let places = Set(RuleCall.commands.map(\.place))
        #expect(
            Set(commands).subtracting(places).sorted() == [],
            "declare in RuleCalls+Commands.swift what they do to failures, histories and operations")
        #expect(places.subtracting(commands).sorted() == [])
    }

    @Test
    func `A request that can name the operator does so in its sample, and its rows expect the name`() async throws {
        let named = try ServerFixture().server.endpoints.filter { endpoint in
            guard endpoint.face == .backOffice, let type = endpoint.bodies?.request else { return false }
            return JSONSchema.of(type)["properties"]?["externalUserId"] != nil
        }
        let paths = Set(named.map(\.backOfficePath))
        #expect(paths == RuleCall.namesActor)
        try await World.run { world in
            for path in paths.sorted() {
                let fields = try await EndpointTable[path]?.sample(world)
                #expect(fields?["externalUserId"] as? String == "operator", "\(path)")
            }
        }
    }

    @Test func `Every column that counts failures is one that the table looks at`() throws {
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
