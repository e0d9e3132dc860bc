// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabReports
import LabSystem
import TestSupport
import Testing

/// Whether this machine has a browser that `lab screenshot` finds.
private let hasBrowser = (try? HeadlessBrowser(at: nil, environment: ProcessInfo.processInfo.environment)) != nil

extension EndToEnd.Commands {
    /// Pictures of a run.
    @Suite("lab screenshot")
    struct ScreenshotTests {
        private static let scenario = """
            name: An app dies
            steps:
              - main: hasValidActivation
                expect: false
              - main: kill
              - wallet: hasValidActivation
                expect: true

            """

        /// A workspace with a run that fails, and the environment of a command whose temporary files are in the workspace.
        private static func played() throws -> (workspace: Workspace, environment: [String: String]) {
            let workspace = try Workspace.ofProject()
            try workspace.write(scenario, to: "scenario.yaml")
            #expect(try lab("run", "scenario.yaml", in: workspace).status == 1)
            let folder = "\(workspace.directory)/t"
            try Files.createNewDirectory(folder)
            return (workspace, ["TMPDIR": folder])
        }

        /// Expects neither files nor processes of a browser.
        private static func expectNothingLeft(of environment: [String: String], in workspace: Workspace) throws {
            let folder = try #require(environment["TMPDIR"])
            #expect(try Files.list(folder) == [])
            // A killed process needs a moment; the suite's time limit ends a wait for one that stays.
            while !workspace.processes(naming: folder).isEmpty { sched_yield() }
            try workspace.expectNothingLeft()
        }

        /// Width and height in the header of a PNG file.
        private static func size(of path: String) throws -> [Int] {
            let data = try Files.read(path)
            #expect(data.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            return [16, 20].map { begin in data[begin..<begin + 4].reduce(0) { $0 << 8 | Int($1) } }
        }

        @Test(.enabled(if: hasBrowser, "neither Chromium nor Chrome is installed"))
        func `Bench, page and overview become PNG files of the width, and nothing of the browser is left`() async throws
        {
            try await onThread {
                let (workspace, environment) = try Self.played()
                func draw(_ words: String...) throws -> (file: String, size: [Int]) {
                    let outcome = try LabCommand(["screenshot"] + words, in: workspace, environment: environment)
                        .finish()
                    #expect(outcome.status == 0, "\(words): \(outcome.errors)")
                    let file = outcome.output.trimmingCharacters(in: .newlines)
                    return (file, try Self.size(of: "\(workspace.directory)/\(file)"))
                }
                let bench = try draw()
                let run = try Files.readLink("\(workspace.directory)/.lab/runs/latest")
                #expect(bench.file == "\(run).png")
                #expect(bench.size[0] == 1_400 && bench.size[1] > 150, "\(bench.size)")
                let step = try draw("latest#2", "--width", "500", "--dark")
                #expect(step.file == "\(run)-2.png" && step.size[0] == 500, "\(step)")
                #expect(step.size[1] > bench.size[1], "what is narrow is high: \(step.size)")
                let page = try draw("--show", "page", "--output", "page.png", ".lab/runs/\(run)")
                #expect(page.file == "page.png" && page.size[1] > bench.size[1] + 300, "\(page.size)")
                let overview = try draw("--show", "overview", "--output", "overview.png")
                #expect(overview.size[1] > 50 && overview.size[1] < bench.size[1], "\(overview.size)")
                try Self.expectNothingLeft(of: environment, in: workspace)
            }
        }

        @Test func `What cannot be drawn is refused with 2, and a machine without a browser ends it with 3`()
            async throws
        {
            try await onThread {
                let (workspace, environment) = try Self.played()
                func refused(_ words: [String], with status: Int32, path: String = "/usr/bin:/bin") throws -> String {
                    let outcome = try LabCommand(
                        ["screenshot"] + words, in: workspace, environment: environment.merging(["PATH": path]) { $1 }
                    ).finish()
                    #expect(outcome.status == status, "\(words): \(outcome.output)\(outcome.errors)")
                    return outcome.errors
                }
                let browser = ["--browser", "/bin/sh"]
                for (words, expected) in [
                    (["latest#9"], "no step 9 has ended"), (["latest#"], "has no step behind #"),
                    (["20000101-000000-0"], "there is no recorded run"), (["--width", "499"], "500 to 4000 pixels"),
                    (["--show", "overview", "latest#1"], "has all scenarios of the run"),
                    (["--scenario", "other.yaml"], "has recorded nothing of other.yaml"),
                ] {
                    let errors = try refused(words + browser, with: 2)
                    #expect(errors.hasPrefix("error: ") && errors.contains(expected), "\(errors)")
                }
                #expect(try refused(["--browser", "/nowhere/chrome"], with: 2).contains("cannot be run"))
                let errors = try refused([], with: 3, path: "/nowhere")
                #expect(errors.contains("a picture needs Chromium or Chrome"), "\(errors)")
                try Self.expectNothingLeft(of: environment, in: workspace)
            }
        }

        @Test func `Ctrl-C ends the browser, removes what it has written, and ends the command with 130`() async throws
        {
            try await onThread {
                let (workspace, environment) = try Self.played()
                let started = "\(workspace.directory)/started"
                // It never ends by itself.
                let script = "#!/bin/sh\n: > '\(started)'\nsleep 1000 &\nexec sleep 1000\n"
                let browser = "\(workspace.directory)/browser"
                try Files.write(Data(script.utf8), to: browser, mode: 0o755)
                let command = try LabCommand(
                    ["screenshot", "--browser", browser], in: workspace, environment: environment)
                // The suite's time limit ends a wait for a browser that never starts.
                while !Files.exists(started) { sched_yield() }
                try command.signal(SIGINT)
                #expect(try command.finish().status == 130)
                try Self.expectNothingLeft(of: environment, in: workspace)
            }
        }
    }
}
