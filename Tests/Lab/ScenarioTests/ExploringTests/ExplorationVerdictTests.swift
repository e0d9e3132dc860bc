// SPDX-License-Identifier: Apache-2.0

import LabFile
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("The result of a scenario whose orders lab run has played", .endsInTime)
struct ExplorationVerdictTests {
    private static let turns = [Turn(process: "main", place: "start"), Turn(process: "wallet", place: "start")]

    private static func scenario() throws -> Scenario {
        let read = try ScenarioFolder(
            """
            name: Both
            steps:
              - race: [ { main: hasValidActivation }, { wallet: hasValidActivation } ]
                orders: all
            """
        ).read()
        #expect(read.diagnostics.map(\.kind.sentence) == [])
        return try #require(read.scenarios.first)
    }

    private static func verdict(_ end: Exploration.End, isAccepted: Bool = false) throws -> ExplorationVerdict {
        ExplorationVerdict(
            explored: try ExploredScenario(scenario()), labOption: nil, end: end, coverage: "what was covered",
            isAccepted: isAccepted)
    }

    @Test func `A complete exploration passes with what was covered`() throws {
        var first = ScenarioResult.sample(.passed)
        let result = try Self.verdict(.complete).played(first)
        #expect(result.verdict == .passed && result.failures.isEmpty)
        #expect(result.remark == "what was covered")
        first.remark = "passes although it is quarantined"
        let other = try Self.verdict(.complete).played(first)
        #expect(other.remark == "passes although it is quarantined; what was covered")
    }

    @Test func `Time that the author has not written is no success, and a written budget is one`() throws {
        let first = ScenarioResult.sample(.passed)
        let accepted = try Self.verdict(.time, isAccepted: true).played(first)
        #expect(accepted.verdict == .passed && accepted.remark == "what was covered")
        let result = try Self.verdict(.time).played(first)
        #expect(result.verdict == .inconclusive && result.isHeldAgainstRun)
        let failure = try #require(result.failures.first)
        #expect(failure.reason.contains("(--scenario-timeout): what was covered; give `orders`"), "\(failure.reason)")
        #expect(failure.place?.line == 3)
    }

    @Test(arguments: [Exploration.End.interrupted, .limit])
    func `An exploration that did not end is no success`(end: Exploration.End) throws {
        let result = try Self.verdict(end, isAccepted: true).played(.sample(.passed))
        #expect(result.verdict == .inconclusive)
        #expect(result.failures.map(\.reason) == ["the exploration did not come to its end: what was covered"])
    }

    @Test func `A failure has the order in columns, the written scenario and how to repeat it`() throws {
        let finding = OrderFinding(turns: Self.turns, result: .sample(.failed))
        let scenario = try Self.scenario()
        let verdict = try Self.verdict(.found)
        let result = verdict.failed(finding, number: 4, repeatedBy: .success(scenario))
        #expect(result.verdict == .failed)
        #expect(
            result.failures.first?.details == [
                "order 4 of the race at \(verdict.explored.label):", "  turn  main   wallet", "     1  start",
                "     2         start", "written: \(scenario.file.path)",
            ])
        let replay = scenario.replay(seed: 7, labOption: nil)
        #expect(result.replay == replay && result.failures.map(\.replay) == [replay])
        let unwritten = verdict.failed(finding, number: 4, repeatedBy: .failure(LabFailure("The disk is full.")))
        #expect(
            unwritten.failures.first?.details.last == "the order was not written as a scenario: The disk is full.")
        #expect(unwritten.replay == "lab run b.yaml --seed 7")
    }

    @Test func `An order that could not be judged makes no failure and no success`() throws {
        for verdict in [Verdict.passed, .failed] {
            let result = try Self.verdict(.complete).inconclusive(
                .sample(verdict), order: 2, because: "stuck")
            #expect(result.verdict == .inconclusive)
            #expect(result.failures.first?.reason == "order 2 could not be judged: stuck")
            #expect(result.failures.allSatisfy { $0.verdict == .inconclusive })
            #expect(result.remark == "what was covered")
        }
    }

    @Test func `A scenario that ends without its block has its own result, and says that nothing was explored`() throws
    {
        let skipped = try Self.verdict(.unreached).unreached(.sample(.passed))
        #expect(skipped.verdict == .passed)
        #expect(skipped.remark == "not explored: the race was not carried out, because its `when` did not hold")
        let failed = try Self.verdict(.unreached).unreached(.sample(.failed))
        #expect(failed.verdict == .failed && failed.remark == nil && failed.failures.count == 1)
    }
}
