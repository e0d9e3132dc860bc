// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Work with a failed scenario.
    @Suite("A failed scenario can be inspected and repeated")
    struct FailedRunTests {
        private static let failing = """
            name: Bad
            steps:
              - server: initActivation
                with: { userId: alice }
              - main: hasValidActivation
                expect: true
            tearDown:
              - main: kill

            """

        @Test
        func `A kept instance stays as the failed step left it until it is ended from another terminal`() async throws {
            let workspace = try workspace()
            let outcome = try await onThread {
                let run = try LabCommand(["run", "a.yaml", "--keep"], in: workspace)
                try run.wait(for: "is held here")
                let id = try #require(run.text.firstMatch(of: #/lab down --instance (\w+)/#)?.1)
                let words = try #require(run.text.firstMatch(of: #/look into it:  lab (exec [^\n]+)/#)?.1)
                let answer = try LabCommand(words.split(separator: " ").map(String.init), in: workspace).finish()
                #expect(answer.status == 0, "\(answer.errors)")
                #expect(answer.output == "false\n")
                #expect(try lab("down", "--instance", String(id), in: workspace).status == 0)
                return try run.finish()
            }
            #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("0 passed, 1 failed in "), "\(outcome.output)")
            try workspace.expectNothingLeft()
        }

        @Test func `A pause after a failure ends with Enter, and needs a terminal`() async throws {
            let workspace = try workspace()
            let refused = try await onThread { try lab("run", "a.yaml", "--pause-on-failure", in: workspace) }
            #expect(refused.status == 2)
            #expect(
                refused.errors.contains("--pause-on-failure needs a terminal as standard input"), "\(refused.errors)")
            let (status, text) = try await onThread {
                let run = try TerminalSession(["run", "a.yaml", "--pause-on-failure"], in: workspace, columns: 120)
                try run.wait(for: "press Enter")
                #expect(workspace.processes().contains { $0.commandLine.contains("main-app") })
                let clock = try lab("clock", in: workspace)
                #expect(clock.output.contains(#""isFrozen": true"#), "\(clock.output)\(clock.errors)")
                let utc = #/"utc": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/#
                #expect(clock.output.contains(utc), "\(clock.output)")
                try run.type("\n")
                return (try run.finish(), run.text)
            }
            #expect(status == 1, "\(text)")
            #expect(text.contains("0 passed, 1 failed in "), "\(text)")
            try workspace.expectNothingLeft()
        }

        @Test func `The command that a failure prints repeats it, with the same lab file and seed`() async throws {
            let workspace = try Workspace()
            for folder in ["the cast", "tests"] { try Files.createDirectory("\(workspace.directory)/\(folder)") }
            try workspace.copy("lab.yaml", to: "the cast/lab.yaml")
            try workspace.write(Self.failing, to: "tests/it's.yaml")
            let (first, second) = try await onThread {
                let first = try lab("run", "tests/it's.yaml", "--lab", "the cast/lab.yaml", in: workspace)
                let line = try #require(first.output.firstMatch(of: #/run it again: ([^\n]+)/#)?.1)
                #expect(line.contains("--lab 'the cast/lab.yaml'"), "\(line)")
                let folder = Files.directory(of: try ProcessTable.executablePath())
                let path = "\(folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
                let second = try LabCommand(
                    ["-c", String(line)], in: workspace, executable: "/bin/bash", environment: ["PATH": path]
                ).finish()
                return (first, second)
            }
            #expect(first.status == 1)
            #expect(second.status == 1, "\(second.output)\(second.errors)")
            func seed(_ outcome: LabCommand.Outcome) -> Substring? {
                outcome.output.firstMatch(of: #/ in [^\n]*, seed (\d+), recorded in /#)?.1
            }
            #expect(seed(first) != nil)
            #expect(seed(first) == seed(second))
        }

        @Test func `Joined shards have the same report as the whole run`() async throws {
            let workspace = try workspace()
            for name in ["b", "c", "d", "e"] {
                try workspace.write("name: \(name)\nsteps:\n  - clock: freeze\n", to: "\(name).yaml")
            }
            let outcomes = try await onThread {
                let common = ["run", ".", "--seed", "7", "--report"]
                return try [
                    common + ["json=whole.json"],
                    common + ["json=1.json", "--shard", "1/2"],
                    common + ["json=2.json", "--shard", "2/2"],
                    ["merge", "2.json", "1.json", "--report", "json=merged.json", "--report", "junit=merged.xml"],
                ].map { try LabCommand($0, in: workspace).finish() }
            }
            #expect(outcomes[0].status == 1)
            #expect(outcomes[3].status == 1, "\(outcomes[3].output)\(outcomes[3].errors)")
            #expect(outcomes[3].output.contains("4 passed, 1 failed in "), "\(outcomes[3].output)")
            let (whole, merged) = (try essence("whole.json", in: workspace), try essence("merged.json", in: workspace))
            #expect(whole.count == 5)
            #expect(whole == merged)
            #expect(try essence("1.json", in: workspace).count < 5)
            let xml = try String(contentsOfFile: "\(workspace.directory)/merged.xml", encoding: .utf8)
            #expect(xml.contains("tests=\"5\" failures=\"1\""), "\(xml)")
            try await onThread {
                let alone = try LabCommand(["merge", "1.json", "2.json", "--report", "junit=-"], in: workspace).finish()
                #expect(alone.output.hasPrefix("<?xml") && alone.output.hasSuffix("</testsuites>\n"), "\(alone.output)")
                #expect(alone.errors.contains("4 passed, 1 failed in "), "\(alone.errors)")
                let events = try LabCommand(["merge", "1.json", "2.json", "--report", "jsonl=e"], in: workspace)
                    .finish()
                #expect(events.status == 2 && events.errors.contains("jsonl"), "\(events.errors)")
            }
        }

        /// What must be the same in every run with one seed, result by result.
        private func essence(_ report: String, in workspace: Workspace) throws -> [String] {
            let data = try Data(contentsOf: URL(filePath: "\(workspace.directory)/\(report)"))
            let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            return try #require(object["results"] as? [[String: Any]]).map { result in
                let failures = (result["failures"] as? [[String: Any]] ?? []).map { "\($0["reason"] ?? "")" }
                let members = ["id", "name", "verdict", "seed", "commands"].map { "\(result[$0] ?? "")" }
                return (members + failures).joined(separator: " ")
            }
        }

        private func workspace() throws -> Workspace {
            let workspace = try Workspace.ofProject()
            try workspace.write(Self.failing, to: "a.yaml")
            return workspace
        }
    }
}
