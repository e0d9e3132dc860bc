// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabFile
import LabSystem
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

/// A shell with prepared input lines, and an instance with prepared answers.
struct FakeShell {
    let outcome: RunOutcome
    let output: [String]
    let errors: [String]
    let requests: [ControlRequest]
    let saved: String?
    let remembered: [String]

    static let labFile = "\(TestFiles.directory)/Failures/lab.yaml"

    /// The topology of the runner tests.
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
        let end: @Sendable () -> Void = {}

        init(_ text: String, isInteractive: Bool) {
            rest = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            self.isInteractive = isInteractive
        }

        func secretLine(named name: String) -> String? { rest.isEmpty ? nil : rest.removeFirst() }

        func line(prompt: String, completing: @escaping (String) -> (word: String, choices: [String])) -> String? {
            rest.isEmpty ? nil : rest.removeFirst()
        }

        func remember(_ lines: [String], isSecret: Bool) { if !isSecret { remembered += lines } }
    }
}

extension FakeShell {
    /// Runs a session to its end, on a thread of its own.
    init(
        _ text: String, answers: [String: [JSONValue]] = [:], isInteractive: Bool = true, isRecording: Bool = false
    ) async throws {
        self = try await onThread {
            let prepared = FakeAnswers(answers)
            let fake = try FakeLab(try Self.topology(), answers: prepared)
            defer { fake.end() }
            let input = Lines(text, isInteractive: isInteractive)
            var (output, errors): ([String], [String]) = ([], [])
            let session = try ShellSession(
                with: fake.connection, labFile: Self.labFile, isRecording: isRecording, input: input,
                print: { output.append($0) }, printError: { errors.append($0) })
            let outcome = try session.run()
            let path = "\(fake.runDirectory)/found-by-hand.yaml"
            if session.count > 0 { try session.save(to: path) }
            return FakeShell(
                outcome: outcome, output: output, errors: errors, requests: prepared.requests,
                saved: (try? Files.read(path)).map { String(decoding: $0, as: UTF8.self) },
                remembered: input.remembered)
        }
    }
}
