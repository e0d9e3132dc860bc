// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// How `make` changes the system packages of a machine, with tools that only record their calls.
    @Suite("Tools/scripts/install-packages")
    struct PackageScriptTests {
        private let workspace: Workspace

        init() throws {
            workspace = try Workspace()
            try FileManager.default.createDirectory(
                atPath: "\(workspace.directory)/bin", withIntermediateDirectories: true)
            for tool in ["sed", "id"] {
                try Files.symlink("\(workspace.directory)/bin/\(tool)", to: "/usr/bin/\(tool)")
            }
            try fake("sudo", "exec \"$@\"")
            try fake("env", "shift; exec \"$@\"")
            try fake("dpkg-query", "exit 1")
        }

        private func fake(_ tool: String, _ body: String) throws {
            let path = "\(workspace.directory)/bin/\(tool)"
            try Files.write(Data("#!/bin/bash\n\(body)\n".utf8), to: path, mode: 0o755)
        }

        /// Runs the script with only the tools of the workspace.
        private func run(_ use: String...) throws -> (outcome: LabCommand.Outcome, calls: [String]) {
            let outcome = try LabCommand(
                [Project.path("Tools/scripts/install-packages")] + use, in: workspace, executable: "/bin/bash",
                environment: ["PATH": "\(workspace.directory)/bin"]
            ).finish()
            let calls = try? String(contentsOfFile: "\(workspace.directory)/calls", encoding: .utf8)
            return (outcome, calls?.split(separator: "\n").map(String.init) ?? [])
        }

        @Test func `Only missing packages are named and installed, and required upgrades are named too`() async throws {
            try fake("pkg-config", "[ \"$2\" != libargon2 ]")
            try fake(
                "apt-get",
                """
                echo "$*" >> calls
                [[ "$*" != *--simulate* ]] || printf 'Inst libargon2-1 [1.0] (1.1 Debian)\\nInst libargon2-dev (1.1 Debian)\\n'
                """)
            let (outcome, calls) = try await onThread { try run() }
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains("missing packages: libargon2-dev\n"), "\(outcome.output)")
            #expect(outcome.output.contains("depend on newer versions: libargon2-1\n"), "\(outcome.output)")
            let install = "install -q -y --no-upgrade --no-install-recommends libargon2-dev"
            #expect(calls == ["update -q", "\(install) --simulate", install])
        }

        @Test func `If nothing is missing, nothing is installed`() async throws {
            try fake("pkg-config", "exit 0")
            try fake("apt-get", "echo \"$*\" >> calls")
            let (outcome, calls) = try await onThread { try run() }
            #expect(outcome.status == 0 && outcome.output.isEmpty && calls.isEmpty, "\(outcome.output)\(calls)")
        }

        @Test func `make install continues without the tools for manual pages and Debian packages`() async throws {
            try fake("strip", "exit 0")
            try fake("apt-get", "echo \"$*\" >> calls")
            let (outcome, calls) = try await onThread { try run("installing") }
            #expect(outcome.status == 0 && calls.isEmpty, "\(outcome.output)\(calls)")
            let makefile = try Project.text(of: "Makefile")
            let recipe = try #require(makefile.firstMatch(of: /\ninstall: build .*\n((?:\t.*\n)+)/)).1
            #expect(recipe.contains("install-packages installing") && !recipe.contains("packaging"))
        }

        @Test func `Without apt-get, missing packages are named`() async throws {
            let (outcome, _) = try await onThread { try run("installing") }
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("binutils") && outcome.errors.contains("no apt-get"), "\(outcome.errors)")
        }
    }
}
