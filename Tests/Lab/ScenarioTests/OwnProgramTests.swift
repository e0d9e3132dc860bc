// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import LabSystem
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioLanguage

/// Programs are shell scripts here: any program that prints the vocabulary is a custom app.
@Suite("A custom app's program is queried before the check", .endsInTime)
struct OwnProgramTests {
    private static let vocabulary = """
        {"version": 1, "kind": "app", "sdk": "full", "builtIn": true, "errors": ["noMoney"],
         "commands": [{"name": "transfer", "summary": "Sends money.",
           "parameters": [{"name": "amount", "type": "integer", "atLeast": 1, "meaning": "Amount."},
                          {"name": "pin", "type": "secret", "required": false}],
           "result": {"type": "object", "members": [{"name": "number", "type": "text"}]}}]}
        """

    private static func printing(_ text: String) -> String { "cat <<'END'\n\(text)\nEND\n" }

    private static func labFile(_ app: String = "executable: bank-app") -> String {
        """
        topologies:
          default:
            devices:
              phone:
                kind: phone
                apps:
                  bank: { bundleIdentifier: com.example.bank, \(app) }
                  other: { bundleIdentifier: com.example.other }
        """
    }

    /// Reads a scenario beside a lab file and a program; `script` is the program, nil for none.
    private func read(
        _ steps: String, script: String?, labFile: String = labFile(), mode: UInt32 = 0o755
    ) throws -> (SuiteReader.Outcome, text: String) {
        let directory = try TemporaryDirectory()
        try Files.write(Data(labFile.utf8), to: directory.file("lab.yaml"))
        try Files.write(Data("name: Sample\nsteps:\n\(steps)\n".utf8), to: directory.file("scenario.yaml"))
        if let script { try Files.write(Data("#!/bin/sh\n\(script)".utf8), to: directory.file("bank-app"), mode: mode) }
        let outcome = SuiteReader(labPath: directory.file("lab.yaml"), environment: [:])
            .read([directory.file("scenario.yaml")])
        let text = DiagnosticRenderer(secrets: outcome.secrets).render(outcome.diagnostics)
            .replacing("\(directory.path)/", with: "")
        return (outcome, text)
    }

    @Test func `Its commands, parameters, results and errors are checked like the lab's own`() throws {
        let (outcome, text) = try read(
            """
              - bank: transfer
                with: { amount: 100, pin: "1234" }
                expect: { number: { type: text } }
              - bank: transfer
                with: { amount: 100 }
                fails: noMoney
              - bank: hasValidActivation
                expect: false
            """, script: Self.printing(Self.vocabulary))
        #expect(text.isEmpty, "\(text)")
        #expect(outcome.scenarios.count == 1)
    }

    @Test(
        arguments: [
            (
                "  - bank: transfr\n    with: { amount: 1 }", "`bank` has no command `transfr`",
                "did you mean `transfer`?"
            ),
            ("  - bank: transfer\n    with: { amout: 1 }", "`transfer` has no parameter `amout`", "`amount`"),
            ("  - bank: transfer", "`transfer` needs the parameter `amount`: Amount", ""),
            ("  - bank: transfer\n    with: { amount: 0 }", "`amount` is 0, but must be 1 or more", ""),
            (
                "  - bank: transfer\n    with: { amount: 1 }\n    expect: { nummer: x }", "has no field `nummer`",
                "`number`"
            ),
            (
                "  - bank: transfer\n    with: { amount: 1 }\n    fails: noMony", "there is no error called `noMony`",
                "`noMoney`"
            ),
            (
                "  - other: transfer\n    with: { amount: 1 }",
                "`transfer` is a command of `bank`, but `other` is another app", "write `bank: transfer`"
            ),
        ])
    func `A typo in one of them is found, with the intended word`(_ steps: String, _ sentence: String, _ advice: String)
        throws
    {
        let (_, text) = try read(steps, script: Self.printing(Self.vocabulary))
        #expect(text.contains(sentence) && (advice.isEmpty || text.contains(advice)), "\(text)")
        #expect(text.contains("scenario.yaml:"), "\(text)")
    }

