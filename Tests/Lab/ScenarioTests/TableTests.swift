// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabFile
import TestSupport
import Testing

@testable import ScenarioLanguage

@Suite("A scenario has a row for each line of a table", .endsInTime)
struct TableTests {
    @Test func `Rows come from a CSV file: plain texts, read by the declared type where they are used`() throws {
        let scenario = """
            name: Table
            rows: passwords.csv
            steps:
              - main: validatePassword
                with: { password: "${row.password}" }
            """
        let outcome = try ScenarioFolder(
            scenario,
            beside: ["passwords.csv": "id,password,remark\r\nzero,0123,\"a, \"\"b\"\"\"\r\n\r\nreference,${x},\r\n"]
        ).read()
        #expect(outcome.diagnostics.isEmpty, "\(DiagnosticRenderer().render(outcome.diagnostics))")
        #expect(outcome.scenarios.compactMap(\.row) == ["zero", "reference"])
        #expect(outcome.scenarios.first?.secretTexts == ["0123"])
        let list = try ScenarioFolder(
            scenario.replacing("passwords.csv", with: "rows.yaml"),
            beside: ["rows.yaml": "- { id: a, password: \"1\" }\n- { password: \"2\" }\n"]
        ).read()
        #expect(list.scenarios.compactMap(\.row) == ["a", "2"])
        let elsewhere = try ScenarioFolder(scenario.replacing("passwords.csv", with: "/etc/passwd.csv")).read()
        #expect(elsewhere.diagnostics.map(\.kind.identifier) == ["misfit"])
    }

    @Test func `A row may name the command of a step, which is checked as that command`() throws {
        func read(_ command: String) throws -> SuiteReader.Outcome {
            try ScenarioFolder(
                """
                name: Commands
                values: { known: hasValidActivation }
                rows:
                  - { command: hasValidActivation, expected: false }
                  - { command: "\(command)", expected: false }
                steps:
                  - main: "${row.command}"
                    expect: "${row.expected}"
                  - main: ${known}
                  - server: initActivation
                    as: code
                """
            ).read()
        }
        let good = try read("canStartActivation")
        let complaints = DiagnosticRenderer().render(good.diagnostics)
        #expect(good.diagnostics.allSatisfy { $0.severity == .warning }, "\(complaints)")
        let commands = good.scenarios.compactMap { scenario -> String? in
            guard case .command(let command)? = scenario.steps.first?.action else { return nil }
            return command.command.name
        }
        #expect(commands == ["hasValidActivation", "canStartActivation"])
        #expect(try read("noSuchCommand").diagnostics.map(\.kind.identifier).contains("unknownCommand"))
        // Every command is checked before anything starts.
        let late = try ScenarioFolder(
            "name: Late\nsteps:\n  - server: initActivation\n    as: code\n  - main: \"${code.activationCode}\"\n"
        ).read()
        #expect(late.diagnostics.map(\.kind.identifier) == ["misfit"])
    }

    /// A scenario with a table in a file of its own, whose rows have the whole `with` of a step.
    private static func read(rows: String, with: String = "${row.with}") throws -> SuiteReader.Outcome {
        try ScenarioFolder(
            """
            name: Arguments
            rows: rows.yaml
            steps:
              - server: initActivation
                as: code
              - main: "${row.command}"
                with: "\(with)"
              - check: "${code.activationCode}"
                expect: { any: true }
            """, beside: ["rows.yaml": rows]
        ).read()
    }

    @Test func `A row may have the whole with of a step, which is read as that of its command`() throws {
        let outcome = try Self.read(
            rows: """
                - { command: validatePassword, with: { password: "1234" } }
                - { command: createActivation, with: { activationCode: "${code.activationCode}" } }
                - { command: hasValidActivation, with: null }

                """)
        #expect(outcome.diagnostics.isEmpty, "\(DiagnosticRenderer().render(outcome.diagnostics))")
        let commands = outcome.scenarios.compactMap { $0.steps.dropFirst().first?.command }
        #expect(commands.map(\.arguments.count) == [1, 1, 0])
        #expect(commands.first?.arguments.first?.field.name == "password")
        #expect(outcome.scenarios.first?.secretTexts == ["1234"])
    }

