// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabFile
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine

@Suite("A step with `when` runs only if its condition holds", .endsInTime)
struct ConditionTests {
    private func run(_ steps: String, _ answers: [String: [JSONValue]] = [:]) async throws -> FakeRun {
        try await FakeRun(steps, answers: FakeAnswers(answers))
    }

    private static func status(_ state: String) -> [String: [JSONValue]] {
        ["main.fetchActivationStatus": [["result": ["state": .string(state), "failCount": 3]]]]
    }

    private static let unblocking = """
          - main: fetchActivationStatus
            as: status
          - wallet: activationIdentifier
            when: { check: "${status.state}", expect: blocked }
          - phone: keychainItems
        """

    @Test func `It runs if the value is as expected`() async throws {
        let run = try await run(Self.unblocking, Self.status("blocked"))
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        #expect(run.requests.map(\.command) == ["fetchActivationStatus", "activationIdentifier", "keychainItems"])
        #expect(run.result.skipped == nil)
    }

    @Test func `Otherwise it is skipped, and terminal, report and history state the reason`() async throws {
        let run = try await run(Self.unblocking, Self.status("active"))
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        #expect(run.requests.map(\.command) == ["fetchActivationStatus", "keychainItems"])
        let reason = #"`${status.state}` is "active", expected "blocked""#
        #expect(run.result.skipped?.map(\.step) == ["2"])
        #expect(run.result.skipped?.map(\.reason) == [reason])
        let terminal = TerminalReport(isColoured: false).render(run.result)
        #expect(
            terminal.contains("\n  scenario.yaml:5:5: skipped: wallet: activationIdentifier: \(reason)\n"),
            "\(terminal)")
        #expect(TerminalReport(isColoured: true).render(run.result).contains("\u{1B}[2mskipped\u{1B}[0m: wallet"))
        #expect(JUnitReport.render([run.result], seconds: 1).contains(XMLText.escaped(reason) + "</system-out>"))
        #expect(run.events.filter { $0.kind == .stepSkipped }.map(\.fact) == [.stepSkipped(.init(reason: reason))])
    }

    @Test(arguments: [true, false])
    func `A value of the row decides, too`(isAsked: Bool) async throws {
        let run = try await run(
            """
            name: Rows
            rows:
              - { id: one, asked: \(isAsked) }
            steps:
              - wallet: activationIdentifier
                when: { check: "${row.asked}", expect: true }
              - phone: keychainItems
            """)
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        #expect(run.requests.map(\.command) == (isAsked ? ["activationIdentifier"] : []) + ["keychainItems"])
        #expect(run.result.skipped?.map(\.reason) == (isAsked ? nil : ["`${row.asked}` is false, expected true"]))
    }

    @Test func `A block is skipped as a whole, and a repeated step is reported once with its count`() async throws {
        let run = try await run(
            """
              - main: fetchActivationStatus
                as: status
              - parallel:
                  - wallet: activationIdentifier
                  - widget: activationIdentifier
                when: { check: "${status}", expect: { state: blocked, failCount: { atLeast: 5 } } }
              - repeat: 3
                as: number
                steps:
                  - phone: keychainItems
                    when: { check: "${number}", expect: 2 }
            """.replacing("widget", with: "main"), Self.status("active"))
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        #expect(run.requests.map(\.command) == ["fetchActivationStatus", "keychainItems"])
        #expect(run.result.skipped?.map(\.times) == [1, 2])
        #expect(
            run.result.skipped?.first?.reason
                == #"`${status.state}` is "active", expected "blocked"; `${status.failCount}` is 3, expected at least 5"#
        )
    }

    @Test func `In a tear-down, a condition on a value that was never kept skips the step`() async throws {
        let run = try await run(
            """
            name: Tear-down
            steps:
              - main: hasValidActivation
                expect: true
              - main: fetchActivationStatus
                as: status
            tearDown:
              - wallet: activationIdentifier
                when: { check: "${status.state}", expect: blocked }
            """, ["main.hasValidActivation": [["result": false]]])
        #expect(run.result.failures.map(\.step) == ["1"], "\(run.sinks)")
        #expect(run.requests.map(\.command) == ["hasValidActivation"])
        #expect(run.events.contains { $0.kind == .stepSkipped })
    }

    @Test func `A secret in the reason of a skipped step is masked`() async throws {
        let run = try await run(
            """
            name: Secret
            values: { password: { secret: "correct horse" } }
            steps:
              - main: activationIdentifier
                as: identifier
              - main: kill
                when: { check: "${identifier}", expect: "${password}" }
            """, ["main.activationIdentifier": [["result": "x correct horse"]]])
        #expect(run.result.skipped?.count == 1, "\(run.sinks)")
        #expect(!run.sinks.contains("correct horse"), "\(run.sinks)")
    }
}
