// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// `lab run --watch` between two runs.
    @Suite("Scenarios are rerun when they are saved")
    struct RerunOnSaveTests {
        @Test func `A scenario, a file that it includes, and the lab file are watched; q ends`() async throws {
            let workspace = try workspace()
            let (status, text) = try await onThread {
                let session = try TerminalSession(["run", ".", "--watch", "--jobs", "1"], in: workspace, columns: 120)
                var runs = 0
                func waitForRun(of names: [String]) throws {
                    runs += 1
                    try waitUntil("run \(runs)", showing: { session.text }) {
                        Self.runs(in: session.text).count == runs
                    }
                    #expect(Self.runs(in: session.text).last == names)
                }
                try waitForRun(of: ["A", "B"])
                try workspace.write("name: Better A\nsteps:\n  - clock: freeze\n", to: "a.yaml")
                try waitForRun(of: ["Better A"])
                try workspace.write("steps:\n  - clock: run\n", to: "group.yaml")
                try waitForRun(of: ["B"])
                // Nothing runs while there is an error; then everything that was saved runs.
                try workspace.write("name: Worse\nsteps:\n  - clokc: freeze\n", to: "a.yaml")
                try session.wait(for: "clokc")
                try waitForRun(of: [])
                try workspace.write("steps:\n  - clock: freeze\n", to: "group.yaml")
                try waitForRun(of: [])
                try workspace.write("name: Good A\nsteps:\n  - clock: freeze\n", to: "a.yaml")
                try waitForRun(of: ["Good A", "B"])
                try workspace.write(try content(of: "lab.yaml", in: workspace) + "# saved\n", to: "lab.yaml")
                try waitForRun(of: ["Good A", "B"])
                try session.type("\n")
                try waitForRun(of: ["Good A", "B"])
                try session.type("q")
                return (try session.finish(), session.text)
            }
            #expect(status == 0, "\(text)")
            try workspace.expectNothingLeft()
        }

        @Test func `A selection from a record stays the same, whatever later runs record`() async throws {
            let workspace = try workspace()
            let (status, text) = try await onThread {
                for name in ["a", "b"] {
                    try workspace.write("name: Bad \(name)\nsteps:\n  - check: 1\n    expect: 2\n", to: "\(name).yaml")
                }
                #expect(try lab("run", ".", "--quiet", in: workspace).status == 1)
                let session = try TerminalSession(
                    ["run", "--last-failed", "--watch", "--jobs", "1"], in: workspace, columns: 120)
                for (runs, name) in ["a", "b"].enumerated() {
                    try waitUntil("run \(runs + 1)", showing: { session.text }) {
                        Self.runs(in: session.text).count == runs + 1
                    }
                    try workspace.write("name: Good \(name)\nsteps:\n  - clock: freeze\n", to: "\(name).yaml")
                }
                try waitUntil("the third run", showing: { session.text }) { Self.runs(in: session.text).count == 3 }
                #expect(Self.runs(in: session.text) == [[], ["Good a"], ["Good b"]])
                try session.type("q")
                return (try session.finish(), session.text)
            }
            #expect(status == 0, "\(text)")
            try workspace.expectNothingLeft()
        }

        @Test func `Ctrl-C ends the waiting`() async throws {
            let workspace = try workspace()
            let outcome = try await onThread {
                let session = try LabCommand(["run", "a.yaml", "--watch"], in: workspace)
                try session.wait(for: "watching for changes; Ctrl-C ends")
                try session.signal(SIGINT)
                return try session.finish()
            }
            #expect(outcome.status == 130, "\(outcome.output)\(outcome.errors)")
            try workspace.expectNothingLeft()
        }

        /// The scenario names of each finished run.
        private static func runs(in text: String) -> [[String]] {
            text.components(separatedBy: "watching for changes").dropLast().map { run in
                run.matches(of: #/✓\S* ([A-Za-z ]+)  /#).map { String($0.1) }
            }
        }

        private func content(of name: String, in workspace: Workspace) throws -> String {
            try String(contentsOfFile: "\(workspace.directory)/\(name)", encoding: .utf8)
        }

        private func workspace() throws -> Workspace {
            let workspace = try Workspace.ofProject()
            try workspace.write("name: A\nsteps:\n  - clock: freeze\n", to: "a.yaml")
            try workspace.write("name: B\nsteps:\n  - include: group.yaml\n", to: "b.yaml")
            try workspace.write("steps:\n  - clock: freeze\n", to: "group.yaml")
            return workspace
        }
    }
}
