// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Rounds without a fixed number.
    @Suite("Rounds until a failure, or for a time")
    struct RepeatedRunTests {
        private struct Report: Decodable {
            struct Result: Decodable {
                let id: String
                let verdict: String
                let seed: UInt64
            }
            let results: [Result]
        }

        @Test func `Rounds end with the failing one, and its seed reproduces the failure`() async throws {
            let workspace = try workspace()
            let (outcome, replay, report) = try await onThread {
                let outcome = try lab(
                    "run", "a.yaml", "--until-fail", "--jobs", "1", "--seed", "7", "--report", "json=r.json",
                    in: workspace)
                let report = try readReport("r.json", in: workspace)
                let last = try #require(report.results.last)
                return (outcome, try lab("run", "a.yaml", "--seed", "\(last.seed)", in: workspace), report)
            }
            let count = report.results.count
            try #require(count > 1, "the seed 7 must not fail at once: \(outcome.output)")
            #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
            #expect(report.results.map(\.seed) == (0..<count).map { 7 + UInt64($0) })
            #expect(report.results.map(\.verdict) == Array(repeating: "passed", count: count - 1) + ["failed"])
            #expect(report.results.last?.id == "a.yaml~\(count)")
            #expect(outcome.output.contains("--seed \(6 + count)\n"), "\(outcome.output)")
            #expect(
                outcome.output.contains(
                    "a.yaml: \(count - 1) of \(count) rounds passed; the others with seed \(6 + count)"))
            #expect(replay.status == 1, "\(replay.output)")
            try workspace.expectNothingLeft()
        }

        @Test func `Rounds for a time continue after a failure, and started rounds finish`() async throws {
            let workspace = try workspace()
            @Sendable func run(for time: String) throws -> (outcome: LabCommand.Outcome, report: Report) {
                let outcome = try lab(
                    "run", "a.yaml", "b.yaml", "--repeat-for", time, "--report", "json=r.json", in: workspace)
                return (outcome, try readReport("r.json", in: workspace))
            }
            let (outcome, report) = try await onThread {
                var last = try run(for: "2s")
                // How many rounds fit into the time depends on the machine.
                for time in ["20s", "200s"] where last.report.results.count <= 2 { last = try run(for: time) }
                return last
            }
            #expect([0, 1].contains(outcome.status), "\(outcome.output)\(outcome.errors)")
            #expect(report.results.count > 2)
            #expect(report.results.count.isMultiple(of: 2))
            #expect(!report.results.contains { $0.verdict == "notRun" })
        }

        @Test func `Ctrl-C ends rounds without an end`() async throws {
            let workspace = try workspace()
            let (outcome, report) = try await onThread {
                let command = try LabCommand(
                    ["run", "b.yaml", "--until-fail", "--report", "json=r.json"], in: workspace)
                try command.wait(for: "b.yaml~3")
                try command.signal(SIGINT)
                return (try command.finish(), try readReport("r.json", in: workspace))
            }
            #expect(outcome.status == 130, "\(outcome.output)\(outcome.errors)")
            #expect(report.results.count >= 3)
            #expect(report.results.first?.verdict == "passed")
            try workspace.expectNothingLeft()
        }

        @Test(
            arguments: [
                ["--until-fail", "--repeat", "1"], ["--repeat", "0"], ["--repeat", "2", "--repeat-for", "1m"],
                ["--repeat-for", "soon"], ["--until-fail", "--watch"], ["--repeat-for", "1m", "--shard", "1/2"],
            ])
        func `Impossible options are refused`(options: [String]) async throws {
            let workspace = try workspace()
            let outcome = try await LabCommand.run(["run", "a.yaml"] + options, in: workspace)
            #expect(outcome.status == 2, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.errors.contains(options[0]), "\(outcome.errors)")
        }

        /// `a.yaml` fails with some seeds, `b.yaml` passes.
        private func workspace() throws -> Workspace {
            let workspace = try Workspace.ofProject()
            try workspace.write(
                """
                name: A
                values:
                  number: { generate: number, below: 3 }
                steps:
                  - check: "${number}"
                    expect: { not: [0] }
                """, to: "a.yaml")
            try workspace.write("name: B\nsteps:\n  - clock: freeze\n", to: "b.yaml")
            return workspace
        }

        private func readReport(_ path: String, in workspace: Workspace) throws -> Report {
            let data = try Data(contentsOf: URL(filePath: "\(workspace.directory)/\(path)"))
            return try JSONDecoder().decode(Report.self, from: data)
        }
    }
}
