// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabFile
import ScenarioEngine
import ScenarioLanguage
import TestSupport
import Testing

@testable import LabReports

@Suite("Included files have parameters, outputs and a place, and their other names are private", .endsInTime)
struct IncludeTests {
    private static let activate = """
        parameters:
          userId: { type: text, default: alice, meaning: Whose activation it is. }
        outputs:
          code: What was made.
        steps:
          - server: initActivation
            with: { userId: "${userId}" }
            as: code
          - server: activationStatus
            with: { activationId: "${code.activationId}" }
            as: inside
          - check: "${inside.userId}"
            expect: "${code.userId}"
        """

    @Test func `When a file is included twice, each call has its own parameters and output name`() async throws {
        func code(_ user: String) -> JSONValue {
            ["result": ["activationId": .string("of-\(user)"), "userId": .string(user), "activationCode": "c"]]
        }
        func status(_ user: String) -> JSONValue {
            ["result": ["activationId": .string("of-\(user)"), "userId": .string(user)]]
        }
        let run = try await ScenarioFolder(
            """
            name: Twice
            steps:
              - include: activate.yaml
              - include: activate.yaml
                with: { userId: bob }
                as: { code: second }
              - check: ["${code.userId}", "${second.userId}"]
                expect: [alice, bob]
            """, beside: ["activate.yaml": Self.activate]
        ).run(answers: [
            "server.initActivation": [code("alice"), code("bob")],
            "server.activationStatus": [status("alice"), status("bob")],
        ])
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
        #expect(run.requests.map { $0.arguments["userId"] } == ["alice", nil, "bob", nil])
    }

    @Test func `Private names of an included file are not visible outside, and do not clash with others`() throws {
        let outcome = try ScenarioFolder(
            """
            name: Leak
            steps:
              - main: hasValidActivation
                as: inside
              - include: activate.yaml
              - check: ["${inside}", "${code.userId}"]
                expect: [true, alice]
            """, beside: ["activate.yaml": Self.activate]
        ).read()
        #expect(outcome.diagnostics.isEmpty, "\(DiagnosticRenderer().render(outcome.diagnostics))")
        let leaked = try ScenarioFolder(
            "name: Leak\nsteps:\n  - include: activate.yaml\n  - check: \"${inside}\"\n    expect: 1\n",
            beside: ["activate.yaml": Self.activate]
        ).read()
        #expect(leaked.diagnostics.map(\.kind.identifier) == ["unreachableCapture"])
    }

    @Test func `A failing step of an included file lists the places of the includes, innermost first`() async throws {
        let run = try await ScenarioFolder(
            "name: Chain\nsteps:\n  - include: outer.yaml\n",
            beside: [
                "outer.yaml": "steps:\n  - include: inner.yaml\n",
                "inner.yaml": "steps:\n  - check: 1\n    expect: 2\n",
            ]
        ).run()
        let failure = try #require(run.result.failures.first)
        #expect(failure.place?.description.hasSuffix("inner.yaml:2:5") == true)
        #expect(failure.includedAt.count == 2)
        #expect(failure.includedAt[0].description.hasSuffix("outer.yaml:2:14"))
        #expect(failure.includedAt[1].description.hasSuffix("scenario.yaml:3:14"))
    }
}
