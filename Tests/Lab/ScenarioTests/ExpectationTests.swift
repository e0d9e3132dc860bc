// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabFile
import LabPoints
import ScenarioLanguage
import TestSupport
import Testing

@testable import ScenarioEngine

@Suite("The expectations `same`, any error, and event order", .endsInTime)
struct ExpectationTests {
    @Test func `Commands of 'same' must give the same answer; if they differ, every answer is reported`() async throws {
        func run(_ wallet: Bool) async throws -> ScenarioResult {
            try await FakeRun(
                "  - same:\n      - main: hasValidActivation\n      - wallet: hasValidActivation\n",
                answers: FakeAnswers([
                    "main.hasValidActivation": [["result": true]],
                    "wallet.hasValidActivation": [["result": .bool(wallet)]],
                ])
            ).result
        }
        #expect(try await run(true).verdict == .passed)
        let failure = try #require(try await run(false).failures.first)
        #expect(
            failure.reason
                == "the answers are not the same: `main: hasValidActivation` answered true; `wallet: hasValidActivation` answered false"
        )
        #expect(failure.differences.map(\.path) == ["wallet: hasValidActivation"])
        let wrong = try ScenarioFolder(
            "name: S\nsteps:\n  - same:\n      - main: hasValidActivation\n      - main: kill\n"
        ).read()
        #expect(wrong.diagnostics.map(\.kind.identifier) == ["misfit"])
    }

    @Test func `The code 'any' matches any error, and other members are still checked`() async throws {
        func verdict(_ fails: String) async throws -> Verdict {
            try await FakeRun(
                "  - main: hasValidActivation\n    fails: \(fails)\n",
                answers: FakeAnswers([
                    "main.hasValidActivation": [
                        ["error": ["domain": "D", "code": 7, "name": "networkError", "message": "m"]]
                    ]
                ])
            ).result.verdict
        }
        #expect(try await verdict("{ code: any }") == .passed)
        #expect(try await verdict("{ code: any, domain: D }") == .passed)
        #expect(try await verdict("{ code: any, domain: E }") == .failed)
    }

    @Test func `Events in sequence are in order; an event that came too early is reported`() async throws {
        let run = try await FakeRun(
            """
              - waitFor: { event: state.saved, peer: wallet }
              - order:
                  - { event: state.loaded, peer: main }
                  - { event: state.saved, peer: wallet, where: { bytes: { atLeast: 5 } } }
              - trace: events
                with: { event: state.saved }
                expect: { length: 1, each: { peer: wallet, fields: { bytes: 7 } } }
              - order:
                  - { event: state.saved, peer: wallet }
                  - { event: state.loaded, peer: main }
            """
        ) { lab in
            try lab.emit(.stateLoaded, of: "main", ["activation": false])
            try lab.emit(.stateSaved, of: "wallet", ["bytes": 7])
        }
        #expect(
            run.result.failures.map(\.reason) == [
                "the event `state.loaded` of `main` came only before the event `state.saved` of `wallet`"
            ])
        #expect(run.result.failures.first?.step == "4")
    }
}