    @Test(
        arguments: [
            ("{ command: validatePassword, with: { pasword: x } }", "unknownParameter", "rows.yaml"),
            ("{ command: validatePassword, with: {} }", "missingParameter", "rows.yaml"),
            ("{ command: validatePassword, with: [x] }", "wrongShape", "rows.yaml"),
            ("{ command: validatePassword, with: \"${code}\" }", "misfit", "rows.yaml"),
            ("{ command: validatePassword }", "unknownResultField", "scenario.yaml"),
        ])
    func `A mistake in the with of a row is shown in the table`(row: String, kind: String, file: String) throws {
        let outcome = try Self.read(rows: "- { command: hasValidActivation, with: {} }\n- \(row)\n")
        let mistakes = outcome.diagnostics.filter { $0.severity == .error }
        let complaints = DiagnosticRenderer().render(mistakes)
        #expect(mistakes.map(\.kind.identifier) == [kind], "\(complaints)")
        let mistake = try #require(mistakes.first)
        #expect(mistake.place.file.path.hasSuffix("/\(file)"), "\(complaints)")
        if file == "rows.yaml" { #expect(mistake.place.range.start.line == 2, "\(complaints)") }
    }

    @Test(arguments: ["${code}", "{ ${row.with} }", "${row.with} and more", "${row"])
    func `The with of a step is a mapping that is known before the run`(with: String) throws {
        let outcome = try Self.read(rows: "- { command: hasValidActivation, with: {} }\n", with: with)
        let mistakes = outcome.diagnostics.filter { $0.severity == .error }
        #expect(mistakes.map(\.kind.identifier) == ["misfit"], "\(DiagnosticRenderer().render(mistakes))")
    }

    @Test func `A row may have the whole with of an included file`() throws {
        func read(_ with: String) throws -> SuiteReader.Outcome {
            try ScenarioFolder(
                """
                name: Include
                rows: [{ with: \(with) }]
                steps:
                  - include: wait.yaml
                    with: "${row.with}"
                """,
                beside: [
                    "wait.yaml":
                        "parameters: { by: { type: duration } }\nsteps:\n  - clock: advance\n    with: { by: \"${by}\" }\n"
                ]
            ).read()
        }
        let good = try read("{ by: 5s }").diagnostics
        #expect(good.isEmpty, "\(DiagnosticRenderer().render(good))")
        for (with, kind) in [
            ("{ by: soon }", "wrongType"), ("{}", "missingParameter"), ("{ by: 5s, to: 5s }", "unknownParameter"),
            ("5s", "wrongShape"),
        ] {
            #expect(try read(with).diagnostics.map(\.kind.identifier) == [kind], "\(with)")
        }
    }

    @Test(
        arguments: [
            ("a,b\n1", 2, "1 values"), ("a\n\"1", 2, "never closed"), ("a\nx\"y\n", 2, "stands inside"),
            ("a\n\"x\"y\n", 2, "follows a closing quote"), ("", 1, "the file is empty"), ("a,b\n", 1, "no row follows"),
            ("a,b\n\"x,1\n\"y\",2\n", 2, "closed only in line 3"), ("a;b\n1;2\n", 1, "`;` stands between the names"),
            ("a\tb\n1\t2\n", 1, "a tab stands between the names"), ("a,,b\n1,2,3\n", 1, "column 2 is missing"),
            ("a,a\n1,2\n", 1, "`a` is the name of two columns"),
        ])
    func `The error for a malformed table names the line`(text: String, line: Int, words: String) throws {
        let outcome = try ScenarioFolder(
            "name: T\nrows: t.csv\nsteps:\n  - check: 1\n    expect: 1\n", beside: ["t.csv": text]
        ).read()
        let diagnostic = try #require(outcome.diagnostics.first)
        #expect(diagnostic.place.range.start.line == line)
        #expect(diagnostic.kind.sentence.contains(words), "\(diagnostic.kind.sentence)")
    }

    @Test func `A byte order mark at the start of a file is not part of a name`() throws {
        let scenario = "name: T\nrows: t.csv\nsteps:\n  - check: \"${row.id}\"\n    expect: a\n"
        let outcome = try ScenarioFolder(scenario, beside: ["t.csv": "\u{FEFF}id\na\n"]).read()
        #expect(outcome.scenarios.compactMap(\.row) == ["a"])
    }

    @Test func `A value out of range is reported at its place in the row`() throws {
        let scenario = """
            name: T
            rows: t.csv
            steps:
              - server: createPayment
                with: { amount: "${row.amount}" }
            """
        let outcome = try ScenarioFolder(scenario, beside: ["t.csv": "amount\n1\nmuch\n"]).read()
        let diagnostic = try #require(outcome.diagnostics.first)
        #expect(outcome.diagnostics.count == 1)
        #expect(diagnostic.place.file.path.hasSuffix("t.csv") && diagnostic.place.range.start.line == 3)
        #expect(diagnostic.related?.place.range.start.line == 5)
    }
}
