// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// A scenario from standard input.
    @Suite("lab run -")
    struct StandardInputTests {
        private static let scenario = "name: Piped\nsteps:\n  - main: hasValidActivation\n    expect: false\n"

        /// Runs a command with a text as standard input.
        private func run(_ arguments: String, reading text: String, in workspace: Workspace) throws
            -> LabCommand.Outcome
        {
            try workspace.write(text, to: "input")
            let program = try LabCommand.path(of: "lab")
            return try LabCommand(
                ["-c", "\(program) \(arguments) < input"], in: workspace, executable: "/bin/bash"
            ).finish()
        }

        @Test
        func `It runs beside the files of the command line, and its report goes to standard output`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write("name: File\nsteps:\n  - clock: freeze\n", to: "file.yaml")
            try await onThread {
                let outcome = try run("run - file.yaml --seed 7", reading: Self.scenario, in: workspace)
                #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
                #expect(outcome.output.contains("✓ Piped  -  ") && outcome.output.contains("2 passed"))
                let report = try run("run - --report json=-", reading: Self.scenario, in: workspace)
                #expect(report.status == 0, "\(report.errors)")
                #expect(report.output.contains(#""id": "-""#), "\(report.output)")
            }
            try workspace.expectNothingLeft()
        }

        @Test
        func `An error in it has its line, and impossible sources of standard input are refused at once`() async throws
        {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let wrong = Self.scenario.replacing("main:", with: "mian:")
                let checked = try run("check -", reading: wrong, in: workspace)
                #expect(checked.status == 2)
                #expect(checked.errors.contains("-:3:5: "), "\(checked.errors)")
                let watched = try run("run - --watch", reading: Self.scenario, in: workspace)
                #expect(watched.status == 2 && watched.errors.contains("--watch"), "\(watched.errors)")
            }
        }
    }
}
