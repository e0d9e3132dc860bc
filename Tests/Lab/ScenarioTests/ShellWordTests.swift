// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabSystem
import ScenarioEngine
import TestSupport
import Testing

@testable import LabReports
@testable import LabTools
@testable import ScenarioLanguage

@Suite("Help, completion and answers of a shell", .endsInTime)
struct ShellWordTests {
    private let actors: ActorTable

    init() throws { actors = ActorTable(try FakeShell.topology()) }

    @Test func `Help without a name lists the actors and the shell's own words, each with its meaning`() throws {
        let text = try ShellHelp(actors: actors).text(about: nil)
        #expect(text.contains("\nActors: \(actors.names.joined(separator: ", ")).\n"))
        for word in ShellWord.Own.allCases {
            #expect(word.meaning.hasPrefix(word.rawValue + " ") && text.contains("\n\(word.meaning)"), "\(word)")
        }
    }

    @Test func `Help about an actor has a line for each command, with the meanings below each other`() throws {
        let commands = actors.commands(of: "main")
        let width = try #require(commands.map(\.name.count).max())
        let lines = try ShellHelp(actors: actors).text(about: "main").split(separator: "\n")
        try #require(lines.count == commands.count)
        for (line, command) in zip(lines, commands) {
            #expect(line.hasPrefix(command.name) && line.dropFirst(width) == "  \(command.summary)", "\(line)")
        }
    }

    @Test func `Tab completes the values of a parameter that has few: a flag, or one of some words`() throws {
        func choices(_ isOfType: (FieldType) -> Bool) throws -> (FieldDeclaration, [String]) {
            for name in actors.names {
                for command in actors.commands(of: name) {
                    guard let field = command.fields.first(where: { isOfType($0.type) }) else { continue }
                    let completion = ShellCompletion(actors: actors, types: [:], ownWords: ["help"])
                    return (field, completion.candidates("\(name) \(command.name) \(field.name)=").choices)
                }
            }
            throw BadUsage(sentence: "no command has such a parameter")
        }
        let (flag, flags) = try choices { $0 == .boolean }
        #expect(flags == ["\(flag.name)=false", "\(flag.name)=true"])
        let (choice, words) = try choices { if case .choice = $0 { true } else { false } }
        guard case .choice(let expected) = choice.type else { throw BadUsage(sentence: "no words") }
        #expect(!words.isEmpty && words == expected.map { "\(choice.name)=\($0)" }.sorted())
        let (_, texts) = try choices { $0 == .text }
        #expect(texts == [])
    }

    @Test
    func `Texts of an answer are found by type, and without a type by length, digits and a name that can be written`() {
        var answers = RecordedAnswers()
        answers.note(
            [
                "id": "1234-abc", "state": "BLOCKED_NOW", "short": "1234567", "list": ["abcdefghijklmnop", "b"],
                "odd key": "8765-4321-abcd", "": "8765-4321-efgh", "deep": ["a_b-1": "22223333"],
            ], of: .any, entry: 3)
        answers.note(["a": "44445555"], of: .map, entry: 4)
        answers.note(["abcd", "abc"], of: .list(.text), entry: 5)
        let found: [(String, Int, [String])] = [
            ("1234-abc", 3, ["id"]), ("abcdefghijklmnop", 3, ["list", "0"]), ("22223333", 3, ["deep", "a_b-1"]),
            ("44445555", 4, ["a"]), ("abcd", 5, ["0"]),
        ]
        for (text, entry, path) in found {
            #expect(answers[text] == RecordedAnswers.Origin(entry: entry, path: path), "\(text)")
        }
        for text in ["BLOCKED_NOW", "1234567", "b", "8765-4321-abcd", "8765-4321-efgh", "abc"] {
            #expect(answers[text] == nil, "\(text)")
        }
        answers.forget(from: 4)
        #expect(answers["44445555"] == nil && answers["abcd"] == nil && answers["1234-abc"] != nil)
    }

    /// One line of a file.
    private final class OneLine: ShellInput {
        private var rest: [String]
        let isInteractive = false
        let end: @Sendable () -> Void = {}

        init(_ line: String) { rest = [line] }

        func line(prompt: String, completing: @escaping (String) -> (word: String, choices: [String])) -> String? {
            rest.popLast()
        }

        func secretLine(named name: String) -> String? { nil }

        func remember(_ lines: [String], isSecret: Bool) {}
    }

    @Test func `A session lists where the last run beside its lab file differs from it`() async throws {
        let workspace = try SuiteWorkspace([:])
        let answers: [String: [JSONValue]] = ["main.hasValidActivation": [["result": true]]]
        try await FakeLab.run(FakeShell.topology(), answers: answers) { fake in
            let session = try ShellSession(
                with: fake.connection, labFile: FakeShell.labFile, isRecording: true,
                input: OneLine("main hasValidActivation"), print: { _ in }, printError: { _ in })
            #expect(try session.run() == .passed)
            let labFile = workspace.directory.file("lab.yaml")
            #expect(try session.differences(inReplayBeside: labFile) == [])
            let run = try RunDirectory.create(in: workspace.directory.file(".lab"), keeping: 9)
            let report = JSONReport(seed: 1, seconds: 1, results: [.sample(.passed), .sample(.failed)])
            try Files.write(report.rendered(), to: "\(run.path)/report.json")
            let differences = try session.differences(inReplayBeside: labFile)
            #expect(differences.count == 1)
            #expect(differences.first?.hasPrefix("step 1, `main: x`, did not end as in the session: ") == true)
        }
    }
}
