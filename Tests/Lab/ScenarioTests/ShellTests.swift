// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabFile
import LabSystem
import LabVocabulary
import ScenarioEngine
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioLanguage

@Suite("lab shell", .endsInTime)
struct ShellTests {
    /// An argument as written in the line.
    private func plain(_ actor: String, _ command: String, _ name: String, _ text: String) -> String {
        ShellLine.scalar(text)
    }

    @Test(
        arguments: [
            ("main hasValidActivation", "main: hasValidActivation"),
            ("server initActivation as code", "server: initActivation\nas: code"),
            (
                "main createActivation activationCode=${code.activationCode} name=\"Alice's phone\" as new",
                "main: createActivation\n"
                    + "with: { activationCode: \"${code.activationCode}\", name: \"Alice's phone\" }\nas: new"
            ),
            ("server x list=[a, b] map={ c: 1 } n=-5", "server: x\nwith: { list: [a, b], map: { c: 1 }, n: \"-5\" }"),
            ("advance 5m", "advance: 5m"),
            ("main: { with: x }", "main: { with: x }"),
            (
                "- main: persistActivation\n  with: { password: a }",
                "- main: persistActivation\n  with: { password: a }"
            ),
        ])
    func `The short form is a step in YAML`(line: String, yaml: String) throws {
        #expect(try ShellLine.yaml(line, argument: plain) == yaml)
    }

    @Test(arguments: ["main x y", "main x =3", "main x \"a"])
    func `A malformed short form is refused with its syntax`(line: String) {
        #expect(throws: BadUsage.self) { try ShellLine.yaml(line, argument: plain) }
    }

