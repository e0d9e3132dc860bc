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
