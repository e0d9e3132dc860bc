// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import TestSupport
import Testing

@testable import ScenarioEngine

@Suite("The steps in a `check` list are independent", .endsInTime)
struct PostConditionTests {
    private static let no: JSONValue = ["result": false]
    private static let yes: JSONValue = ["result": true]

    private func run(
        _ steps: String, _ answers: [String: [JSONValue]], limits: TimeLimits = TimeLimits(), isSilent: Bool = false
    ) async throws -> FakeRun {
        try await FakeRun(steps, answers: FakeAnswers(answers, isSilent: isSilent), limits: limits)
    }

    @Test func `All run and every failure is reported; the scenario stops after the list`() async throws {
        let run = try await run(
            """
              - check:
                  - main: hasValidActivation
                    expect: true
                  - wallet: hasValidActivation
                    expect: true
                  - phone: keychainItems
              - main: activationIdentifier
            """, ["main.hasValidActivation": [Self.no], "wallet.hasValidActivation": [Self.no]])
        #expect(run.result.verdict == .failed)
        #expect(run.result.failures.map(\.step) == ["1.1", "1.2"], "\(run.sinks)")
        #expect(run.result.failures.map(\.place?.description) == ["scenario.yaml:4:9", "scenario.yaml:6:9"])
        #expect(run.requests.map(\.command) == ["hasValidActivation", "hasValidActivation", "keychainItems"])
    }

    @Test func `A list in which everything holds passes, even with one step`() async throws {
        let run = try await run(
            "  - check:\n      - main: hasValidActivation\n        expect: true\n  - phone: keychainItems\n",
            ["main.hasValidActivation": [Self.yes]])
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        #expect(run.requests.map(\.command) == ["hasValidActivation", "keychainItems"])
    }

    @Test func `A block inside stops at its first failure, and the list continues`() async throws {
        let run = try await run(
            """
              - check:
                  - repeat: 2
                    steps:
                      - main: hasValidActivation
                        expect: true
                      - main: activationIdentifier
                  - phone: keychainItems
            """, ["main.hasValidActivation": [Self.no]])
        #expect(run.result.failures.map(\.step) == ["1.1.1"], "\(run.sinks)")
        #expect(run.requests.map(\.command) == ["hasValidActivation", "keychainItems"])
    }

    @Test
    func `A list inside 'eventually' is retried until all of it holds, and its last attempt is reported`() async throws
    {
        let steps = """
              - eventually: 5s
                steps:
                  - check:
                      - main: hasValidActivation
                        expect: true
                      - wallet: hasValidActivation
                        expect: true
            """
        let passing = try await run(
            steps,
            [
                "main.hasValidActivation": [Self.no, Self.yes],
                "wallet.hasValidActivation": [Self.yes, Self.no, Self.yes],
            ])
        #expect(passing.result.verdict == .passed, "\(passing.sinks)")
        #expect(passing.requests.count == 6)
        let failing = try await run(
            steps.replacing("5s", with: "50ms"),
            ["main.hasValidActivation": [Self.no], "wallet.hasValidActivation": [Self.no]])
        #expect(failing.result.failures.map(\.step) == ["1.1.1", "1.1.2"], "\(failing.sinks)")
    }

    @Test
    func `A failed expectation in a list does not lose a race, even if a later step fails with an error`() async throws
    {
        let run = try await run(
            """
              - race:
                  - main: hasValidActivation
                  - check:
                      - wallet: hasValidActivation
                        expect: true
                      - wallet: fetchActivationStatus
                winners: 1
            """,
            [
                "wallet.hasValidActivation": [Self.no],
                "wallet.fetchActivationStatus": [["error": ["name": "missingActivation", "code": 8]]],
            ])
        #expect(run.result.verdict == .failed)
        #expect(run.result.failures.map(\.step) == ["1.2.1.1", "1.2.1.2"], "\(run.sinks)")
    }

    @Test func `The time limit of the scenario ends the list`() async throws {
        var limits = TimeLimits()
        limits.scenario = .milliseconds(100)
        let run = try await run(
            "  - check:\n      - main: hasValidActivation\n      - wallet: hasValidActivation\n", [:], limits: limits,
            isSilent: true)
        #expect(run.result.verdict == .failed)
        #expect(run.result.failures.map(\.step) == ["1.1"], "\(run.sinks)")
        // On a busy machine the limit may pass before the first request has arrived.
        #expect(!run.requests.contains { $0.actor == "wallet" })
    }

    @Test func `A list with an expectation beside it is a value like any other`() async throws {
        let run = try await run(
            """
              - main: hasValidActivation
                as: first
              - check: ["${first}", 2]
                expect: [true, 2]
            """, ["main.hasValidActivation": [Self.yes]])
        #expect(run.result.verdict == .passed, "\(run.sinks)")
    }
}
