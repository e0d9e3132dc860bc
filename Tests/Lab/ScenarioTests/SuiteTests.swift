// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabFile
import LabSystem
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Reading a suite, selecting from it, and its exit codes", .endsInTime)
struct SuiteTests {
    private static let good = "name: Good one\ntags: [fast]\nsteps:\n  - main: hasValidActivation\n"

    private func workspace(_ files: [String: String]) throws -> TemporaryDirectory {
        try SuiteWorkspace(files).directory
    }

    private func run(
        _ files: [String: String], environment: [String: String] = [:], change: (inout RunOptions) -> Void = { _ in }
    ) throws -> (RunOutcome, String) {
        try SuiteWorkspace(files).run(environment: environment, change: change)
    }

    @Test func `A directory's scenarios are read in order, without included files`() throws {
        let directory = try workspace([
            "b.yaml": Self.good, "sub/a.yaml": Self.good, "steps/group.yaml": "steps:\n  - main: kill\n",
            "notes.txt": "no scenario",
        ])
        let outcome = SuiteReader(labPath: nil, environment: [:]).read([directory.path, directory.file("b.yaml")])
        #expect(outcome.diagnostics.isEmpty)
        #expect(outcome.scenarios.map(\.id) == ["b.yaml", "sub/a.yaml"])
    }

    @Test(arguments: ["y", "y[0]", "[y", "y]"]) func `A row named beside its file is one scenario`(row: String) throws {
        let directory = try workspace([
            "a.yaml": "name: A\nrows:\n  - { id: x }\n  - { id: '\(row)' }\nsteps:\n  - main: hasValidActivation\n"
        ])
        func ids(_ paths: String...) -> [String] {
            let outcome = SuiteReader(labPath: nil, environment: [:]).read(paths.map(directory.file))
            #expect(outcome.diagnostics.isEmpty)
            #expect(outcome.scenarios.compactMap(\.row).contains(row))
            return outcome.scenarios.map(\.id)
        }
        #expect(ids("a.yaml[\(row)]") == ["a.yaml[\(row)]"])
        #expect(ids("a.yaml[\(row)]", "a.yaml").sorted() == ["a.yaml[x]", "a.yaml[\(row)]"].sorted())
    }

