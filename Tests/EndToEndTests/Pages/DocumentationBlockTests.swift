// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Pages {
    /// The lab reads the YAML on the pages, so that a reader can copy it.
    @Suite("YAML of the documentation", .endsInTime)
    struct DocumentationBlockTests {
        /// Files that a page quotes literally and another program reads: not a scenario, or for another lab file.
        private static let quoted = [
            "docs/mutants.md": "Tools/Mutants/DeviceAgent.yaml",
            "docs/own-app.md": "Examples/BankApp/Scenarios/the-first-app.yaml",
        ]

        private static let pages = ((try? DocumentationPage.all) ?? [])
            .filter { (try? DocumentationPage($0).blocks("yaml").isEmpty) == false }

        @Test func `The pages with YAML are found`() {
            #expect(Self.pages.count >= 12 && Self.pages.contains("docs/scenarios.md"), "\(Self.pages)")
        }

        @Test(arguments: pages) func `The lab reads each block of a page without an error`(page: String) async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            try Self.makeProgram(in: workspace)
            let quoted = try Self.quoted[page].map { try Project.text(of: $0) }
            let blocks = try DocumentationPage(page).blocks("yaml").map(DocumentationBlock.init)
                .filter { quoted?.contains($0.text) != true }
            for case (let block, let path?) in blocks.map({ ($0, $0.path) }) {
                try Files.createDirectory(Files.directory(of: "\(workspace.directory)/\(path)"))
                try workspace.write(block.text, to: path)
            }
            for (number, block) in blocks.enumerated() where block.path == nil {
                for file in block.files {
                    let outcome = try await onThread {
                        switch file {
                        case .scenario(let text):
                            return try LabCommand(
                                ["check", try workspace.write(text, to: "\(number).yaml")], in: workspace,
                                environment: ["LAB_API_KEY": "known"]
                            ).finish()
                        case .lab(let text):
                            try workspace.write("name: Shown\nsteps:\n  - clock: freeze\n", to: "any.yaml")
                            return try lab(
                                "check", "any.yaml", "--lab", try workspace.write(text, to: "\(number).yaml"),
                                in: workspace)
                        }
                    }
                    #expect(outcome.status == 0, "\(block.text)\n\(outcome.output)\(outcome.errors)")
                }
            }
        }

        /// The program of the page about own apps, reduced to printing the vocabulary on that page.
        private static func makeProgram(in workspace: Workspace) throws {
            let vocabulary = try #require(try DocumentationPage("docs/own-app.md").blocks("json").first)
            let path = ".build/debug/bank-app"
            try Files.createDirectory(Files.directory(of: "\(workspace.directory)/\(path)"))
            try workspace.write("#!/bin/sh\ncat <<'END'\n\(vocabulary)END\n", to: path)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: "\(workspace.directory)/\(path)")
        }
    }
}
