import Foundation
import LabFile
import LabKit
import LabSystem
import TestSupport
import Testing

@testable import LabRunner

/// A shell whose lines are prepared, with an instance whose answers are.
private struct FakeShell {
    let outcome: RunOutcome
    let output: [String]
    let errors: [String]
    let requests: [ControlRequest]
    let saved: String?
    let remembered: [String]

    private static let labFile = "\(TestFiles.directory)/Failures/lab.yaml"

    /// The cast that the tests of the runner use.
    static func topology() throws -> Topology {
        let labFile = try #require(SuiteReader(labPath: labFile).readLabFile(near: ".").labFile)
        return try #require(
            labFile.topology(
                named: nil, at: SourcePlace(.start, in: labFile.file), overrides: nil, reporting: DiagnosticCollector())
        )
    }

    /// Lines of a prepared session.
    private final class Lines: ShellInput {
        private var rest: [String]
        private(set) var remembered: [String] = []
        let isInteractive: Bool

        init(_ text: String, isInteractive: Bool) {
            rest = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            self.isInteractive = isInteractive
        }

        func line(prompt: String, completing: @escaping (String) -> (word: String, choices: [String])) -> String? {
            rest.isEmpty ? nil : rest.removeFirst()
        }

        func remember(_ lines: [String], isSecret: Bool) { if !isSecret { remembered += lines } }
    }

    init(
        _ text: String, answers: [String: [JSONValue]] = [:], isInteractive: Bool = true, isRecording: Bool = false
    ) throws {
        let prepared = FakeAnswers(answers)
        let fake = try FakeLab(try Self.topology(), answers: prepared)
        defer { fake.end() }
        let input = Lines(text, isInteractive: isInteractive)
        var (output, errors): ([String], [String]) = ([], [])
        let session = try ShellSession(
            with: fake.connection, labFile: Self.labFile, isRecording: isRecording, input: input,
            print: { output.append($0) }, printError: { errors.append($0) })
        outcome = try session.run()
        let path = "\(fake.runDirectory)/found-by-hand.yaml"
        if session.count > 0 { try session.save(to: path) }
        saved = (try? Files.read(path)).map { String(decoding: $0, as: UTF8.self) }
        (self.output, self.errors) = (output, errors)
        requests = prepared.requests
        remembered = input.remembered
    }
}

@Suite("lab shell", .endsInTime)
struct ShellTests {
    @Test(
        "The short form is a step in YAML",
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
    func shortForm(line: String, yaml: String) throws {
        #expect(try ShellLine.yaml(line) == yaml)
    }

    @Test(
        "A short form that cannot be understood says how it is written",
        arguments: ["main x y", "main x =3", "main x \"a"])
    func wrongShortForm(line: String) {
        #expect(throws: BadUsage.self) { try ShellLine.yaml(line) }
    }

    @Test("What a step keeps is there for the next one, and a step that fails keeps nothing")
    func captures() async throws {
        let shell = try await onThread {
            try FakeShell(
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
        }
        #expect(shell.requests.map(\.command) == ["initActivation", "createActivation", "createActivation"])
        #expect(shell.requests[1].arguments["activationCode"] == "AAAAA")
        #expect(shell.errors.contains { $0.contains("networkError") })
        #expect(shell.errors.contains { $0.contains("`none`") }, "\(shell.errors)")
        #expect(shell.output.contains { $0.hasPrefix("made: ") })
        #expect(shell.outcome == .passed)
    }

    @Test("A mistake is shown where it is, and nothing is sent")
    func mistakes() async throws {
        let shell = try await onThread { try FakeShell("main hasValidActivatoin\nmian hasValidActivation") }
        #expect(shell.requests.isEmpty)
        #expect(shell.errors.count == 2)
        #expect(shell.errors[0].contains("did you mean") && shell.errors[0].contains("^~~~"), "\(shell.errors)")
        #expect(shell.errors[1].contains("did you mean `main`"), "\(shell.errors)")
    }

    @Test("A file of steps ends at its first mistake or failure, with the exit code of a scenario")
    func files() async throws {
        let refused = try await onThread { try FakeShell("main no\nmain hasValidActivation", isInteractive: false) }
        #expect(refused.outcome == .badInput)
        #expect(refused.requests.isEmpty)
        let failed = try await onThread {
            try FakeShell(
                "- main: hasValidActivation\n  expect: true\n\nmain canStartActivation",
                answers: ["main.hasValidActivation": [["result": false]]], isInteractive: false)
        }
        #expect(failed.outcome == .failed)
        #expect(failed.requests.map(\.command) == ["hasValidActivation"])
    }

    @Test("A record expects what was seen: flags and words, and the error of a command that failed")
    func record() async throws {
        let shell = try await onThread {
            try FakeShell(
                """
                server initActivation as code
                - main: persistActivation
                  with: { password: "1234" }

                main hasValidActivation
                main fetchActivationStatus
                wallet createActivation activationCode=${code.activationCode}
                main canStartActivation
                undo
                """,
                answers: [
                    "server.initActivation": [["result": ["activationCode": "AAAAA"]]],
                    "main.hasValidActivation": [["result": true]],
                    "main.canStartActivation": [["result": false]],
                    "main.fetchActivationStatus": [["result": ["state": "active", "failCount": 0]]],
                    "wallet.createActivation": [
                        ["error": ["name": "externalPendingOperation", "domain": "PowerAuthErrorDomain"]]
                    ],
                ], isInteractive: false, isRecording: true)
        }
        #expect(shell.outcome == .passed, "\(shell.errors)")
        #expect(
            shell.saved == """
                name: Found by hand
                lab: default
                steps:
                  - server: initActivation
                    as: code
                  - main: persistActivation
                    with: { password: "1234" }
                  - main: hasValidActivation
                    expect: true
                  - main: fetchActivationStatus
                    expect: { state: active }
                  - wallet: createActivation
                    with: { activationCode: "${code.activationCode}" }
                    fails: externalPendingOperation

                """)
    }

    @Test("A line with a secret is not there in the next session")
    func secrets() async throws {
        let shell = try await onThread {
            try FakeShell("main hasValidActivation\nmain persistActivation password=\"4711-secret\"")
        }
        #expect(shell.requests.count == 2, "\(shell.errors)")
        #expect(shell.remembered == ["main hasValidActivation"])
    }

    @Test(
        "Tab completes actors, commands, parameters, their words, and what was kept",
        arguments: [
            ("mai", "mai", ["main"]), ("sav", "sav", ["save"]), ("main hasV", "hasV", ["hasValidActivation"]),
            ("main: hasV", "hasV", ["hasValidActivation"]), ("server initActivation user", "user", ["userId="]),
            ("main persistActivation password=x pass", "pass", []),
            (
                "main createActivation activationCode=${code.activationC", "activationCode=${code.activationC",
                ["activationCode=${code.activationCode}"]
            ), ("help hasValidA", "hasValidA", ["hasValidActivation"]), ("nobody x", "x", []),
        ])
    func completion(line: String, word: String, choices: [String]) throws {
        let shell = ShellCompletion(
            actors: ActorTable(try FakeShell.topology()),
            types: ["code": try #require(Vocabulary.lab.command(named: "initActivation", of: .server)).result],
            ownWords: ["help", "save"])
        let found = shell.candidates(line)
        #expect(found.word == word)
        #expect(found.choices == choices)
    }
}
