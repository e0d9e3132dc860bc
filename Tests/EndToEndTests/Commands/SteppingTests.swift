// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Stepping through a scenario.
    @Suite("A run stops at the requested place")
    struct SteppingTests {
        private static let scenario = """
            name: Three steps
            steps:
              - main: hasValidActivation
                expect: false
              - include: more.yaml
              - eventually: 1s
                steps:
                  - main: canStartActivation
                    expect: true
              - main: hasPendingActivation
                expect: false
            tearDown:
              - main: kill

            """

        @Test
        func `Each step waits for Enter, typed steps are tried, and lab time stands still meanwhile`() async throws {
            let workspace = try workspace()
            let (status, text) = try await onThread {
                let run = try TerminalSession(["run", "a.yaml", "--step"], in: workspace, columns: 120)
                try run.wait(for: "paused before step 1 at a.yaml:3:5\r\n  main checks whether")
                let id = try #require(run.text.firstMatch(of: #/--instance (\w+)/#)?.1)
                let layout = InstanceLayout(root: "\(workspace.runtimeDirectory)/\(id)")
                let clock = try LabClock.open(layout.clockPath)
                #expect(clock.isFrozen)
                try run.type("main canStartActivation\n")
                try run.wait(for: "\r\ntrue")
                try run.type("main canStartActivations\n")
                try run.wait(for: "did you mean `canStartActivation`?")
                #expect(!run.text.contains("paused before step 2 "))
                try run.type("\n")
                try run.wait(for: "paused before step 2 at a.yaml:5:5")
                try run.type("\n")
                try run.wait(for: "paused before step 2.1 at more.yaml:")
                #expect(clock.isFrozen)
                try run.type("\n")
                // A retried step is not held each time.
                try run.wait(for: "paused before step 3 at a.yaml:6:5")
                try run.type("\n")
                try run.wait(for: "paused before step 4 at a.yaml:10:5")
                try run.type("c\n")
                return (try run.finish(), run.text)
            }
            #expect(status == 0, "\(text)")
            #expect(text.contains("1 passed in "), "\(text)")
            #expect(!text.contains("paused before step 3.1"), "\(text)")
            #expect(!text.contains("step 1 at a.yaml:12"), "a tear-down runs through after `c`: \(text)")
            let changes = try clockChanges(in: workspace)
            #expect(changes.prefix(4) == [true, false, true, false], "\(changes)")
            try workspace.expectNothingLeft()
        }

        @Test func `A run stops on a line and after an event, and 'q' ends it after its tear-down`() async throws {
            let workspace = try workspace()
            let (line, event) = try await onThread {
                let line = try TerminalSession(
                    ["run", "a.yaml", "--pause-at", "a.yaml:10"], in: workspace, columns: 120)
                try line.wait(for: "paused before step 4 at a.yaml:10:5")
                try line.type("q\n")
                let first = (try line.finish(), line.text)
                let event = try TerminalSession(
                    ["run", "a.yaml", "--pause-at", "process.ended"], in: workspace, columns: 120)
                try event.wait(for: "1 passed in ")
                let second = (try event.finish(), event.text)
                return (first, second)
            }
            #expect(line.0 == 130, "\(line.1)")
            #expect(line.1.components(separatedBy: "paused").count == 2, "\(line.1)")
            #expect(line.1.contains("ended at a stop"), "\(line.1)")
            #expect(event.0 == 0 && !event.1.contains("paused"), "nothing ended before the last step: \(event.1)")
            try workspace.expectNothingLeft()
        }

        @Test func `The stop after an event comes before the next step, and names the event's process`() async throws {
            let workspace = try workspace()
            try workspace.write(
                "name: Two deaths\nsteps:\n  - main: kill\n  - main: launch\n  - main: kill\n", to: "b.yaml")
            let (status, text) = try await onThread {
                let run = try TerminalSession(
                    ["run", "b.yaml", "--pause-at", "process.ended"], in: workspace, columns: 120)
                try run.wait(for: "paused after process.ended of phone, before step 2 at b.yaml:4:5")
                try run.type("c\n")
                return (try run.finish(), run.text)
            }
            #expect(status == 0, "\(text)")
            #expect(text.components(separatedBy: "paused").count == 2, "one event, one stop: \(text)")
        }

        @Test func `The page about running shows what a stop prints`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.copy("Scenarios", to: "Scenarios")
            let page = try Project.text(of: "docs/running.md")
            let pattern = #/```text\n\$ lab (run [^\n]*--step)\n(.+?)```/#.dotMatchesNewlines()
            let block = try #require(page.firstMatch(of: pattern))
            let (words, shown) = (block.1.split(separator: " ").map(String.init), block.2)
            let text = try await onThread {
                let run = try TerminalSession(words, in: workspace, columns: 200)
                try run.wait(for: "From another terminal")
                try run.wait(for: "hasValidActivation\r\n  From")
                try run.type("q\n")
                #expect(try run.finish() == 130)
                return run.text.replacing("\r\n", with: "\n")
            }
            var rest = text[...]
            for piece in shown.split(separator: "…").flatMap({ $0.split(separator: "\n") }) {
                let place = try #require(rest.range(of: piece), "`\(piece)` is not in \(rest)")
                rest = rest[place.upperBound...]
            }
        }

        @Test(
            arguments: [
                ["--pause-at", "9"]:
                    "no step at which a run can stop begins on line 9; the nearest one begins on line",
                ["--pause-at", "b.yaml:3"]: "no step at which a run can stop begins on line b.yaml:3.",
                ["--pause-at", "process.end"]: "did you mean `process.ended`?",
                ["--pause-at", "0"]: "--pause-at takes a line such as 12",
                ["--step", "--jobs", "2"]: "--step stops one scenario after the other, so it excludes --jobs 2",
                ["--step", "--watch"]: "--watch does not wait for a person, so it excludes --step",
            ])
        func `A place where nothing can stop is refused before anything starts`(words: [String], complaint: String)
            async throws
        {
            let workspace = try workspace()
            let (status, text) = try await onThread {
                let run = try TerminalSession(["run", "a.yaml"] + words, in: workspace, columns: 300)
                return (try run.finish(), run.text)
            }
            #expect(status == 2, "\(text)")
            #expect(text.contains(complaint), "\(text)")
            let piped = try await onThread { try lab("run", "a.yaml", "--step", in: workspace) }
            #expect(piped.status == 2)
            #expect(piped.errors.contains("--step needs a terminal as standard input"), "\(piped.errors)")
        }

        private func workspace() throws -> Workspace {
            let workspace = try Workspace.ofProject()
            try workspace.write(Self.scenario, to: "a.yaml")
            try workspace.write("steps:\n  - main: hasPendingActivation\n    expect: false\n", to: "more.yaml")
            return workspace
        }

        /// Whether the lab's clock stood still after each of its changes.
        private func clockChanges(in workspace: Workspace) throws -> [Bool] {
            let runs = "\(workspace.directory)/.lab/runs"
            let run = try #require(try Files.list(runs).first { $0 != "latest" })
            let scenario = try #require(try Files.list("\(runs)/\(run)").first { $0.hasPrefix("a") })
            return try TraceReader.readAll("\(runs)/\(run)/\(scenario)/traces")
                .filter { $0.name == .clockChanged }
                .compactMap { $0.fields["frozen"]?.boolValue }
        }
    }
}
