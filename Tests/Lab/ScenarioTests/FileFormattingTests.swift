// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

@testable import LabFile
@testable import LabTools
@testable import ScenarioEngine

@Suite("lab format", .endsInTime)
struct FileFormattingTests {
    private let workspace: SuiteWorkspace

    private static let untidy = "name:  Untidy\nsteps:\n- main: kill   # at once\n"
    private static let tidy = "name: Untidy\nsteps:\n  - main: kill # at once\n"

    init() throws {
        workspace = try SuiteWorkspace(["a.yaml": Self.untidy, "b.yaml": Self.tidy, "notes.txt": "- a:   b"])
    }

    private func run(
        _ treatment: FileFormatting.Treatment = .rewrites, _ names: String...
    ) throws -> (RunOutcome, String) {
        let paths = names.isEmpty ? [workspace.directory.path] : names.map { workspace.directory.file($0) }
        return try workspace.output { _, print in
            try FileFormatting(treatment, print: print, writeErrors: print).run(paths)
        }
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: workspace.directory.file(name), encoding: .utf8)
    }

    @Test func `Only changed files are written and named; their permissions stay`() throws {
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: workspace.directory.file("a.yaml"))
        let identity = try FileIdentity(of: workspace.directory.file("b.yaml"))
        let (outcome, output) = try run()
        #expect(outcome == .passed)
        #expect(output == "a.yaml\n1 of 3 files was rewritten\n")
        #expect(try text("a.yaml") == Self.tidy)
        let attributes = try files.attributesOfItem(atPath: workspace.directory.file("a.yaml"))
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try FileIdentity(of: workspace.directory.file("b.yaml")) == identity)
        #expect(try run().1 == "0 of 3 files were rewritten\n")
    }

    @Test func `A link still leads to the file after formatting`() throws {
        try Files.symlink(workspace.directory.file("link.yaml"), to: "a.yaml")
        #expect(try run(.rewrites, "link.yaml").0 == .passed)
        #expect(try Files.readLink(workspace.directory.file("link.yaml")) == "a.yaml")
        #expect(try text("a.yaml") == Self.tidy)
    }

    @Test func `A check lists files that would change, changes nothing, and fails`() throws {
        let (outcome, output) = try run(.checks)
        #expect(outcome == .failed)
        #expect(output == "a.yaml\n1 of 3 files would be rewritten\n")
        #expect(try text("a.yaml") == Self.untidy)
        #expect(try run(.checks, "b.yaml").0 == .passed)
    }

    @Test func `A file with a syntax error is refused and unchanged, and the others are formatted`() throws {
        try workspace.write("name: [\n", to: "broken.yaml")
        let (outcome, output) = try run()
        #expect(outcome == .badInput)
        #expect(output.contains("broken.yaml:2:1: error: this is not YAML"))
        #expect(try text("broken.yaml") == "name: [\n")
        #expect(try text("a.yaml") == Self.tidy)
        #expect(try run(.checks, "nowhere.yaml").1 == "error: there is no such file or directory: nowhere.yaml\n")
    }

    @Test func `Standard input is formatted to standard output`() {
        func run(_ treatment: FileFormatting.Treatment, _ text: String) -> (RunOutcome, String) {
            workspace.output { _, print in
                FileFormatting(treatment, print: print, writeErrors: print).run(standardInput: text)
            }
        }
        #expect(run(.rewrites, Self.untidy) == (.passed, Self.tidy))
        #expect(run(.checks, Self.untidy) == (.failed, "standard input is not formatted\n"))
        #expect(run(.checks, Self.tidy) == (.passed, ""))
        #expect(run(.rewrites, "a: [").0 == .badInput)
    }

    // MARK: - The lab's own files

    @Test func `The catalogue, the example project and the files of lab init are formatted`() throws {
        let project = try TemporaryDirectory()
        _ = try ProjectTemplate(directory: project.path, buildServer: .github).write()
        let paths =
            ["lab.yaml", "Scenarios", "Scenarios/failing", "Examples/BankApp"].map { Project.path($0) }
            + [project.path, project.file(".github/workflows/lab.yml")]
        let (outcome, output) = try workspace.output { _, print in
            try FileFormatting(.checks, print: print, writeErrors: print).run(paths)
        }
        #expect(outcome == .passed, "\(output)")
        #expect(output.contains(/0 of [0-9]{3} files would be rewritten/), "\(output)")
    }

    @Test func `The page about editors shows a formatted file`() throws {
        let page = try Project.text(of: "docs/editors.md")
        let section = try #require(page.firstRange(of: "## The formatter")).upperBound
        let blocks = page[section...].matches(of: /(?s)```yaml\n(.*?)```/).map { String($0.1) }
        try #require(blocks.count == 2)
        let file = SourceFile(path: "a.yaml", text: blocks[0])
        #expect(try YAMLFormatter.format(file, reporting: DiagnosticCollector()) == blocks[1])
    }

    @Test func `Examples in the docs keep their meaning, and what is formatted stays as it is`() throws {
        var count = 0
        for name in try Files.list(Project.path("docs")) where name.hasSuffix(".md") {
            let text = try Project.text(of: "docs/\(name)")
            for block in text.matches(of: /(?s)```yaml\n(.*?)```/) {
                let collector = DiagnosticCollector()
                let file = SourceFile(path: name, text: String(block.1))
                guard let once = try YAMLFormatter.format(file, reporting: collector) else { continue }
                count += 1
                let again = try YAMLFormatter.format(SourceFile(path: name, text: once), reporting: collector)
                #expect(again == once, "\(name)")
            }
        }
        #expect(count > 20)
    }

    @Test func `A mistake names the file, which stays as it is, and what would have gone wrong`() {
        let text = FormatterDefect(path: "a.yaml", what: "a value would change").description
        #expect(text.hasPrefix("the formatter cannot keep the meaning of a.yaml, which stays as it is: a value would"))
        #expect(text.hasSuffix("please report it with the file"))
    }
}
