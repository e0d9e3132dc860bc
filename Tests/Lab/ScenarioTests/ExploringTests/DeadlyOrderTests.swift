// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Apps that an order of turns kills", .endsInTime)
struct DeadlyOrderTests {
    private static let main = Turn(process: "main", place: "start")
    private static let wallet = Turn(process: "wallet", place: "start")
    private static let death = Turn(process: "wallet", place: "start", dies: true)

    /// A scenario whose block kills `wallet` before its first step.
    private static func deadly(_ block: String, then rest: String = "") throws -> Scenario {
        let order = "    order: [ { wallet: { dies: start } }, { main: start } ]\n"
        return try RedCase.scenario("name: Death\nsteps:\n\(block)\(order)\(rest)")
    }

    private static let parallel = """
          - parallel:
              - main: hasValidActivation
              - - wallet: canStartActivation
                  as: free
                - wallet: hasValidActivation

        """

    private static let answers = ["main.hasValidActivation": [RedCase.yes], "wallet.hasValidActivation": [RedCase.yes]]

    private static func run(_ scenario: Scenario, _ answers: [String: [JSONValue]] = answers) async throws -> FakeRun {
        try await FakeRun(scenario, answers: FakeAnswers(answers))
    }

    @Test func `A killed app ends its branch without a failure, and is launched before the next step`() async throws {
        let scenario = try Self.deadly(Self.parallel, then: "  - wallet: hasValidActivation\n")
        let run = try await Self.run(scenario)
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
        #expect(run.requests.map(\.command) == ["kill", "hasValidActivation", "launch", "hasValidActivation"])
        #expect(run.requests.map(\.actor) == ["wallet", "main", "wallet", "wallet"])
        // The record of the run shows both.
        #expect(run.history.contains("\"kill\"") && run.history.contains("\"launch\""))
    }

    @Test func `The search gets the death as a choice of its own`() async throws {
        let scenario = try RedCase.scenario("name: Death\nsteps:\n\(Self.parallel)")
        let block = try #require(scenario.steps.first)
        let explored = ExploredBlock(step: block.path, plan: .beginning([Self.death]))
        let run = try await FakeRun(scenario, answers: FakeAnswers(Self.answers), explored: explored)
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
        #expect(explored.choices.map(\.enabled) == [[Self.main, Self.wallet, Self.death], [Self.main]])
        #expect(explored.choices.map(\.chosen) == [2, 0])
    }

    @Test(
        arguments: [
            "check: \"${free}\"\n    expect: true",
            "main: hasValidActivation\n    expect: \"${free}\"",
            "main: hasValidActivation\n    expect: { not: \"${free}\" }",
            "main: hasValidActivation\n    expect: { oneOf: [true, \"${free}\"] }",
            "main: hasValidActivation\n    either: [ { expect: \"${free}\" }, { fails: any } ]",
            "main: hasValidActivation\n    when: { check: \"${free}\", expect: true }",
            "same:\n      - main: hasValidActivation\n        expect: \"${free}\"\n      - wallet: hasValidActivation",
            "never: { main: hasValidActivation, expect: \"${free}\" }\n    steps:\n      - main: hasValidActivation",
            "each: { in: [\"${free}\"], as: one, steps: [ { main: hasValidActivation } ] }",
        ])
    func `A step that needs an answer of a killed app is skipped, with the reason`(step: String) async throws {
        let run = try await Self.run(try Self.deadly(Self.parallel, then: "  - \(step)\n"))
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
        #expect(run.requests.map(\.command) == ["kill", "hasValidActivation", "launch"])
        #expect(
            run.result.skipped?.map(\.reason) == [
                "`${free}` has no value, because the order of turns has killed the app that would give it"
            ])
    }

    @Test func `What a skipped step would have kept is missing, too`() async throws {
        let steps = """
              - main: hasValidActivation
                expect: "${free}"
                as: second
              - check: "${second}"
                expect: true

            """
        let run = try await Self.run(try Self.deadly(Self.parallel, then: steps))
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
        #expect(run.result.skipped?.map(\.step) == ["2", "3"])
    }

    private static let race = """
          - race:
              - main: hasValidActivation
              - wallet: hasValidActivation

        """

    @Test(
        arguments: [
            (true, "1", true), (true, "2", true), (true, "0", false), (false, "0", true), (false, "2", false),
        ])
    func `A killed app may have won a race or lost it`(mainWins: Bool, winners: String, passes: Bool) async throws {
        let scenario = try Self.deadly(Self.race, then: "    winners: \(winners)\n")
        let lost = RedCase.error("externalPendingOperation")
        let run = try await Self.run(scenario, ["main.hasValidActivation": [mainWins ? RedCase.yes : lost]])
        #expect(run.result.verdict == (passes ? .passed : .failed), "\(run.result.failures)")
        if mainWins, !passes {
            #expect(
                run.result.failures.first?.reason
                    == "1 of 2 branches won: branch 1 (main) succeeded; branch 2 (wallet) was killed")
        }
    }

    @Test func `Without a winner that is known the steps of the winner are skipped`() async throws {
        let more = "    winners: 1\n    as: winner\n  - winner: hasValidActivation\n"
        let lost = RedCase.error("externalPendingOperation")
        let run = try await Self.run(
            try Self.deadly(Self.race, then: more), ["main.hasValidActivation": [lost]])
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
        #expect(run.result.skipped?.map(\.step) == ["2"])
    }

    @Test func `An app that cannot be launched again fails the order`() async throws {
        let answers = Self.answers.merging(["wallet.launch": [RedCase.error("launchFailed")]]) { $1 }
        let run = try await Self.run(try Self.deadly(Self.parallel), answers)
        #expect(run.result.verdict == .failed)
        #expect(
            run.result.failures.first?.reason.hasPrefix(
                "`wallet`, which its order has killed at `start`, could not be started again: `wallet: launch` failed: launchFailed"
            ) == true,
            "\(run.result.failures)")
    }

    @Test(arguments: [Self.parallel, Self.race])
    func `Beside an app that cannot be launched again the failures of other branches are shown`(block: String)
        async throws
    {
        let answers = Self.answers.merging([
            "wallet.launch": [RedCase.error("launchFailed")], "main.hasValidActivation": [RedCase.error("wrongState")],
        ]) { $1 }
        let run = try await Self.run(try Self.deadly(block), answers)
        #expect(run.result.verdict == .failed)
        let reasons = run.result.failures.map(\.reason)
        for part in ["could not be started again: `wallet: launch` failed: launchFailed", "wrongState"] {
            #expect(reasons.contains { $0.contains(part) }, "\(reasons)")
        }
    }

    @Test func `A branch whose app cannot be launched again has not lost a race`() async throws {
        let answers = Self.answers.merging(["wallet.launch": [RedCase.error("launchFailed")]]) { $1 }
        let run = try await Self.run(try Self.deadly(Self.race, then: "    winners: 1\n"), answers)
        #expect(run.result.verdict == .failed)
        let reasons = run.result.failures.map(\.reason)
        #expect(reasons.allSatisfy { !$0.contains("branches won") }, "\(reasons)")
    }

    @Test func `A device that does not kill the app makes the run inconclusive`() async throws {
        let answers = Self.answers.merging(["wallet.kill": [RedCase.error("wrongState")]]) { $1 }
        let run = try await Self.run(try Self.deadly(Self.parallel), answers)
        #expect(run.result.verdict == .inconclusive)
        #expect(
            run.result.failures.first?.reason.hasPrefix(
                "turn 1 of its order could not be given: `wallet` could not be killed at `start`: ") == true,
            "\(run.result.failures)")
    }
}
