// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("A step that does not hold is a failure with its reason, and nothing else is", .endsInTime, .serialized)
struct VerdictTests {
    /// A scenario, and the verdict and the reason of each of its failures.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: String
        var answers: [String: [JSONValue]] = [:]
        /// How many commands are answered together.
        var together = 0
        var during: (@Sendable (FakeLab) throws -> Void)?
        let failures: [String]
    }

    private static let saved = RedCase.yes(after: RedCase.saved())

    private static let events: [Row] = [
        Row(
            testDescription: "an event that another wait has taken",
            steps: """
                - main: hasValidActivation
                - waitFor: { event: state.saved, peer: main, where: { bytes: 1 }, within: 1m }
                - waitFor: { event: state.saved, peer: main, where: { bytes: 1 }, within: 20ms }
                """, answers: RedCase.main(saved),
            failures: ["failed: the event `state.saved` of `main` did not come within N ms once more"]),
        Row(
            testDescription: "an event of other processes",
            steps: """
                - main: hasValidActivation
                - waitFor: { event: state.saved, peer: main, within: 20ms }
                """,
            answers: RedCase.main(
                RedCase.yes(
                    after: RedCase.saved(by: "wallet"), RedCase.saved(by: "companion"), RedCase.saved(by: "wallet"))
            ),
            failures: [
                "failed: the event `state.saved` of `main` did not come within N ms, although it came of `companion`, `wallet`"
            ]),
        Row(
            testDescription: "an event that does not come from any process",
            steps: "- main: hasValidActivation\n- waitFor: { event: state.saved, within: 20ms }",
            answers: RedCase.main(RedCase.yes(after: RedCase.loaded)),
            failures: ["failed: the event `state.saved` did not come within N ms"]),
        Row(
            testDescription: "the last of several events differs",
            steps: """
                - main: hasValidActivation
                - waitFor: { event: state.saved, peer: main, where: { bytes: 3 }, within: 20ms }
                """,
            answers: RedCase.main(RedCase.yes(after: RedCase.saved(1), RedCase.saved(2), RedCase.saved(by: "wallet"))),
            failures: [
                "failed: the event `state.saved` of `main` did not come within N ms; the last of 3 such events differs"
            ]),
        Row(
            testDescription: "an event that must never come, twice",
            steps: """
                - never: { event: state.saved, peer: main }
                  steps:
                    - main: hasValidActivation
                """, answers: RedCase.main(RedCase.yes(after: RedCase.saved(), RedCase.saved())),
            failures: [
                "failed: the event `state.saved` of `main` came N ms after the beginning, the first of 2 times, but must never come in these steps"
            ]),
        Row(
            testDescription: "an event that must never come, in a step",
            steps: """
                - never: { event: command.finished, peer: main }
                  steps:
                    - main: hasValidActivation
                """, answers: RedCase.main(RedCase.yes),
            failures: [
                "failed: the event `command.finished` of `main` came in step 1.1, N ms after the beginning, but must never come in these steps"
            ]),
        Row(
            testDescription: "an event before the steps in which it must never come",
            steps: """
                - main: hasValidActivation
                - never: { event: state.saved, peer: main }
                  steps:
                    - wallet: hasValidActivation
                """, answers: RedCase.main(saved), failures: []),
        Row(
            testDescription: "a probe that never holds, and steps that fail",
            steps: """
                - never: { wallet: hasValidActivation, expect: true }
                  steps:
                    - main: hasValidActivation
                      expect: true
                    - phone: keychainItems
                """, answers: RedCase.main(RedCase.no), failures: ["failed: the result is not as expected"]),
    ]

    private static let lost = RedCase.error("externalPendingOperation")

    private static func both(_ main: JSONValue, _ wallet: JSONValue) -> [String: [JSONValue]] {
        ["main.hasValidActivation": [main], "wallet.hasValidActivation": [wallet]]
    }

    /// A race in a tear-down, where a branch continues after a failure.
    private static func tearDownRace(_ second: String, _ rule: String) -> String {
        """
        name: Race
        steps:
          - clock: freeze
        tearDown:
          - race:
              - - main: hasValidActivation
                - \(second)
              - wallet: hasValidActivation
            winners: 1
        \(rule)
        """
    }

    private static let races: [Row] = [
        Row(
            testDescription: "a winner that does not exist",
            steps: """
                - race:
                    - main: hasValidActivation
                    - wallet: hasValidActivation
                  winners: { between: [0, 2] }
                  as: winner
                - winner: canStartActivation
                """, answers: both(lost, lost), together: 2,
            failures: ["failed: no branch has won the race that keeps `winner`"]),
        Row(
            testDescription: "the first error of a branch is the one that it lost with",
            steps: tearDownRace("main: canStartActivation", "    others: externalPendingOperation"),
            answers: both(lost, RedCase.yes).merging(
                ["main.canStartActivation": [RedCase.error("missingActivation")]]) { $1 },
            together: 2, failures: []),
        Row(
            testDescription: "a branch that the lab cannot judge has not lost",
            steps: tearDownRace("advance: 106000d", ""), answers: both(lost, RedCase.yes), together: 2,
            failures: [
                "failed: it failed with externalPendingOperation (PowerAuthErrorDomain): no",
                "inconclusive: the lab's clock cannot go forward by 106000d; its range ends with the year 2249",
            ]),
        Row(
            testDescription: "a time that the clock cannot reach", steps: "- advance: 106000d",
            failures: ["inconclusive: the lab's clock cannot go forward by 106000d; its range ends with the year 2249"]),
    ]

    private static func loaded(_ body: @escaping @Sendable (FakeLab) throws -> Void)
        -> @Sendable (FakeLab) throws -> Void
    {
        { lab in
            try body(lab)
            try lab.emit(.stateLoaded, of: "main")
        }
    }

    /// Passes an armed point of `main` some times, which has no effect before the third.
    private static func pass(_ times: Int) -> @Sendable (FakeLab) throws -> Void {
        loaded { lab in
            while lab.connection.faults.rules().isEmpty { sched_yield() }
            for _ in 0..<times { try lab.connection.faults.pass(.stateSave, process: "main") }
        }
    }

    private static let armed = """
        - faults: arm
          with: { point: state.save, peer: main, action: fail, error: EIO, pass: 3 }
        - waitFor: { event: state.loaded, peer: main, within: 1m }
        """
    private static let neverFired =
        "failed: the fault of this step never fired, so the scenario shows nothing about it (its process has "

    private static let faults: [Row] = [
        Row(
            testDescription: "a fault of a process that has not come to the point", steps: armed, during: pass(0),
            failures: [neverFired + "not come to the point)"]),
        Row(
            testDescription: "a fault of a point that was passed once", steps: armed, during: pass(1),
            failures: [neverFired + "passed the point once)"]),
        Row(
            testDescription: "a fault of a point that was passed twice", steps: armed, during: pass(2),
            failures: [neverFired + "passed the point 2 times)"]),
        Row(
            testDescription: "a fault that was disarmed before it fired", steps: armed + "\n- faults: disarm",
            during: pass(0), failures: []),
        Row(
            testDescription: "a fault that was armed from outside",
            steps: "- waitFor: { event: state.loaded, peer: main, within: 1m }",
            during: loaded {
                try $0.connection.faults.arm(FaultRule(point: .stateSave, process: "wallet", action: .kill))
            },
            failures: [
                "failed: the fault armed from outside at `state.save` of `wallet` never fired, so the scenario shows nothing about it"
            ]),
        Row(
            testDescription: "a fault that was armed from outside and has fired",
            steps: "- waitFor: { event: state.loaded, peer: main, within: 1m }",
            during: loaded {
                let id = try $0.connection.faults.arm(FaultRule(point: .stateSave, process: "wallet", action: .kill))
                try $0.connection.faults.noteFiring(id: id)
            }, failures: []),
    ]

    private static let silent: JSONValue = ["silent": true]

    private static let attempts: [Row] = [
        Row(
            testDescription: "the limit cuts off the second attempt of a command",
            steps: "- main: hasValidActivation\n  expect: true\n  eventually: 500ms",
            answers: RedCase.main(RedCase.no, silent),
            failures: [
                "failed: the result is not as expected (after N attempts in N ms; the first saw false, the last false)"
            ]),
        Row(
            testDescription: "the limit cuts off the second attempt of a block",
            steps: "- eventually: 500ms\n  steps:\n    - main: hasValidActivation\n      expect: true",
            answers: RedCase.main(RedCase.no, silent),
            failures: ["failed: the result is not as expected (last of N attempts in N ms)"]),
        Row(
            testDescription: "the last attempt differs from the first",
            steps: "- main: fetchActivationStatus\n  expect: { state: active }\n  eventually: 500ms",
            answers: [
                "main.fetchActivationStatus": [
                    RedCase.error("networkError"), ["result": ["state": "blocked", "failCount": 5]],
                ]
            ],
            failures: [
                #"failed: the result is not as expected (after N attempts in N ms; the first saw networkError (PowerAuthErrorDomain): no, the last {"failCount":5,"state":"blocked"})"#
            ]),
        Row(
            testDescription: "a value that does not hold at the beginning",
            steps: "- stays: 5s\n  steps:\n    - main: hasValidActivation\n      expect: true",
            answers: RedCase.main(RedCase.no),
            failures: ["failed: the result is not as expected, at the beginning of 5s of lab time (`stays`)"]),
    ]

    @Test(arguments: [events, races, faults, attempts].flatMap { $0 })
    func `Each failure has its verdict and its reason`(_ row: Row) async throws {
        let meeting = row.together > 0 ? Barrier(count: row.together) : nil
        let answers = FakeAnswers(row.answers, meeting: meeting)
        let result = try await FakeRun(row.steps, answers: answers, during: row.during).result
        let failures = result.failures.map { "\($0.verdict.rawValue): \(FailureGoldenTests.normalised($0.reason))" }
        #expect(failures == row.failures)
        #expect((result.verdict == .passed) == failures.isEmpty)
    }
}