    @Test(
        arguments: [
            ("main", "main"), ("Alice's phone", #""Alice's phone""#), ("two words", "two words"), (" a", #"" a""#),
            ("a ", #""a ""#), ("-a", #""-a""#), ("a-b", "a-b"), ("", #""""#), ("1", #""1""#), (".5", #"".5""#),
            ("+1", #""+1""#), ("a1", "a1"), ("true", #""true""#), ("NO", #""NO""#), ("~", #""~""#),
            ("nobody", "nobody"),
        ])
    func `A text that YAML would read as another type is quoted`(text: String, yaml: String) {
        #expect(ShellLine.flow(.string(text)) == yaml)
        #expect(ShellLine.flow(["k": [.string(text)]]) == "{ k: [\(yaml)] }")
    }

    @Test func `Later steps can use what a step keeps; a failing step keeps nothing`() async throws {
        let shell = try await FakeShell(
            """
            server initActivation as code
            main createActivation activationCode=${code.activationCode} as made
            main createActivation activationCode=${code.activationCode} as made
            main createActivation activationCode=${none.activationCode}
            kept
            """,
            answers: [
                "server.initActivation": [["result": ["activationCode": "AAAAA"]]],
                "main.createActivation": [
                    ["error": ["name": "networkError", "domain": "PowerAuthErrorDomain"]],
                    ["result": ["activationFingerprint": "12345678"]],
                ],
            ])
        #expect(shell.requests.map(\.command) == ["initActivation", "createActivation", "createActivation"])
        #expect(shell.requests[1].arguments["activationCode"] == "AAAAA")
        #expect(shell.errors.contains { $0.contains("networkError") })
        #expect(shell.errors.contains { $0.contains("`none`") }, "\(shell.errors)")
        #expect(shell.output.contains { $0.hasPrefix("made: ") })
        #expect(shell.outcome == .passed)
    }

    @Test func `An error is shown at its place, and nothing is sent`() async throws {
        let shell = try await FakeShell("main hasValidActivatoin\nmian hasValidActivation")
        #expect(shell.requests.isEmpty)
        #expect(shell.errors.count == 2)
        #expect(shell.errors[0].contains("did you mean") && shell.errors[0].contains("^~~~"), "\(shell.errors)")
        #expect(shell.errors[1].contains("did you mean `main`"), "\(shell.errors)")
    }

    @Test func `A file of steps ends at its first error or failure, with the exit code of a scenario`() async throws {
        let refused = try await FakeShell("main no\nmain hasValidActivation", isInteractive: false)
        #expect(refused.outcome == .badInput)
        #expect(refused.requests.isEmpty)
        let failed = try await FakeShell(
            "- main: hasValidActivation\n  expect: true\n\nmain canStartActivation",
            answers: ["main.hasValidActivation": [["result": false]]], isInteractive: false)
        #expect(failed.outcome == .failed)
        #expect(failed.requests.map(\.command) == ["hasValidActivation"])
    }

    @Test func `The history numbers each input, multi-line text once, and masks secrets`() async throws {
        let shell = try await FakeShell(
            """
            main hasValidActivation
            # a remark
            - main: persistActivation
              with: { password: "4711-secret" }

            main no
            history
            """)
        #expect(
            shell.output.contains(
                """
                1  main hasValidActivation
                2  - main: persistActivation
                     with: { password: "\(Secret.mask)" }
                3  main no
                4  history
                """), "\(shell.output)")
    }

    @Test func `A line with a secret is missing in the next session's history`() async throws {
        let shell = try await FakeShell("main hasValidActivation\nmain persistActivation password=\"4711-secret\"")
        #expect(shell.requests.count == 2, "\(shell.errors)")
        #expect(shell.remembered == ["main hasValidActivation"])
    }

    @Test func `A refused line also hides its secrets, for any typo`() async throws {
        let shell = try await FakeShell(
            """
            main persistActivation password=correct-horse-71 biometri=false
            main persistActivaton password=correct-horse-72
            persistActivation password=correct-horse-73
            { main: persistActivaton, with: { password: correct-horse-74 } }
            { main: persistActivaton, with: { "password": "correct-horse-75" } }
            main persistActivation password="correct-horse-76
            main persistActivation pasword=correct-horse-77
            main changePasswort from=correct-horse-78
            main changePassword from=correct-horse-79 to=correct-horse-80 too=far
            history
            """)
        let all = (shell.output + shell.errors + shell.remembered).joined(separator: "\n")
        #expect(!all.contains("correct-horse"), "\(all)")
        #expect(shell.output.last?.contains("persistActivaton password=••••") == true, "\(shell.output)")
        #expect(shell.remembered == ["history"])
    }

    @Test func `Text that only looks like a secret in a refused line is shown afterwards`() async throws {
        let shell = try await FakeShell(
            """
            waitFor: { event: server.activaton, where: { to: ACTIVE } }
            main persistActivation biometri=false
            server activationStatus activationId=1
            """, answers: ["server.activationStatus": [["result": ["activationStatus": "ACTIVE"]]]])
        #expect(shell.output.joined().contains("ACTIVE"), "\(shell.output)")
        #expect(shell.remembered.count == 3)
    }

    @Test
    func `A secret from the environment or from input without echo is sent, but not kept or recorded`() async throws {
        setenv("LAB_SHELL_TEST_PIN", "4711-hidden", 1)
        let shell = try await FakeShell(
            """
            main persistActivation password=env:LAB_SHELL_TEST_PIN
            main validatePassword password=@-
            0815-typed
            main validatePassword password=env:LAB_SHELL_TEST_PIN
            main validatePassword password=env:LAB_SHELL_TEST_NONE
            main validatePassword password=1234
            """)
        #expect(
            shell.requests.map { $0.arguments["password"] }
                == ["4711-hidden", "0815-typed", "4711-hidden", "1234"], "\(shell.errors)")
        #expect(shell.errors.count == 1)
        #expect(shell.errors[0].contains("`LAB_SHELL_TEST_NONE` is not set"), "\(shell.errors)")
        #expect(shell.remembered.contains("main validatePassword password=@-"))
        #expect(!shell.remembered.joined().contains("0815"))
        #expect(
            shell.saved == """
                name: Found by hand
                lab: default
                values:
                  password: { environment: LAB_SHELL_TEST_PIN, secret: true }
                  password2: { environment: LAB_PASSWORD2, secret: true }
                  password3: { environment: LAB_PASSWORD3, secret: true }
                steps:
                  - main: persistActivation
                    with: { password: "${password}" }
                  - main: validatePassword
                    with: { password: "${password2}" }
                  - main: validatePassword
                    with: { password: "${password}" }
                  - main: validatePassword
                    with: { password: "${password3}" }

                """)
        #expect(shell.output.contains { $0.hasSuffix("LAB_SHELL_TEST_PIN, LAB_PASSWORD2, LAB_PASSWORD3") })
    }