    @Test func `A secret of a custom command is masked wherever its value is shown`() throws {
        let (_, text) = try read(
            "  - bank: transfer\n    with: { amount: 1, pinn: hunter22 }", script: Self.printing(Self.vocabulary))
        #expect(text.contains("`pinn`") && !text.contains("hunter22"), "\(text)")
    }

    @Test(
        arguments: [
            (nil, "does not exist", "swift build"),
            ("exit 3", "exited with code 3 when asked for its vocabulary", "--vocabulary"),
            ("echo no license >&2; exit 1", "its last line was: no license", ""),
            ("kill -SEGV $$", "ended by SIGSEGV", ""),
            ("echo hello", "prints no vocabulary but `hello`", "docs/own-app.md"),
            ("true", "prints no vocabulary but nothing", ""),
            (#"echo '{"version": 7}'"#, "speaks version 7 of the lab's protocol, and this lab speaks 1", "build it"),
            (#"echo '{"version": 1}'"#, "prints a vocabulary that cannot be read: `kind` must be", ""),
            (
                #"echo '{"version": 1, "kind": "watchApp", "sdk": "watch"}'"#,
                "plays `kind: watchApp`, but `bank` is `kind: app`", "write `kind: watchApp`"
            ),
            (
                #"echo '{"version": 1, "kind": "app", "sdk": "extensions"}'"#,
                "embeds `sdk: extensions`, but `bank` has `sdk: full`", ""
            ),
            (
                #"echo '{"version": 1, "kind": "app", "sdk": "full", "commands": [{"name": "persistActivation", "summary": "x"}]}'"#,
                "`persistActivation` is a command of the lab", "correct its declaration"
            ),
        ] as [(String?, String, String)])
    func `An unusable program is reported at its place, with what to do`(
        _ script: String?, _ reason: String, _ advice: String
    ) throws {
        let (outcome, text) = try read("  - bank: hasValidActivation", script: script)
        #expect(text.contains(reason) && (advice.isEmpty || text.contains(advice)), "\(text)")
        #expect(text.contains("lab.yaml:7:"), "the line of `executable` is shown: \(text)")
        #expect(outcome.scenarios.isEmpty)
    }

    @Test func `A file that is not executable and a folder are reported`() throws {
        let (_, text) = try read("  - bank: launch", script: "true", mode: 0o644)
        #expect(text.contains("cannot be run"), "\(text)")
        let (_, folder) = try read("  - bank: launch", script: nil, labFile: Self.labFile("executable: ."))
        #expect(folder.contains("cannot be run"), "\(folder)")
    }

    @Test func `A program that does not end is killed at its time limit`() throws {
        let directory = try TemporaryDirectory()
        try Files.write(Data("#!/bin/sh\nexec sleep 1000".utf8), to: directory.file("app"), mode: 0o755)
        let refusal = #expect(throws: ProgramQuestion.Refusal.self) {
            try ProgramQuestion.vocabulary(of: directory.file("app"), within: .milliseconds(50))
        }
        #expect(refusal?.reason == "has not ended within 50ms of being asked for its vocabulary", "\(refusal as Any)")
    }

    @Test(.verifies("size", "ProgramQuestion.limit")) func `A program that prints without end is killed`() throws {
        let directory = try TemporaryDirectory()
        try Files.write(Data("#!/bin/sh\nexec yes vocabulary".utf8), to: directory.file("app"), mode: 0o755)
        let refusal = #expect(throws: ProgramQuestion.Refusal.self) {
            try ProgramQuestion.vocabulary(of: directory.file("app"))
        }
        #expect(refusal?.reason == "prints more than 4 MiB when asked for its vocabulary")
    }

