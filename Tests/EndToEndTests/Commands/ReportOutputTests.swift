// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    @Suite("Reports go to the requested places")
    struct ReportOutputTests {
        private static let failing = """
            name: Nothing is activated
            steps:
              - main: hasValidActivation
                expect: true
            """

        @Test func `Standard output contains only the report, and progress goes to standard error`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write(Self.failing, to: "failing.yaml")
            let arguments = [
                "run", "failing.yaml", "--seed", "5", "--report", "json=-", "--report", "jsonl=events.jsonl",
                "--report", "tap=run.tap",
            ]
            let outcome = try await LabCommand.run(
                arguments, in: workspace,
                environment: ["GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": workspace.directory])
            #expect(outcome.status == 1, "\(outcome.errors)")
            let report = try JSONValue.parse(outcome.output)
            #expect(report["results"]?[0]?["replay"] == "lab run failing.yaml --seed 5")
            #expect(outcome.errors.contains("1 failed in "))
            #expect(outcome.errors.contains("::error file=failing.yaml,line=4,col=13,title=Nothing is activated::"))

            let lines = try String(decoding: Files.read("\(workspace.directory)/events.jsonl"), as: UTF8.self)
                .split(separator: "\n").map { try JSONValue.parse(String($0)) }
            #expect(
                lines.map { $0["event"] } == ["run.started", "scenario.started", "scenario.finished", "run.finished"])
            #expect(lines[2]["result"] == report["results"]?[0])
            let tap = try String(decoding: Files.read("\(workspace.directory)/run.tap"), as: UTF8.self)
            #expect(tap.hasPrefix("TAP version 14\n1..1\nnot ok 1 - failing.yaml: Nothing is activated\n"))
        }
    }
}
