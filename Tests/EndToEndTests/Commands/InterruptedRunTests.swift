// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Ctrl-C once, twice and three times, and other early ends of a run.
    @Suite("A run that ends early reports every requested scenario")
    struct InterruptedRunTests {
        @Test(.verifies("exit code", "run 130"))
        func `The first Ctrl-C runs the tear-down, writes reports, and reports no stopped scenario as passed`()
            async throws
        {
            let workspace = try workspace(tearDown: "  - main: kill\n")
            let outcome = try await onThread {
                let command = try LabCommand(
                    ["run", "a.yaml", "b.yaml", "--jobs", "1", "--report", "json=r.json"], in: workspace)
                try waitForSteps(of: workspace)
                try command.signal(SIGINT)
                return try command.finish()
            }
            #expect(outcome.status == 130, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("0 passed, 1 inconclusive, 1 not run"), "\(outcome.output)")
            #expect(try verdicts("r.json", in: workspace) == ["inconclusive", "notRun"])
            #expect(try verdicts(".lab/runs/latest/report.json", in: workspace) == ["inconclusive", "notRun"])
            let history = try text(".lab/runs/latest/a/history.jsonl", in: workspace)
            #expect(history.contains("interrupted"), "\(history)")
            #expect(history.contains(#""verdict":"inconclusive""#), "\(history)")
            #expect(history.contains(#""command":"kill""#), "the tear-down did not run: \(history)")
            try workspace.expectNothingLeft()
        }

        @Test(arguments: [Self.endless, Self.waiting])
        func `The second Ctrl-C ends everything at once, even the tear-down, and still writes reports`(tearDown: String)
            async throws
        {
            let workspace = try workspace(tearDown: tearDown)
            let outcome = try await onThread {
                let command = try LabCommand(["run", "a.yaml", "b.yaml", "--report", "json=r.json"], in: workspace)
                try waitForSteps(of: workspace)
                try command.signal(SIGINT)
                try command.wait(for: "stopping: running tear-downs")
                try command.signal(SIGINT)
                return try command.finish()
            }
            #expect(outcome.status == 130, "\(outcome.output)\(outcome.errors)")
            #expect(try verdicts("r.json", in: workspace).contains("inconclusive"))
            try workspace.expectNothingLeft()
        }

        @Test func `The third Ctrl-C ends the runner itself, and nothing outlives it`() async throws {
            let workspace = try workspace(tearDown: Self.endless)
            let outcome = try await onThread {
                let command = try LabCommand(["run", "a.yaml"], in: workspace)
                try waitForSteps(of: workspace)
                // Pending signals of the same number merge into one.
                try command.signal(SIGINT)
                try command.wait(for: "stopping: running tear-downs")
                try command.signal(SIGTERM)
                try command.signal(SIGHUP)
                let outcome = try command.finish()
                try waitUntil("the processes are gone") { workspace.processes().isEmpty }
                // Their files go with the next run.
                try workspace.write("name: Next\nsteps:\n  - clock: freeze\n", to: "next.yaml")
                #expect(try lab("run", "next.yaml", in: workspace).status == 0)
                return outcome
            }
            // The second may have ended everything before the third has come.
            #expect([-SIGKILL, 130].contains(outcome.status), "\(outcome.output)\(outcome.errors)")
            try workspace.expectNothingLeft()
        }

        @Test func `What did not run after the first failure is reported as not run`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write("name: A\nsteps:\n  - main: hasValidActivation\n    expect: true\n", to: "a.yaml")
            try workspace.write("name: B\nsteps:\n  - clock: freeze\n", to: "b.yaml")
            let outcome = try await onThread {
                try lab("run", ".", "--fail-fast", "--jobs", "1", "--report", "json=r.json", in: workspace)
            }
            #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("0 passed, 1 failed, 1 not run"), "\(outcome.output)")
            #expect(try verdicts("r.json", in: workspace) == ["failed", "notRun"])
        }

        @Test func `Rounds have their own ids, and differences between them are summarised`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write("name: A\nsteps:\n  - main: hasValidActivation\n    expect: true\n", to: "a.yaml")
            let outcome = try await onThread {
                try lab("run", "a.yaml", "--repeat", "2", "--seed", "7", "--report", "json=r.json", in: workspace)
            }
            #expect(outcome.output.contains("✗ A  a.yaml  "), "\(outcome.output)")
            #expect(outcome.output.contains("✗ A  a.yaml~2  "), "\(outcome.output)")
            #expect(
                outcome.output.contains("a.yaml: 0 of 2 rounds passed; the others with seeds 7, 8"),
                "\(outcome.output)")
            #expect(try members("id", of: "r.json", in: workspace) == ["a.yaml", "a.yaml~2"])
        }

        private static let endless = """
              - repeat: 100000
                steps:
                  - main: hasValidActivation

            """

        /// Waits longer than a test may take.
        private static let waiting = """
              within: 60m
              steps:
                - waitFor: { event: push.shown, within: 60m }

            """

        private func workspace(tearDown: String) throws -> Workspace {
            let workspace = try Workspace.ofProject()
            for name in ["a", "b"] {
                try workspace.write("\(OddPathTests.endless)\ntearDown:\n\(tearDown)", to: "\(name).yaml")
            }
            return workspace
        }

        /// Waits until the first step of the first scenario has begun.
        private func waitForSteps(of workspace: Workspace) throws {
            try waitUntil("the first step") {
                (try? text(".lab/runs/latest/a/history.jsonl", in: workspace))?.contains("step.started") ?? false
            }
        }

        private func text(_ path: String, in workspace: Workspace) throws -> String {
            try String(contentsOfFile: "\(workspace.directory)/\(path)", encoding: .utf8)
        }

        private func verdicts(_ report: String, in workspace: Workspace) throws -> [String] {
            try members("verdict", of: report, in: workspace)
        }

        private func members(_ name: String, of report: String, in workspace: Workspace) throws -> [String] {
            let data = Data(try text(report, in: workspace).utf8)
            let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            let results = try #require(object["results"] as? [[String: Any]])
            return results.compactMap { $0[name] as? String }
        }
    }
}
