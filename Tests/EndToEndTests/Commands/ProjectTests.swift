// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabControl
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// The first commands of a new user.
    @Suite("A new project")
    struct ProjectTests {
        @Test func `After lab init in an empty folder, lab run passes a scenario and writes a page`() async throws {
            let workspace = try Workspace()
            try await onThread {
                let made = try lab("init", in: workspace)
                #expect(made.status == 0, "\(made.errors)")
                #expect(made.output.contains("wrote  lab.yaml"), "\(made.output)")
                let outcome = try lab("run", in: workspace)
                #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
                #expect(outcome.output.contains("1 passed"), "\(outcome.output)")
                let shown = try lab("show", "--print", in: workspace)
                let page = try #require(
                    URL(string: shown.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(shown.errors)")
                let text = try ReportPageText.read(page.path)
                #expect(text.contains("A second app signs with the activation of the first"))
                #expect(text.contains("id=\"timeline-0\""))
                #expect(text.contains("validatePassword"))
            }
            try workspace.expectNothingLeft()
        }

        @Test(arguments: ["phone", "phone,widget", "phone,watch,widget", "wallet,phone,widget,watch"])
        func `A project with any topology has at least three scenarios, and all of them pass`(cast: String) async throws
        {
            let workspace = try Workspace()
            try await onThread {
                let made = try lab("init", "--cast", cast, in: workspace)
                #expect(made.status == 0, "\(made.errors)")
                #expect(made.output.contains("wrote  Scenarios/steps/activate.yaml"), "\(made.output)")
                let checked = try lab("check", "Scenarios", in: workspace)
                #expect(checked.errors.isEmpty, "\(checked.errors)")
                let formatted = try lab("format", "--check", "Scenarios", "lab.yaml", in: workspace)
                #expect(formatted.status == 0, "\(formatted.output)\(formatted.errors)")
                let outcome = try lab("run", in: workspace)
                #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
                let count = max(3, cast.split(separator: ",").count)
                #expect(outcome.output.contains("\(count) passed"), "\(outcome.output)")
            }
            try workspace.expectNothingLeft()
        }

        @Test func `lab init keeps existing files, and says where it cannot write`() async throws {
            let workspace = try Workspace()
            try FileManager.default.createDirectory(
                atPath: "\(workspace.directory)/new", withIntermediateDirectories: true)
            try workspace.write("mine", to: "new/lab.yaml")
            try await onThread {
                let outcome = try lab("init", "new", in: workspace)
                #expect(outcome.output.contains("kept   lab.yaml"), "\(outcome.output)")
                #expect(outcome.output.contains("wrote  Scenarios/first.yaml"), "\(outcome.output)")
                #expect(try String(contentsOfFile: "\(workspace.directory)/new/lab.yaml", encoding: .utf8) == "mine")
                let refused = try lab("init", "/proc/nowhere", in: workspace)
                #expect(refused.status == 2)
                #expect(refused.errors.contains("the project cannot be written"), "\(refused.errors)")
            }
        }

        @Test func `Two runs are shown on one page, and a missing run is named`() async throws {
            let workspace = try Workspace()
            try await onThread {
                _ = try lab("init", in: workspace)
                for seed in ["1", "2"] { #expect(try lab("run", "--seed", seed, in: workspace).status == 0) }
                let runs = try FileManager.default.contentsOfDirectory(atPath: "\(workspace.directory)/.lab/runs")
                    .filter { $0 != "latest" }.sorted()
                let shown = try lab("show", runs[1], "--against", runs[0], "--print", in: workspace)
                let page = try #require(
                    URL(string: shown.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(shown.errors)")
                let text = try ReportPageText.read(page.path)
                #expect(text.contains("id=\"timeline-1\""))
                let unknown = try lab("show", "20200101-000000-1", in: workspace)
                #expect(unknown.status == 2)
                #expect(unknown.errors.contains("there is no recorded run 20200101-000000-1"), "\(unknown.errors)")
                let same = try lab("show", runs[0], "--against", runs[0], in: workspace)
                #expect(same.status == 2)
            }
        }

        @Test
        func `lab doctor lists instances whose processes were all killed, and removes them on request`() async throws {
            let workspace = try Workspace()
            let dead = "\(workspace.runtimeDirectory)/dead1"
            try Files.createDirectory(dead)
            for name in ["lease", "members", "instance.json"] { try Files.touch("\(dead)/\(name)") }
            try await onThread {
                let found = try lab("doctor", in: workspace)
                #expect(found.status == 0, "\(found.output)")
                #expect(found.output.contains("! dead instances: \(dead)"), "\(found.output)")
                #expect(found.output.contains("    Remove what they left: lab doctor --clean\n"), "\(found.output)")
                let cleaned = try lab("doctor", "--clean", in: workspace)
                #expect(cleaned.output.hasPrefix("removed \(dead)\n"), "\(cleaned.output)")
            }
            try workspace.expectNothingLeft()
        }

        @Test func `lab doctor finds everything here, and says what to do about missing programs`() async throws {
            let workspace = try Workspace()
            try await onThread {
                let fine = try lab("doctor", in: workspace)
                #expect(fine.status == 0, "\(fine.output)")
                for subject in ["programs", "shared memory", "file locks", "loopback", "ptrace", "versions"] {
                    #expect(fine.output.contains("✓ \(subject): "), "\(fine.output)")
                }
                // The machine may have one or not.
                #expect(fine.output.contains(" browser: "), "\(fine.output)")
                let versions = #/versions: lab \S+, libzmq 4\.\S+, OpenSSL 3\.\S+, SQLite 3\.\S+, Linux \d/#
                #expect(fine.output.contains(versions), "\(fine.output)")
                try FileManager.default.createDirectory(
                    atPath: "\(workspace.directory)/empty", withIntermediateDirectories: true)
                let broken = try LabCommand(
                    ["doctor"], in: workspace, environment: ["LAB_BIN": "\(workspace.directory)/empty"]
                ).finish()
                #expect(broken.status == 3)
                #expect(broken.output.contains("✗ programs: not found"), "\(broken.output)")
                #expect(broken.output.contains("LAB_BIN"), "\(broken.output)")
            }
        }
    }
}
