// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import ScenarioEngine
import TestSupport
import Testing

@testable import LabReports

/// Faults that last as long as the steps of `during`, and faults that end before the tear-down.
@Suite("Faults of a block", .endsInTime)
struct FaultBlockTests {
    private static let block = """
          - during:
              - server: slow
                with: { endpoint: activation/status, by: 3s }
              - server: drop
                with: { endpoint: token/create }
            steps:
              - main: hasValidActivation
        """

    private static func armed(_ id: String) -> JSONValue { ["result": ["id": .string(id)]] }

    private static func count(_ id: String, matched: Int64, fired: Int64) -> JSONValue {
        ["id": .string(id), "matched": .integer(matched), "fired": .integer(fired)]
    }

    /// Runs steps with a server that reports what its two faults have hit.
    private func play(
        _ steps: String, counts: [JSONValue], _ more: [String: [JSONValue]] = [:]
    ) async throws -> FakeRun {
        try await FakeRun(
            steps,
            answers: FakeAnswers(
                [
                    "server.slow": [Self.armed("f1")], "server.drop": [Self.armed("f2")],
                    "server.trafficFaults": [["result": .array(counts)]],
                ].merging(more) { _, new in new }))
    }

    private static let both = [count("f1", matched: 1, fired: 1), count("f2", matched: 1, fired: 1)]

    /// The commands with the identifiers they were given.
    private func commands(_ run: FakeRun) -> [String] {
        run.requests.map { request in request.command + (request.arguments["id"]?.stringValue.map { " \($0)" } ?? "") }
    }

    @Test func `After the steps, the faults are counted once and ended, the last one first`() async throws {
        let run = try await play(Self.block + "\n  - wallet: hasValidActivation", counts: Self.both)
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
        let inBlock = ["slow", "drop", "hasValidActivation", "trafficFaults", "heal f2", "heal f1"]
        #expect(commands(run) == inBlock + ["hasValidActivation", "trafficFaults"])
    }

    @Test func `A failure in the block also ends the faults, and is the only failure`() async throws {
        let run = try await play(
            Self.block + "\n        expect: true", counts: [], ["main.hasValidActivation": [["result": false]]])
        #expect(run.result.failures.map(\.reason) == ["the result is not as expected"])
        #expect(commands(run) == ["slow", "drop", "hasValidActivation", "heal f2", "heal f1"])
    }

    @Test func `If one fault cannot be armed, none of the others stays armed`() async throws {
        let run = try await play(
            Self.block, counts: [], ["server.drop": [["error": ["name": "failed", "message": "full"]]]])
        #expect(run.result.failures.map(\.title) == ["server: drop"])
        #expect(commands(run) == ["slow", "drop", "heal f1"])
    }

    @Test func `A fault without a hit fails the step that armed it, and lists what it could have hit`() async throws {
        let counts = [Self.count("f1", matched: 0, fired: 0), Self.count("f2", matched: 2, fired: 0)]
        let run = try await play(Self.block, counts: counts)
        #expect(run.result.verdict == .failed)
        #expect(run.result.failures.map(\.title) == ["server: slow", "server: drop"])
        let reasons = run.result.failures.map(\.reason)
        #expect(reasons[0].contains("never fired"))
        #expect(reasons[0].hasSuffix("(nothing came that it is about while its block ran)"))
        #expect(reasons[1].contains("`skip` let pass what it is about, 2 in number"))
        #expect(commands(run).suffix(2) == ["heal f2", "heal f1"])
    }

    @Test func `A fault at a point that was passed too seldom says how often`() async throws {
        let counts: [JSONValue] = [["id": "f1", "passes": 1, "fired": 0], ["id": "f2", "passes": 2, "fired": 0]]
        let run = try await play(Self.block, counts: counts)
        let reasons = run.result.failures.map(\.reason)
        try #require(reasons.count == 2)
        #expect(reasons[0].hasSuffix(" (its process has passed the point once)"), "\(reasons[0])")
        #expect(reasons[1].hasSuffix(" (its process has passed the point 2 times)"), "\(reasons[1])")
    }

    @Test func `A fault that a block armed in the instance's table is removed afterwards`() async throws {
        let run = try await play(
            """
            name: Table
            steps:
              - during:
                  - faults: arm
                    with: { point: state.save, peer: main, action: kill }
                    as: armed
                steps:
                  - faults: armed
                    expect: [{ id: "${armed.id}", fired: 0 }]
            tearDown:
              - faults: armed
                expect: { length: 0 }
            """, counts: [])
        #expect(run.result.failures.map(\.title) == ["faults: arm"])
        let reason = run.result.failures.first?.reason
        #expect(reason?.contains("never fired") == true)
        let why = "(its process has not come to the point while its block ran)"
        #expect(reason?.hasSuffix(why) == true, "\(reason as Any)")
    }

    @Test func `A fault that cannot be ended is reported`() async throws {
        let run = try await play(
            Self.block, counts: Self.both, ["server.heal": [["error": ["name": "failed", "message": "no"]]]])
        #expect(run.result.verdict == .inconclusive)
        #expect(run.result.failures.allSatisfy { $0.reason.contains("could not be ended") })
        let dead = try await play(
            Self.block, counts: Self.both,
            ["server.heal": [["error": ["domain": "lab", "name": "peerDied", "message": "gone"]]]])
        #expect(dead.result.verdict == .passed, "a fault ends with its server and need not be ended")
    }

    @Test func `Armed faults are counted and then ended before the tear-down, even after a failure`() async throws {
        func scenario(_ expected: Bool) -> String {
            """
            name: Tear-down
            steps:
              - server: slow
                with: { endpoint: activation/status, by: 3s }
              - main: hasValidActivation
                expect: \(expected)
            tearDown:
              - wallet: hasValidActivation
            """
        }
        let answers: [String: [JSONValue]] = ["main.hasValidActivation": [["result": true]]]
        let passed = try await play(scenario(true), counts: Self.both, answers)
        #expect(commands(passed) == ["slow", "hasValidActivation", "trafficFaults", "heal f1", "hasValidActivation"])
        let failed = try await play(scenario(false), counts: [], answers)
        #expect(commands(failed) == ["slow", "hasValidActivation", "heal f1", "hasValidActivation"])
    }
}
