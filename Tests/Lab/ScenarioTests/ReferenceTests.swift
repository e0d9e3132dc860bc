// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabFile
import ScenarioEngine
import TestSupport
import Testing

@testable import ScenarioLanguage

@Suite("References are resolved on the parsed tree", .endsInTime)
struct ReferenceTests {
    @Test func `A text splits into literals and references`() throws {
        func describe(_ text: String) throws -> [String] {
            try ReferenceParser.parts(of: text).map {
                switch $0 {
                case .text(let text): "text \(text)"
                case .reference(let reference): "reference \(reference.text)"
                }
            }
        }
        #expect(try describe("plain") == ["text plain"])
        #expect(try describe("${a}") == ["reference a"])
        #expect(try describe("x${a.b.0}y${c}") == ["text x", "reference a.b.0", "text y", "reference c"])
        #expect(try describe("$${a} costs $5") == ["text ${a} costs $5"])
        #expect(try describe("") == ["text "])
    }

    @Test(arguments: ["${", "${}", "${a", "${a..b}", "${a b}", "${1}", "x ${${a}}"])
    func `Invalid references are refused`(text: String) {
        #expect(throws: ReferenceParser.Malformed.self) { try ReferenceParser.parts(of: text) }
    }

    @Test func `An external value is never read as a reference`() async throws {
        let run = try await FakeRun(
            """
            name: Hostile
            values:
              user: { environment: LAB_USER }
            steps:
              - server: initActivation
                with: { userId: "${user}" }
                as: code
              - server: initActivation
                with: { userId: "for ${code.userId}" }
            """,
            answers: FakeAnswers(["server.initActivation": [["result": ["userId": "${code} }: [x"]]]]),
            environment: ["LAB_USER": "${code.userId}: }"])
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        #expect(run.requests.map { $0.arguments["userId"] } == ["${code.userId}: }", "for ${code} }: [x"])
    }

    @Test
    func `A value that is only a reference keeps its type; a reference inside a text becomes text`() async throws {
        let run = try await FakeRun(
            """
              - main: fetchActivationStatus
                as: status
              - server: initActivation
                with: { maxFailureCount: "${status.failCount}", userId: "user ${status.failCount}" }
            """, answers: FakeAnswers(["main.fetchActivationStatus": [["result": ["failCount": 3]]]]))
        #expect(run.requests.last?.arguments == ["maxFailureCount": 3, "userId": "user 3"])
    }

    @Test func `Constants are read by the type of the place where they are used`() async throws {
        let run = try await FakeRun(
            """
            name: Constants
            values:
              number: 0123
              nested: { list: [a, b] }
            steps:
              - server: initActivation
                with: { userId: "${number}", maxFailureCount: "${number}" }
              - main: requestAccessToken
                with: { name: "${nested.list.1}" }
            """)
        #expect(run.requests.map(\.arguments) == [["userId": "0123", "maxFailureCount": 123], ["name": "b"]])
    }

    @Test(arguments: ["a: \"${b}\", b: \"${a}\"", "a: \"x${a}\"", "a: { x: [\"${a}\"] }"])
    func `Circular values are reported where they are used`(values: String) throws {
        let outcome = try ScenarioFolder(
            "name: C\nvalues: { \(values) }\nsteps:\n  - check: \"${a}\"\n    expect: 1\n"
        ).read()
        #expect(outcome.diagnostics.map(\.kind.identifier) == ["unreachableCapture"])
        #expect(outcome.diagnostics.first?.kind.sentence.contains("leads back to itself") == true)
        let other = try ScenarioFolder(
            "name: C\nvalues: { a: { x: 1, y: \"${a.x}\" } }\nsteps:\n  - check: \"${a.y}\"\n    expect: \"${a.x}\"\n"
        ).read()
        #expect(other.diagnostics.isEmpty, "a member may refer to another")
    }

    @Test
    func `Captures of branches and blocks are visible in later steps, the counter of a repeat inside it`() async throws
    {
        let run = try await FakeRun(
            """
              - parallel:
                  - - main: activationIdentifier
                      as: left
                  - - wallet: activationIdentifier
                      as: right
              - eventually:
                  for: 1s
                  steps:
                    - widget: activationIdentifier
                      as: third
                      expect: c
              - repeat: 2
                as: round
                steps:
                  - main: requestAccessToken
                    with: { name: "${left}${right}${third}${round}" }
            """,
            answers: FakeAnswers([
                "main.activationIdentifier": [["result": "a"]], "wallet.activationIdentifier": [["result": "b"]],
                "widget.activationIdentifier": [["result": "c"]],
            ]))
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        #expect(run.requests.suffix(2).map { $0.arguments["name"] } == ["abc1", "abc2"])
    }

    @Test func `In each round of a block the branches inside keep new values, in any order of merging`() async throws {
        let run = try await FakeRun(
            """
              - repeat: 2
                steps:
                  - parallel:
                      - - main: activationIdentifier
                          as: left
                      - - wallet: activationIdentifier
                          as: right
                  - widget: requestAccessToken
                    with: { name: "${left} ${right}" }
            """,
            answers: FakeAnswers([
                "main.activationIdentifier": [["result": "a1"], ["result": "a2"]],
                "wallet.activationIdentifier": [["result": "b1"], ["result": "b2"]],
            ]))
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        let names = run.requests.filter { $0.command == "requestAccessToken" }.map { $0.arguments["name"] }
        #expect(names == ["a1 b1", "a2 b2"])
    }

    @Test func `The rounds of 'each' and 'repeat' come from a kept value`() async throws {
        let run = try await FakeRun(
            """
              - main: fetchActivationStatus
                as: status
              - phone: fileLocks
                as: locks
              - repeat: "${status.failCount}"
                steps:
                  - main: hasValidActivation
              - each:
                  in: "${locks}"
                  as: lock
                  steps:
                    - main: requestAccessToken
                      with: { name: "${lock.file}" }
            """, answers: FakeAnswers(Self.kept(failCount: 3, files: ["a", "b"])))
        #expect(run.result.verdict == .passed, "\(run.sinks)")
        #expect(run.requests.count { $0.command == "hasValidActivation" } == 3)
        let names = run.requests.filter { $0.command == "requestAccessToken" }.map { $0.arguments["name"] }
        #expect(names == ["a", "b"])
    }

    @Test func `A loop over a kept value without rounds fails, because its steps would show nothing`() async throws {
        for (loop, reason) in [
            ("repeat: \"${status.failCount}\"\n    steps:", "`repeat` takes an integer from 1 to 100000, not 0"),
            (
                "each:\n      in: \"${locks}\"\n      as: lock\n      steps:",
                "`in` of `each` takes a list with at least one element, not []"
            ),
        ] {
            let run = try await FakeRun(
                """
                  - main: fetchActivationStatus
                    as: status
                  - phone: fileLocks
                    as: locks
                  - \(loop)
                        - main: hasValidActivation
                """, answers: FakeAnswers(Self.kept(failCount: 0, files: [])))
            #expect(run.result.failures.map(\.reason) == [reason], "\(run.sinks)")
        }
    }

    private static func kept(failCount: Int64, files: [String]) -> [String: [JSONValue]] {
        [
            "main.fetchActivationStatus": [["result": ["state": "active", "failCount": .integer(failCount)]]],
            "phone.fileLocks": [["result": .array(files.map { ["file": .string($0)] })]],
        ]
    }
}
