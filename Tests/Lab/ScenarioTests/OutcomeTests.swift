// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPoints
import TestSupport
import Testing

@testable import ScenarioEngine

/// The winner of a race, a command with several outcomes, events that never happen, and values that stay.
@Suite("Outcomes, absence and stability", .endsInTime)
struct OutcomeTests {
    private static let taken: JSONValue = [
        "error": ["domain": "PowerAuthErrorDomain", "code": 18, "name": "externalPendingOperation", "message": "taken"]
    ]

    @Test func `An outcome of 'either' with only a name expects the command to succeed`() async throws {
        let steps = """
              - main: changePassword
                with: { from: "1234", to: "4321" }
                either:
                  - name: changed
                  - { name: taken, fails: externalPendingOperation }
                as: ending
              - check: "${ending.name}"
                expect: changed
            """
        let changed = try await FakeRun(steps, answers: FakeAnswers(["main.changePassword": [["result": nil]]]))
        #expect(changed.result.verdict == .passed, "\(changed.sinks)")
        let refused = try await FakeRun(steps, answers: FakeAnswers(["main.changePassword": [Self.taken]]))
        #expect(refused.result.failures.map(\.title) == ["check: ${ending.name}"], "\(refused.sinks)")
    }

    /// A race of two apps; each answers when both were asked.
    private func race(_ rule: String, main: JSONValue, wallet: JSONValue) async throws -> FakeRun {
        try await FakeRun(
            """
              - race:
                  - main: hasValidActivation
                  - wallet: hasValidActivation
            \(rule)
            """,
            answers: FakeAnswers(
                [
                    "main.hasValidActivation": [main], "wallet.hasValidActivation": [wallet],
                ], meeting: Barrier(count: 2)))
    }

    @Test func `Exactly one branch of a race succeeds, and the others fail as expected`() async throws {
        let rule = "    winners: 1\n    others: externalPendingOperation"
        let good: JSONValue = ["result": true]
        #expect(try await race(rule, main: good, wallet: Self.taken).result.verdict == .passed)
        #expect(try await race(rule, main: Self.taken, wallet: good).result.verdict == .passed)

        let both = try await race(rule, main: good, wallet: good).result
        #expect(both.verdict == .failed)
        #expect(
            both.failures.map(\.reason) == [
                "2 of 2 branches won: branch 1 (main) succeeded; branch 2 (wallet) succeeded"
            ])