    @Test func `Skipped files that may have been meant to run are reported`() throws {
        let workspace = try SuiteWorkspace([
            "a.yaml": "name: A\nsteps:\n  - include: used.yaml\n", "used.yaml": "steps:\n  - main: kill\n",
            "unused.yaml": "steps:\n  - main: kill\n", "b.yml": Self.good,
        ])
        let (outcome, text) = workspace.run(environment: ["LAB_BIN": "/usr/bin"])
        #expect(outcome == .inconclusive)
        #expect(
            text.hasPrefix(
                """
                note: b.yml was passed over: the names of scenarios end in .yaml
                note: unused.yaml was not run: it has no `name`, and no scenario here includes it
                error: LAB_BIN
                """), "\(text)")
    }

    @Test(.enabled(if: geteuid() != 0, "root can read every folder")) func `An unreadable folder is reported`() throws {
        let workspace = try SuiteWorkspace(["a.yaml": Self.good, "closed/b.yaml": Self.good])
        let folder = workspace.directory.file("closed")
        chmod(folder, 0)
        defer { chmod(folder, 0o700) }
        let outcome = SuiteReader(labPath: nil, environment: [:]).read([workspace.directory.path])
        #expect(outcome.scenarios.map(\.id) == ["a.yaml"])
        #expect(outcome.notes.first?.hasPrefix("the folder \(folder) cannot be read") == true, "\(outcome.notes)")
    }

    @Test func `Hidden folders and other projects below a directory are not searched`() throws {
        let directory = try workspace([
            "a.yaml": Self.good, ".hidden/b.yaml": Self.good, "other/lab.yaml": "", "other/c.yaml": Self.good,
            "lab/d.yaml": Self.good,
        ])
        let outcome = SuiteReader(labPath: nil, environment: [:]).read([directory.path])
        #expect(outcome.scenarios.map(\.id) == ["a.yaml", "lab/d.yaml"])
        #expect(outcome.notes == [] && outcome.diagnostics.isEmpty)
        #expect(outcome.inputs.map { Files.name(of: $0) } == ["lab.yaml", "a.yaml", "d.yaml"])
    }

    @Test func `A row's name stands in brackets behind its file, and both may have brackets`() {
        let parts: [(String, String, String?)] = [
            ("a.yaml", "a.yaml", nil), ("a.yaml[x]", "a.yaml", "x"), ("a.yaml[x[1]]", "a.yaml", "x[1]"),
            ("a.yaml[]", "a.yaml", ""), ("b[1]/a.yaml", "b[1]/a.yaml", nil), ("b[1]/a.yaml[x]", "b[1]/a.yaml", "x"),
            ("b[1]", "b", "1"), ("b]", "b]", nil), ("a.yaml[x", "a.yaml[x", nil),
        ]
        for (id, file, row) in parts {
            let found = ScenarioPath.parts(of: id)
            #expect(found.file == file && found.row == row, "\(id)")
        }
    }

    @Test func `A cycle of folder links terminates`() throws {
        let directory = try workspace(["sub/a.yaml": Self.good])
        try Files.symlink(directory.file("sub/up"), to: "..")
        try Files.symlink(directory.file("sub/self"), to: ".")
        let outcome = SuiteReader(labPath: nil, environment: [:]).read([directory.path])
        #expect(outcome.scenarios.map(\.id) == ["sub/a.yaml"])
        #expect(outcome.notes.isEmpty)
    }

    @Test func `A scenario that lacks only its name is an error`() throws {
        let (outcome, text) = try run(["a.yaml": "tags: [x]\nsteps:\n  - main: kill\n"])
        #expect(outcome == .badInput)
        #expect(text.contains("a.yaml:1:1: error: a scenario needs the key `name`"), "\(text)")
    }

    @Test func `One error in one file prevents the whole run, exit code 2`() throws {
        let (outcome, text) = try run(["a.yaml": Self.good, "b.yaml": "name: B\nsteps:\n  - mian: kill\n"])
        #expect(outcome == .badInput)
        #expect(outcome.rawValue == 2)
        #expect(text.contains("nothing was run: 1 mistake"), "\(text)")
    }

    @Test(
        .verifies("size", "SuiteSearch.shownMistakes"),
        arguments: Sizes.ofBatches(50))
    func `Fifty errors are shown, and a line counts the rest`(count: Int) throws {
        let (_, text) = try run(["a.yaml": "name: A\nsteps:\n" + String(repeating: "  - mian: kill\n", count: count)])
        #expect(text.components(separatedBy: ": error: ").count - 1 == min(count, 50))
        #expect(text.contains("\nand \(count - 50) more\n") == (count > 50))
        #expect(text.hasSuffix("\nnothing was run: \(count) mistakes\n"))
    }

    @Test func `Annotations are printed where a CI system reads them`() throws {
        let (_, text) = try run(
            ["b.yaml": "name: B\nsteps:\n  - mian: kill\n"], environment: ["GITHUB_ACTIONS": "true"])
        let sentence = "there is no actor called `mian` — did you mean `main`?"
        #expect(text.contains("::error file=b.yaml,line=3,col=5::\(sentence)"))
    }

    @Test func `An empty selection is an error that lists what exists`() throws {
        for tags in [["!fsat"], ["fast", "fsat"]] {
            #expect(try run(["a.yaml": Self.good]) { $0.tags = tags }.0 == .badInput)
        }
        let (outcome, text) = try run(["a.yaml": Self.good]) { $0.tags = ["fsat"] }
        #expect(outcome == .badInput)
        #expect(text == "error: no scenario has the tag `fsat`; did you mean `fast`?\n")
        #expect(try run(["a.yaml": Self.good]) { $0.filter = "nothing" }.0 == .badInput)
        #expect(try run([:]).0 == .badInput)
    }

    @Test func `Tags and filters select by name, path, and exclusion`() throws {
        let directory = try workspace([
            "a.yaml": Self.good, "b.yaml": "name: Slow\ntags: [slow]\nsteps:\n  - main: kill\n",
        ])
        let scenarios = SuiteReader(labPath: nil, environment: [:]).read([directory.path]).scenarios
        func selected(_ filter: String?, _ tags: [String]) throws -> [String] {
            scenarios.filter(try Selection(filter: filter, tags: tags).contains).map(\.id)
        }
        #expect(try selected(nil, []) == ["a.yaml", "b.yaml"])
        #expect(try selected("good", []) == ["a.yaml"])
        #expect(try selected("B.YAML", []) == ["b.yaml"])
        #expect(try selected(nil, ["fast"]) == ["a.yaml"])
        #expect(try selected(nil, ["fast", " slow"]) == ["a.yaml", "b.yaml"], "spaces beside a comma mean nothing")
        #expect(try selected(nil, ["!fast"]) == ["b.yaml"])
        #expect(try selected(nil, ["fast", "slow"]) == ["a.yaml", "b.yaml"])
        #expect(try selected(nil, ["fast or slow"]) == ["a.yaml", "b.yaml"])
        #expect(try selected(nil, ["not slow and fast"]) == ["a.yaml"])
        #expect(try selected(nil, ["fast and slow"]) == [])
        #expect(try selected(nil, ["fast and !slow or slow and not fast"]) == ["a.yaml", "b.yaml"])
        for wrong in ["fast and", "or fast", "fast slow", "not and fast", " "] {
            #expect(throws: BadUsage.self) { try selected(nil, [wrong]) }
        }
    }

    @Test func `A lab that does not start is inconclusive, exit code 3, and leaves nothing`() throws {
        let (outcome, text) = try run(["a.yaml": Self.good], environment: ["LAB_BIN": "/usr/bin"])
        #expect(outcome == .inconclusive, "\(text)")
        #expect(outcome.rawValue == 3)
        #expect(text.contains("LAB_BIN"), "\(text)")
    }

    @Test(arguments: ["interrupted", "ended at a stop"])
    func `A run that was ended says why, and how many of its scenarios were not run`(reason: String) throws {
        let workspace = try SuiteWorkspace(["a.yaml": Self.good, "b.yaml": Self.good, "bin/lab-server": ""])
        let interruption = Interruption()
        interruption.set(because: reason)
        let programs = workspace.directory.file("bin")
        let (outcome, text) = workspace.run(environment: ["LAB_BIN": programs], interruption: interruption)
        #expect(outcome == .interrupted, "\(text)")
        #expect(text.contains("\(reason): 2 of 2 scenarios were not run\n"), "\(text)")
    }

    @Test func `Without a lab file, the error says where one was searched`() throws {
        let directory = try TemporaryDirectory()
        try Files.write(Data(Self.good.utf8), to: directory.file("a.yaml"))
        let outcome = SuiteReader(labPath: nil, environment: [:]).read([directory.file("a.yaml")])
        #expect(outcome.diagnostics.map(\.kind) == [.missingLabFile(near: directory.file("a.yaml"))])
    }

    @Test func `A path that does not exist is named as given`() throws {
        let (outcome, text) = try run(["a.yaml": Self.good]) { $0.paths = ["/nowhere/missing"] }
        #expect(outcome == .badInput)
        #expect(text == "error: there is no such file or directory: /nowhere/missing\n")
    }

    @Test(arguments: ["a.yaml", "lab.yaml"])
    func `A report never replaces what the run reads, and its directory must exist`(name: String) throws {
        var path = ""
        let (outcome, text) = try run(["a.yaml": Self.good], environment: ["LAB_BIN": "/usr/bin"]) {
            path = "\($0.paths[0])/\(name)"
            $0.reports = [RunOptions.Report(format: .junit, path: path)]
        }
        #expect(outcome == .badInput)
        #expect(text.contains("error: the report \(name) cannot be written: it would overwrite"), "\(text)")
        let (missing, complaint) = try run(["a.yaml": Self.good], environment: ["LAB_BIN": "/usr/bin"]) {
            $0.reports = [RunOptions.Report(format: .json, path: "/nowhere/at/all.json")]
        }
        #expect(missing == .badInput)
        #expect(
            complaint == "error: the report /nowhere/at/all.json cannot be written: there is no directory /nowhere/at\n"
        )
    }

    @Test func `Each row is a test of its own with a stable name`() throws {
        let directory = try workspace([
            "a.yaml": """
            name: Rows
            rows:
              - { id: low, limit: 1 }
              - { limit: 5 }
            steps:
              - server: initActivation
                with: { maxFailureCount: "${row.limit}" }
            """
        ])
        let scenarios = SuiteReader(labPath: nil, environment: [:]).read([directory.path]).scenarios
        #expect(scenarios.map(\.id) == ["a.yaml[low]", "a.yaml[2]"])
        #expect(scenarios.map(\.row) == ["low", "2"])
        #expect(try scenarios.filter(Selection(filter: "[2]", tags: []).contains).map(\.id) == ["a.yaml[2]"])
        let file = directory.file("a.yaml")
        let named = SuiteReader(labPath: nil, environment: [:]).read(["\(file)[2]", "\(file)[low]"])
        #expect(named.scenarios.map(\.id) == ["a.yaml[2]", "a.yaml[low]"])
        let unknown = SuiteReader(labPath: nil, environment: [:]).read(["\(file)[lwo]"])
        #expect(unknown.diagnostics.map(\.kind) == [.unknownName(what: "row", name: "lwo", known: ["low", "2"])])
    }

    @Test func `The project's own scenarios have no errors`() {
        let outcome = SuiteReader(labPath: nil, environment: [:]).read([Project.path("Scenarios")])
        #expect(outcome.diagnostics.isEmpty, "\(DiagnosticRenderer().render(outcome.diagnostics))")
        #expect(outcome.scenarios.count > 5)
    }
}