    @Test func `A step with a secret inside a text is not recorded, as noted at once and in the file`() async throws {
        let shell = try await FakeShell(
            "main validatePassword password=4711-secret\n{ main: hasValidActivation, note: after 4711-secret }")
        #expect(
            shell.errors == [
                "not in the record: a secret is in the middle of the text or on several lines; "
                    + "give it as a value of its own, on one line"
            ])
        #expect(shell.saved?.contains("in the middle of the text or on several lines: 1 of the steps") == true)
        #expect(shell.saved?.contains("4711") == false, "\(shell.saved ?? "")")
    }

    @Test(arguments: ["", "\"", "'"])
    func `A step with a secret on several lines is not recorded`(quote: String) async throws {
        let shell = try await FakeShell(
            """
            main hasValidActivation
            - main: validatePassword
              with: { password: \(quote)4711-first
                0815-second\(quote) }

            """)
        #expect(shell.requests.last?.arguments["password"] == "4711-first 0815-second", "\(shell.errors)")
        #expect(shell.errors.count == 1 && shell.errors[0].hasPrefix("not in the record"), "\(shell.errors)")
        let saved = try #require(shell.saved)
        #expect(saved.contains("hasValidActivation") && saved.contains("several lines: 1 of the steps"), "\(saved)")
        #expect(!saved.contains("4711") && !saved.contains("0815"), "\(saved)")
    }

    @Test func `Help for an unknown name suggests the nearest name, or how to find one`() async throws {
        let shell = try await FakeShell("help hasValidActivatoin\nhelp nonsense")
        #expect(shell.errors.count == 2)
        #expect(shell.errors[0].contains("did you mean `hasValidActivation`?"), "\(shell.errors)")
        #expect(shell.errors[1].hasSuffix("`help` lists the actors, `help ACTOR` the commands of one"))
    }

    @Test func `A path where no scenario can be written is refused before any input`() throws {
        let temporary = try TemporaryDirectory()
        try ShellSession.checkTarget(temporary.file("new/one.yaml"))
        try Files.touch(temporary.file("there.yaml"))
        for path in [temporary.file("there.yaml"), "/proc/one.yaml", temporary.file("there.yaml/one.yaml")] {
            #expect(throws: BadUsage.self, "\(path)") { try ShellSession.checkTarget(path) }
        }
    }

    @Test(
        arguments: [
            ("mai", "mai", ["main"]), ("sav", "sav", ["save"]), ("main hasV", "hasV", ["hasValidActivation"]),
            ("main: hasV", "hasV", ["hasValidActivation"]), ("server initActivation user", "user", ["userId="]),
            ("main persistActivation password=x pass", "pass", []),
            (
                "main createActivation activationCode=${code.activationC", "activationCode=${code.activationC",
                ["activationCode=${code.activationCode}"]
            ), ("help hasValidA", "hasValidA", ["hasValidActivation"]), ("nobody x", "x", []),
        ])
    func `Tab completes actors, commands, parameters, their words, and kept names`(
        line: String, word: String, choices: [String]
    ) throws {
        let shell = ShellCompletion(
            actors: ActorTable(try FakeShell.topology()),
            types: ["code": try #require(Vocabulary.lab.command(named: "initActivation", of: .server)).result],
            ownWords: ["help", "save"])
        let found = shell.candidates(line)
        #expect(found.word == word)
        #expect(found.choices == choices)
    }
}
