// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabVocabulary
import TestSupport
import Testing

extension EndToEnd.Pages {
    /// Runs what the pages show, so that a newcomer's first commands work.
    @Suite("Documentation")
    struct DocumentationTests {
        @Test func `The commands of README print what it shows, and the written order fails again`() async throws {
            let workspace = try Workspace()
            let page = try DocumentationPage("README.md")
            // The first two build and install the lab, in a clone of the project.
            let steps = page.stepsAndFiles.filter { !$0.command.hasPrefix("make ") }
            #expect(steps.count == page.steps.count - 2 + 1 && steps.count >= 6, "one file is written")
            let again = DocumentationPage.Step(
                command: "lab run .lab/explored/one-token-1.yaml || echo again", output: "✗ …\nagain")
            try await ConsoleSession.check(steps + [again], in: workspace)
            try workspace.expectNothingLeft()
        }

        @Test func `The commands of docs/instance.md work in the shown order, in the project of README`() async throws {
            let workspace = try Workspace()
            let project = Array(try Self.commands(in: "README.md").prefix { $0 != "lab run" })
            let commands = try project + Self.commands(in: "docs/instance.md")
            #expect(project.count == 3 && commands.count > 12)
            try await onThread {
                var held: LabCommand?
                var folder = "."
                for command in commands {
                    if command.hasPrefix("cd ") {
                        folder = String(command.dropFirst("cd ".count))
                        continue
                    }
                    // The shell becomes the command, so that signals reach it.
                    let typed =
                        "cd \(folder) && exec '\(try LabCommand.path(of: "lab"))'\(command.dropFirst("lab".count))"
                    if command.hasSuffix(" &") {
                        held = try LabCommand(
                            ["-c", String(typed.dropLast(2))], in: workspace, executable: "/bin/bash")
                        try held?.wait(for: "Ctrl-C")
                    } else {
                        let outcome = try LabCommand(["-c", typed], in: workspace, executable: "/bin/bash").finish()
                        #expect(outcome.status == 0, "\(command)\n\(outcome.output)\(outcome.errors)")
                    }
                }
                _ = try held?.finish()
            }
            try workspace.expectNothingLeft()
        }

        @Test func `The Swift sample of README and of LabTesting's reference is compiled and run as shown`() throws {
            let sample = try Project.code(of: "Tests/EndToEndTests/Peers/ReadmeSample.swift")
            for page in ["README.md", "Sources/Lab/LabTesting/LabTesting.docc/LabTesting.md"] {
                #expect(try DocumentationPage(page).blocks("swift") == [sample], "\(page)")
            }
        }

        @Test func `The tests on the page about Swift are those of the example package, line by line`() throws {
            let tests = try [
                "BankTests/LogInTests", "BankStorageTests/BankStorageTests", "BankStorageTests/BankStorageTestCase",
            ].map { try Project.code(of: "Examples/BankApp/Tests/\($0).swift") }
            #expect(try DocumentationPage("docs/testing-from-swift.md").blocks("swift") == tests)
        }

        @Test(arguments: PlayedPage.all)
        func `The sessions of a page print what it shows, in order`(page: PlayedPage) async throws {
            let workspace = try Workspace()
            if page.needs >= .topology { try workspace.useProjectTopology() }
            if page.needs >= .catalogue { try workspace.copy("Scenarios", to: "Scenarios") }
            let steps = try DocumentationPage(page.path).steps
            #expect(steps.count >= page.steps)
            let before = page.before.map { DocumentationPage.Step(command: $0, output: "") }
            try await ConsoleSession.check(before + steps, in: workspace)
            try workspace.expectNothingLeft()
        }

        @Test func `A test runs each page that shows commands of the lab`() throws {
            // Pages with files that the reader writes, with terminals, or with two hosts have their own tests.
            let others = [
                "README.md", "docs/instance.md", "docs/editors.md", "docs/tutorial.md", "docs/troubleshooting.md",
                "docs/two-hosts.md",
                "docs/shell.md", "docs/cookbook.md", "docs/explore.md",
            ]
            let played = Set(PlayedPage.all.map(\.path) + others)
            let pages = try DocumentationPage.all
            #expect(pages.count > 20)
            for page in pages where !played.contains(page) {
                let commands = try DocumentationPage(page).steps.map(\.command).filter { $0.hasPrefix("lab") }
                #expect(commands == [], "\(page)")
            }
        }