@Suite("Scenarios that are not selected or not started", .endsInTime)
struct UnplayedScenarioTests {
    private let scenarios: [Scenario]

    init() throws {
        let workspace = try SuiteWorkspace(["a.yaml": "name: A\ntags: [fast]\nsteps:\n  - main: kill\n"])
        scenarios = SuiteReader(labPath: nil, environment: [:]).read([workspace.directory.path]).scenarios
    }

    @Test func `A tag of an expression that no scenario has is an error, also behind 'not'`() throws {
        #expect(try TagExpression("a and not b or !c").tags == ["a", "b", "c"])
        for expression in ["fast and not fsat", "fsat or fast"] {
            #expect(
                try Selection(filter: nil, tags: [expression]).complaint(about: scenarios)
                    == "error: no scenario has the tag `fsat`; did you mean `fast`?")
        }
        #expect(try Selection(filter: nil, tags: ["fast or not fast"]).complaint(about: scenarios) == nil)
    }

    @Test func `A scenario that could not be started is inconclusive for the reason, and can be run again`() throws {
        let scenario = try #require(scenarios.first)
        let result = ScenarioResult(
            unstarted: scenario, because: "there is no room", seed: 7, labOption: nil, directory: "/d")
        #expect(result.verdict == .inconclusive && result.id == "a.yaml" && result.tags == ["fast"])
        #expect(result.seed == 7 && result.round == 1 && result.directory == "/d" && result.commands == 0)
        #expect(result.failures.map(\.reason) == ["there is no room"])
        #expect(result.failures.map(\.verdict) == [.inconclusive])
        #expect(result.failures.map(\.replay) == [result.replay] && result.replay.contains("--seed 7"))
    }
}
