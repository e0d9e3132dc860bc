import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Every call does to failures, histories, operations and audits what the table says, and nothing else.
@Suite("Rules over all calls", .endsInTime)
struct RuleTests {
    @Test("A resource of the back office does what is declared", arguments: parts(RuleCall.backOffice))
    func backOffice(part: Range<Int>) async throws {
        try await check(RuleCall.backOffice[part], on: ServerFixture.deviceSide())
    }

    @Test("A resource for devices does what is declared", arguments: parts(RuleCall.device))
    func device(part: Range<Int>) async throws {
        try await check(RuleCall.device[part], on: ServerFixture.deviceSide())
    }

    @Test("A resource of the Mobile Token API does what is declared", arguments: parts(RuleCall.mobileToken))
    func mobileToken(part: Range<Int>) async throws {
        try await check(RuleCall.mobileToken[part], on: ServerFixture.mobileToken())
    }

    @Test("A resource of the lab does what is declared", arguments: parts(RuleCall.lab))
    func lab(part: Range<Int>) async throws {
        try await check(RuleCall.lab[part], on: ServerFixture.mobileToken())
    }

    @Test("A command does what is declared", arguments: parts(RuleCall.commands))
    func commands(part: Range<Int>) async throws {
        try await check(RuleCall.commands[part], on: ServerFixture.mobileToken())
    }

    @Test("An answer without blocking does the same")
    func quickAnswers() async throws {
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