        @Test
        func `The tutorial's mistake is missed, found in an order, repeated and fixed, as its chapters say`()
            async throws
        {
            let workspace = try Workspace()
            let page = try DocumentationPage("docs/tutorial.md")
            let steps = page.stepsAndFiles
            #expect(steps.count == page.steps.count + 2 && page.steps.count >= 9, "both files are written")
            try await ConsoleSession.check(steps, in: workspace)
            try workspace.expectNothingLeft()
        }

        @Test func `The mistake on the page about exploring is found and repeated, as its other commands print`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            try workspace.copy("Scenarios", to: "Scenarios")
            let page = try DocumentationPage("docs/explore.md")
            let steps = page.stepsAndFiles
            #expect(steps.count == page.steps.count + 1 && page.steps.count >= 4)
            try await ConsoleSession.check(steps, in: workspace)
            try workspace.expectNothingLeft()
        }

        @Test
        func
            `The recipes of the cookbook have 15 lines at most, and pass in a project of the cast that the page names`()
            async throws
        {
            let workspace = try Workspace()
            let page = try DocumentationPage("docs/cookbook.md")
            for recipe in page.blocks("yaml") {
                // The path in the first line is not part of it.
                #expect(recipe.split(separator: "\n").count <= 16, "\(recipe)")
            }
            let steps = page.stepsAndFiles
            #expect(steps.count == page.steps.count + page.blocks("yaml").count && steps.count >= 12)
            try await ConsoleSession.check(steps, in: workspace)
            try workspace.expectNothingLeft()
        }

