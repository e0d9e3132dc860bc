// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import ScenarioLanguage
import TestSupport
import Testing

@testable import ScenarioEngine

@Suite("Set-up, steps and tear-down run in order, each within its limit", .endsInTime)
struct PhaseTests {
    @Test
    func `If the set-up fails, only the tear-down runs after it, and each failure names its phase`() async throws {
        let run = try await FakeRun(
            """
            name: Phases
            setup:
              - check: 1
                expect: 2
            steps:
              - main: hasValidActivation
            tearDown:
              - check: 3
                expect: 4
            """)
        #expect(run.requests.isEmpty)
        #expect(
            run.result.failures.map(\.reason) == [
                "in the set-up, the value is not as expected", "in the tear-down, the value is not as expected",
            ])
    }

    @Test func `Values that the set-up keeps are available to the steps and the tear-down`() async throws {
        let run = try await FakeRun(
            """
            name: Phases
            setup: { within: 20s, steps: [{ main: hasValidActivation, as: before }] }
            steps:
              - check: "${before}"
                expect: true
            tearDown:
              - check: "${before}"
                expect: true
            """, answers: FakeAnswers(["main.hasValidActivation": [["result": true]]]))
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
    }

    @Test func `A tear-down over its own limit is reported at the step that did not start`() async throws {
        let run = try await FakeRun(
            """
            name: Phases
            steps:
              - check: 1
                expect: 1
            tearDown:
              within: 50ms
              steps:
                - main: hasValidActivation
                - check: 1
                  expect: 1
            """, answers: FakeAnswers(isSilent: true))
        let reasons = run.result.failures.map(\.reason)
        #expect(reasons.first?.hasPrefix("in the tear-down, it failed with timedOut") == true, "\(reasons)")
        #expect(
            reasons.last == "in the tear-down, it did not begin, because the tear-down takes longer than 50ms",
            "\(reasons)")
    }

    @Test func `A retried command ends at the time limit of the enclosing steps`() async throws {
        let run = try await FakeRun(
            """
            name: Phases
            steps:
              - check: 1
                expect: 1
            tearDown:
              within: 50ms
              steps:
                - main: hasValidActivation
                  expect: true
                  eventually: 1h
            """, answers: FakeAnswers(["main.hasValidActivation": [["result": false]]]))
        let reasons = run.result.failures.map(\.reason)
        // On a busy machine the limit may pass before the first answer.
        #expect(reasons.count == 1 && reasons[0].hasPrefix("in the tear-down, "), "\(reasons)")
    }

    @Test
    func `The limit of 'eventually' ends an attempt without an answer, and the previous attempt is shown`() async throws
    {
        let run = try await FakeRun(
            "  - eventually: 200ms\n    main: hasValidActivation\n    expect: true\n",
            answers: FakeAnswers(isSilent: true))
        let reason = try #require(run.result.failures.first?.reason)
        #expect(reason.contains("after 1 attempts in"))
        // The limit of an answer is 30 s otherwise; here it is the rest of the `eventually` limit, in milliseconds.
        #expect(reason.contains(/within [0-9]{1,3}ms/), "\(reason)")
    }

    @Test func `A tear-down over the limit of scenarios is cut off and fails`() async throws {
        var limits = TimeLimits()
        limits.scenario = .milliseconds(50)
        let result = try await FakeRun(
            """
            name: Phases
            steps:
              - clock: freeze
            tearDown: { within: 1s, steps: [{ main: hasValidActivation }] }
            """, answers: FakeAnswers(isSilent: true), limits: limits
        ).result
        #expect(result.verdict == .failed)
        let reason = "the tear-down takes longer than 50ms, its limit (--scenario-timeout), and was cut off"
        #expect(result.failures.map(\.reason).contains(reason), "\(result.failures.map(\.reason))")
    }

    @Test(
        arguments: [
            (true, true, false), (true, false, false), (false, true, false), (true, true, true),
        ])
    func `Only a failed scenario that was not interrupted can keep its instance, which then has no tear-down`(
        hasFailed: Bool, isWanted: Bool, isInterrupted: Bool
    ) async throws {
        let asked = Recorder<String>()
        let answers = FakeAnswers(RedCase.main(hasFailed ? RedCase.no : RedCase.yes))
        try await onThread {
            let scenario = try RedCase.scenario(
                """
                name: Kept
                steps:
                  - main: hasValidActivation
                    expect: true
                tearDown:
                  - wallet: hasValidActivation
                """)
            let lab = try FakeLab(scenario.topology, answers: answers)
            defer { lab.end() }
            let interruption = Interruption()
            if isInterrupted { interruption.set() }
            let run = try ScenarioRun(
                scenario, seed: 1, directory: lab.runDirectory,
                setting: ScenarioRun.Setting(
                    executables: Executables(directory: "/nowhere"),
                    afterFailure: { _ in
                        asked.add("asked")
                        return isWanted
                    }),
                interruption: interruption)
            let events = try TraceBoard(directory: "\(lab.runDirectory)/traces", keeping: scenario.awaitedEvents)
            defer { events.stop() }
            run.perform(in: lab.connection, events: events)
            #expect(run.failures.all.count == (hasFailed ? 1 : 0))
        }
        let isAsked = hasFailed && !isInterrupted
        #expect(asked.all.count == (isAsked ? 1 : 0))
        #expect(answers.requests.map(\.actor) == (isAsked && isWanted ? ["main"] : ["main", "wallet"]))
    }

    @Test func `A value that must stay is asked for eleven times, while exactly its time passes`() async throws {
        let run = try await FakeRun(
            """
              - clock: freeze
              - clock: read
              - stays: 7s
                steps:
                  - main: hasValidActivation
              - clock: read
            """)
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        #expect(run.requests.count == 11)
        let lines = try run.history.split(separator: "\n").map { try JSONValue.parse(Data($0.utf8)) }
        let times = lines.filter { $0["command"] == "read" }.compactMap { $0["result"]?["time"]?.numberValue }
        #expect(times.count == 2)
        #expect(abs((times.last ?? 0) - (times.first ?? 0) - 7) < 0.001, "\(times)")
    }
}