        let none = try await race(rule, main: Self.taken, wallet: Self.taken).result
        #expect(none.failures.first?.reason.hasPrefix("0 of 2 branches won: branch 1 (main) failed with") == true)
    }

    @Test func `A branch that loses with an unexpected error fails the race`() async throws {
        let other: JSONValue = ["error": ["domain": "PowerAuthErrorDomain", "code": 1, "name": "networkError"]]
        let result = try await race(
            "    winners: 1\n    others: externalPendingOperation", main: ["result": true], wallet: other
        ).result
        #expect(result.verdict == .failed)
        #expect(result.failures.first?.reason.hasPrefix("branch 2 (wallet) lost with another error") == true)
        let any = try await race("    winners: { between: [1, 2] }", main: ["result": true], wallet: other).result
        #expect(any.verdict == .passed)
    }

    @Test func `A branch whose expectation fails, not its command, fails the race instead of losing it`() async throws {
        let run = try await FakeRun(
            """
              - race:
                  - main: hasValidActivation
                    expect: false
                  - wallet: hasValidActivation
                winners: 1
            """,
            answers: FakeAnswers(
                ["main.hasValidActivation": [["result": true]], "wallet.hasValidActivation": [["result": true]]],
                meeting: Barrier(count: 2)))
        #expect(run.result.failures.map(\.reason) == ["the result is not as expected"])
    }

    @Test func `In a tear-down, a branch continues after the error with which it lost`() async throws {
        let run = try await FakeRun(
            """
            name: Phases
            steps:
              - check: 1
                expect: 1
            tearDown:
              - race:
                  - - main: fetchActivationStatus
                    - main: hasValidActivation
                  - - wallet: hasValidActivation
                    - wallet: canStartActivation
                winners: 1
            """,
            answers: FakeAnswers(
                ["main.fetchActivationStatus": [["error": ["name": "networkError", "code": 4]]]],
                meeting: Barrier(count: 2)))
        #expect(run.result.failures.isEmpty, "\(run.sinks)")
    }

    /// The failing branch, and what is reported of it.
    private static let failsBehindAnError: [(String, String)] = [
        (
            """
                  - - main: fetchActivationStatus
                      eventually: 20s
                      expect: { state: active }
                      within: 0ms
            """, "it took"
        ),
        (
            """
                  - - never: { main: fetchActivationStatus, expect: { state: blocked } }
                      steps:
                        - check: 1
                          expect: 2
            """, "the value is not as expected"
        ),
    ]

    @Test(arguments: failsBehindAnError)
    func `Nor does it lose because an earlier attempt or question failed with an error`(branch: String, reason: String)
        async throws
    {
        let run = try await FakeRun(
            """
              - race:
            \(branch)
                  - wallet: hasValidActivation
                winners: 1
            """,
            answers: FakeAnswers([
                "main.fetchActivationStatus": [
                    ["error": ["name": "networkError", "code": 4]],
                    ["result": ["state": "active", "failCount": 0]],
                ]
            ]))
        #expect(run.result.failures.count == 1, "\(run.sinks)")
        #expect(run.result.failures.first?.reason.hasPrefix(reason) == true, "\(run.sinks)")
    }

    @Test func `The winner is kept, and its name is an actor in later steps`() async throws {
        let run = try await FakeRun(
            """
              - race:
                  - main: hasValidActivation
                  - wallet: hasValidActivation
                winners: 1
                as: winner
              - winner: canStartActivation
              - check: "${winner}"
                expect: { branch: 2, actor: wallet, answer: true }
            """,
            answers: FakeAnswers(
                [
                    "main.hasValidActivation": [Self.taken], "wallet.hasValidActivation": [["result": true]],
                ], meeting: Barrier(count: 2)))
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
        #expect(run.requests.map(\.command).last == "canStartActivation")
    }

    @Test(
        arguments: [
            (#"{"result": true}"#, "yes"), (#"{"error": {"domain": "D", "code": 1}}"#, "2"),
        ])
    func `A command has one of the given outcomes, and the outcome's name is kept`(answer: String, name: String)
        async throws
    {
        let answer = try JSONValue.parse(answer)
        let run = try await FakeRun(
            """
              - main: hasValidActivation
                either:
                  - { name: yes, expect: true }
                  - fails: 1
                as: way
              - check: "${way.name}"
                expect: "\(name)"
            """, answers: FakeAnswers(["main.hasValidActivation": [answer]]))
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
    }

    @Test func `A command with none of the outcomes fails, and reports how it differs from each`() async throws {
        let run = try await FakeRun(
            """
              - main: hasValidActivation
                either:
                  - { name: yes, expect: true }
                  - { name: cut, fails: networkError }
            """, answers: FakeAnswers(["main.hasValidActivation": [["result": false]]]))
        let reason = try #require(run.result.failures.first?.reason)
        #expect(reason.contains("none of the 2 ways, but with success and false"))
        #expect(reason.contains("yes: the result is not as expected; it is not true"))
        #expect(reason.contains("cut: it was expected to fail"))
    }

    @Test func `An event during the steps of 'never' fails them; an earlier event does not`() async throws {
        func run(_ emitted: String) async throws -> ScenarioResult {
            let arrived = FakeAnswers(["main.hasValidActivation": [["result": true]]])
            return try await FakeRun(
                """
                  - waitFor: { event: state.loaded, peer: main }
                  - never: { event: state.saved, peer: main, where: { bytes: 1 } }
                    steps:
                      - main: hasValidActivation
                      - waitFor: { event: state.removed, peer: main }
                """, answers: arrived
            ) { lab in
                try lab.emit(.stateSaved, of: "main", ["bytes": 1])
                try lab.emit(.stateLoaded, of: "main")
                arrived.awaitRequest()
                if !emitted.isEmpty { try lab.emit(.stateSaved, of: emitted, ["bytes": 1]) }
                try lab.emit(.stateRemoved, of: "main")
            }.result
        }
        #expect(try await run("").verdict == .passed)
        #expect(try await run("wallet").verdict == .passed)
        let broken = try await run("main")
        #expect(broken.verdict == .failed)
        #expect(broken.failures.first?.reason.contains("must never come in these steps") == true)
    }

    @Test func `An answer that matches between the steps of 'never' fails them`() async throws {
        let answers = FakeAnswers([
            "wallet.hasValidActivation": [["result": false], ["result": false], ["result": true]]
        ])
        let run = try await FakeRun(
            """
              - never: { wallet: hasValidActivation, expect: true }
                steps:
                  - main: canStartActivation
                  - main: canStartActivation
            """, answers: answers)
        #expect(
            run.result.failures.map(\.reason)
                == ["`wallet: hasValidActivation` ended as it must never in these steps, after step 1.2"])
    }

    @Test func `A value that must stay is checked repeatedly while lab time passes`() async throws {
        let steps = """
              - stays: 5s
                steps:
                  - main: hasValidActivation
                    expect: true
            """
        let steady = try await FakeRun(steps, answers: FakeAnswers(["main.hasValidActivation": [["result": true]]]))
        #expect(steady.result.verdict == .passed && steady.requests.count == 11)
        let answers = FakeAnswers(["main.hasValidActivation": [["result": true], ["result": true], ["result": false]]])
        let broken = try await FakeRun(steps, answers: answers)
        #expect(
            broken.result.failures.map(\.reason)
                == ["the result is not as expected, after 1s of 5s of lab time (`stays`)"])
    }
}