        @Test func `The page about running lists exactly the options of lab run`() async throws {
            let workspace = try Workspace()
            let help = try await onThread { try lab("run", "--help", in: workspace).output }
            let options = Set(help.matches(of: #/--[a-z][a-z-]+/#).map { String($0.0) }).subtracting([
                "--help", "--version",
            ])
            let page = try DocumentationPage("docs/running.md").text
            let tables = page.split(separator: "\n").filter { $0.hasPrefix("| `") || $0.contains("`--keep-runs`") }
            let named = Set(tables.joined().matches(of: #/`(--[a-z][a-z-]+)/#).map { String($0.1) })
            #expect(options.subtracting(named) == ["--dry-run"], "it stands in the table of commands")
            #expect(named.subtracting(options) == ["--json", "--index"], "they belong to lab list")
        }

        @Test(
            arguments: [
                ("docs/commands.md", ["steps"]), ("docs/events.md", ["events"]),
                ("docs/errors.md", ["explain", "--all"]),
            ])
        func `The pages of commands, events and errors match the lab's output`(name: String, command: [String])
            async throws
        {
            let workspace = try Workspace()
            let printed = try await onThread { try LabCommand(command, in: workspace).finish().output }
            let path = Project.path(name)
            let page = try String(contentsOfFile: path, encoding: .utf8)
            let shown = try #require(try DocumentationPage(name).blocks("text").first)
            if ProcessInfo.processInfo.environment["RECORD"] != nil {
                // With the fence, which even an empty block has.
                try page.replacingOccurrences(of: "```text\n\(shown)```", with: "```text\n\(printed)```").write(
                    toFile: path, atomically: true, encoding: .utf8)
            }
            #expect(shown == printed, "\(name) is out of date; RECORD=1 make test writes it anew")
        }

        @Test
        func `The page about trouble quotes the lab's messages, and its command prints what it shows`() async throws {
            let workspace = try Workspace()
            let page = try DocumentationPage("docs/troubleshooting.md")
            try await ConsoleSession.check(page.steps, in: workspace)
            let sources = URL(filePath: Project.path("Sources"))
            let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
            let code = try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
                .map { try String(contentsOf: $0, encoding: .utf8) }
            let quotes = page.text.matches(of: #/\n\| (`[^|]+) \|/#).flatMap { row in
                row.1.matches(of: #/`([^`]+)`/#).flatMap { $0.1.components(separatedBy: "…") }
            }.map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(quotes.count > 20)
            for quote in quotes { #expect(code.contains { $0.contains(quote) }, "nothing says `\(quote)`") }
        }

        @Test func `A list can be a page with links, and is refused in two forms at once`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write("name: One\nsteps:\n  - main: kill\n", to: "one.yaml")
            let page = try await onThread { try lab("list", "--index", "one.yaml", in: workspace) }
            #expect(page.status == 0)
            #expect(page.output.hasPrefix("# Catalogue\n") && page.output.contains("- [One](one.yaml)\n"))
            let outcome = try await onThread { try lab("list", "--json", "--index", in: workspace) }
            #expect(outcome.status == 2)
            #expect(outcome.errors == "error: --json and --index exclude each other\n")
        }

        @Test func `The commands of the editors' page write schemas`() async throws {
            let workspace = try Workspace()
            let steps = try DocumentationPage("docs/editors.md").steps
            try await ConsoleSession.check(steps, in: workspace)
            for name in ["scenario", "steps", "lab"] {
                let schema = try Data(contentsOf: URL(filePath: "\(workspace.directory)/.lab/\(name).schema.json"))
                #expect(try JSONSerialization.jsonObject(with: schema) is [String: Any], "\(name)")
            }
        }

        @Test func `The make targets that the pages show exist; continuous integration or people run them`() throws {
            let makefile = try Project.text(of: "Makefile")
            var found: Set<String> = []
            for page in try DocumentationPage.all {
                for command in try DocumentationPage(page).steps.map(\.command) {
                    guard let target = command.wholeMatch(of: /make ([a-z-]+).*/)?.1 else { continue }
                    found.insert(String(target))
                    #expect(makefile.contains("\n\(target):"), "\(page): \(command)")
                }
            }
            #expect(found.isSuperset(of: ["test", "run", "mutants", "soak"]), "\(found)")
        }

        /// The `lab` commands of a page's console blocks without remarks, and the folders that the reader changes to.
        private static func commands(in page: String) throws -> [String] {
            try DocumentationPage(page).steps.map(\.command).filter { $0.hasPrefix("lab") || $0.hasPrefix("cd ") }
                .map { $0.components(separatedBy: "#")[0].trimmingCharacters(in: .whitespaces) }
        }
    }

    @Suite("docs/own-app.md matches its sources")
    struct OwnAppPageTests {
        @Test func `The lab reads the vocabulary of the page`() throws {
            let block = try #require(try DocumentationPage("docs/own-app.md").blocks("json").first)
            let vocabulary = try AppVocabulary(json: JSONValue.parse(block))
            #expect(vocabulary.mistakes == [] && vocabulary.commands.map(\.name) == ["transfer"])
        }

        @Test func `The page's scenario is the one that 'make examples' runs, line by line`() throws {
            let shown = try #require(try DocumentationPage("docs/own-app.md").blocks("yaml").last)
            let run = try Project.text(of: "Examples/BankApp/Scenarios/the-first-app.yaml")
            #expect(shown == run)
        }

        @Test func `The page's table has each of Apple's modules, with the product and the name that it has`() throws {
            let manifest = try Project.text(of: "Package.swift")
            let products = try #require(
                manifest.firstMatch(of: #/(?s)// Apple's modules\..*?\.library\(name: "LabApp"/#))
            let offered = products.0.matches(of: #/\.library\(name: "(\w+)", targets/#).map { String($0.1) }
            let page = try Project.text(of: "docs/own-app.md")
            let rows = page.matches(of: #/(?m)^\| `(?:import )?(\w+)`[^|]*\| `(\w+)` \| ([^|]*)\|/#)
            #expect(rows.count > 8 && rows.map { String($0.2) }.sorted() == offered.sorted())
            for row in rows {
                let alias = row.1 == row.2 ? "" : "`-module-alias \(row.1)=\(row.2)`"
                #expect(row.3.trimmingCharacters(in: .whitespaces) == alias, "\(row.0)")
            }
        }

        @Test func `The page's app is the one that 'make examples' builds, line by line`() throws {
            let shown = try #require(try DocumentationPage("docs/own-app.md").blocks("swift").first)
            let built = try Project.code(of: "Examples/BankApp/Sources/first-app/BankApp.swift")
            #expect(shown == built)
        }
    }
}
