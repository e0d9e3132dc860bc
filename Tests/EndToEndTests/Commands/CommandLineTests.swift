// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Command lines of `lab` other than running scenarios.
    @Suite("The command line of lab")
    struct CommandLineTests {
        @Test(
            arguments: [
                ["rnu", "Scenarios"]: "error: there is no command `lab rnu`; did you mean `lab run`?",
                ["clock", "advnace", "5m"]:
                    "error: there is no command `lab clock advnace`; did you mean `lab clock advance`?",
                ["dance"]: "error: there is no command `lab dance`. `lab --help` lists all commands",
            ])
        func `An unknown command is refused with the nearest one`(words: [String], complaint: String) async throws {
            let workspace = try Workspace()
            let outcome = try await onThread { try LabCommand(words, in: workspace).finish() }
            #expect(outcome.status == 2)
            #expect(outcome.errors.hasPrefix(complaint), "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
        }

        @Test func `The version and the help of a command are printed`() async throws {
            let workspace = try Workspace()
            let (version, help) = try await onThread {
                (try lab("--version", in: workspace), try lab("help", "run", in: workspace))
            }
            #expect(version.status == 0)
            #expect(version.output.hasPrefix("lab "), "\(version.output)")
            #expect(help.status == 0)
            #expect(help.output.contains("--fail-fast"), "\(help.output)")
        }

        @Test(
            arguments: [
                ["--step-timeout", "none"]: "--step-timeout takes a duration such as 10s, not `none`",
                ["--scenario-timeout", "fast"]: "--scenario-timeout takes a duration such as 10s or 2m, not `fast`",
                ["--run-timeout", "0s"]: "--run-timeout takes a duration such as 10s or 2m, not `0s`",
            ])
        func `An invalid time limit is refused`(words: [String], complaint: String) async throws {
            let workspace = try Workspace()
            let outcome = try await onThread { try LabCommand(["run", "a.yaml"] + words, in: workspace).finish() }
            #expect(outcome.status == 2)
            #expect(outcome.errors == "error: \(complaint)\n")
        }

        @Test func `A run that exceeds its limit is stopped, fails, and reports what did not run`() async throws {
            let workspace = try Workspace.ofProject()
            for name in ["a", "b"] { try workspace.write(OddPathTests.endless, to: "\(name).yaml") }
            let outcome = try await onThread {
                try lab("run", ".", "--jobs", "1", "--run-timeout", "1ms", in: workspace)
            }
            #expect(outcome.status == 3, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("the run takes longer than 1ms, its limit (--run-timeout)"))
            #expect(outcome.output.contains("0 passed, "), "\(outcome.output)")
            try workspace.expectNothingLeft()
        }

        @Test func `A quiet run shows failures and the total; a plan starts nothing`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write("name: Good\nsteps:\n  - clock: freeze\n", to: "a.yaml")
            try workspace.write("name: Bad\nsteps:\n  - main: hasValidActivation\n    expect: true\n", to: "b.yaml")
            let (plan, run) = try await onThread {
                (
                    try lab("run", ".", "--dry-run", in: workspace),
                    try lab("run", ".", "--quiet", "--seed", "7", in: workspace)
                )
            }
            #expect(plan.status == 0)
            #expect(plan.output.hasPrefix("a.yaml  Good\n  1  clock: freeze\n"), "\(plan.output)")
            #expect(run.status == 1)
            #expect(!run.output.contains("Good"), "\(run.output)")
            #expect(run.output.hasPrefix("✗ Bad  b.yaml"), "\(run.output)")
            #expect(
                run.output.contains(#/\n1 passed, 1 failed in [^\n]*, seed 7, recorded in [^\n]+\n$/#), "\(run.output)")
        }
    }
}