    @Test func `A child process that keeps the program's output open does not delay the query`() throws {
        let directory = try TemporaryDirectory()
        let script = "#!/bin/sh\nsleep 1000 &\n" + Self.printing(Self.vocabulary)
        try Files.write(Data(script.utf8), to: directory.file("app"), mode: 0o755)
        let vocabulary = try ProgramQuestion.vocabulary(of: directory.file("app"))
        #expect(vocabulary.commands.map(\.name) == ["transfer"])
    }

    @Test func `A program is queried once, and again after a rebuild`() throws {
        let directory = try TemporaryDirectory()
        let program = directory.file("app")
        let script = "#!/bin/sh\necho asked >> \(directory.file("questions"))\n"
        func questions() throws -> Int {
            try Files.read(directory.file("questions")).count { $0 == UInt8(ascii: "\n") }
        }
        try Files.write(Data((script + Self.printing(Self.vocabulary)).utf8), to: program, mode: 0o755)
        for _ in 1...3 { _ = try ProgramQuestion.vocabulary(of: program) }
        #expect(try questions() == 1)
        try Files.remove(program)
        let renamed = Self.vocabulary.replacing("transfer", with: "send")
        try Files.write(Data((script + Self.printing(renamed)).utf8), to: program, mode: 0o755)
        #expect(try ProgramQuestion.vocabulary(of: program).commands.map(\.name) == ["send"])
        #expect(try questions() == 2)
    }

    @Test func `'settings' without a program are refused`() throws {
        let (_, text) = try read("  - bank: launch", script: nil, labFile: Self.labFile("settings: { speed: fast }"))
        #expect(text.contains("`settings` does not fit: they are passed to an `executable`"), "\(text)")
    }

    @Test func `A topology that no scenario uses does not need its programs`() throws {
        let labFile = """
            topologies:
              own:
                devices: { phone: { kind: phone, apps: { bank: { bundleIdentifier: a.b, executable: bank-app } } } }
              default:
                devices: { phone: { kind: phone, apps: { bank: { bundleIdentifier: a.b } } } }
            """
        let (outcome, text) = try read("  - bank: hasValidActivation", script: nil, labFile: labFile)
        #expect(text.isEmpty && outcome.scenarios.count == 1, "\(text)")
    }

    @Test func `Steps, JSON and schema include the commands of the project's custom apps`() throws {
        let directory = try TemporaryDirectory()
        try Files.write(Data(Self.labFile().utf8), to: directory.file("lab.yaml"))
        try Files.write(
            Data("#!/bin/sh\n\(Self.printing(Self.vocabulary))".utf8), to: directory.file("bank-app"), mode: 0o755)
        let own = OwnPrograms.near(directory.path)
        #expect(own.complaint == nil && own.programs.map(\.apps) == [["bank"]])
        #expect(
            VocabularyReference.text(with: own).contains(
                "Commands of `bank`, played by bank-app, beside those of an app\n\n  transfer  Sends money."))
        let json = try VocabularyReference.json(with: own)["programs"]?[0]
        #expect(json?["name"] == "bank-app" && json?["vocabulary"]?["errors"] == ["noMoney"])
        #expect(try VocabularyReference.text(of: "transfer", with: own).hasPrefix("A command of `bank`, played by"))

        let schema = DraftSeven(ScenarioSchema.json(of: .scenario, with: own))
        func complaints(_ step: JSONValue) throws -> [String] {
            try schema.complaints(about: ["name": "Sample", "steps": [step]])
        }
        #expect(try complaints(["bank": "transfer", "with": ["amount": 1], "expect": ["number": "x"]]) == [])
        #expect(try complaints(["bank": "transfer", "with": ["amount": 1], "fails": "noMoney"]) == [])
        #expect(try complaints(["bank": "transfer", "with": ["amout": 1]]) != [])
        #expect(try complaints(["bank": "transfr"]) != [])
    }
}
