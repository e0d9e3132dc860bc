// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import LabVocabulary
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("A step has one sentence, the same in all output", .endsInTime)
struct SentenceTests {
    private static let failing: [String: [JSONValue]] = [
        "main.createActivation": [["error": ["name": "networkError", "code": 1, "message": "No network"]]]
    ]
    private static let steps = """
        name: Sentences
        values:
          user: { generate: name }
        steps:
          - main: createActivation
            with: { activationCode: "code of ${user}", additionalActivationOtp: "one-time secret" }
        """

    @Test func `Without a note it is the command's summary with the arguments, the same everywhere`() async throws {
        let run = try await FakeRun(Self.steps, answers: FakeAnswers(Self.failing))
        let user = GeneratedValue(name: "user", kind: .name, size: 0).draw(seed: 1, scenario: "scenario.yaml")
        let sentence =
            "main exchanges keys with the server, using an activation code "
            + #"(activationCode="code of \#(user.stringValue ?? "")", additionalActivationOtp="••••")"#
        #expect(run.result.failures.first?.sentence == sentence)
        #expect(TerminalReport(isColoured: false).render(run.result).contains("\n      \(sentence)\n"), "\(run.sinks)")
        let report = JUnitReport.render([run.result], seconds: 1)
        #expect(report.contains(XMLText.escaped(sentence)), "\(report)")
        let started = run.events.compactMap { event -> String? in
            if case .stepStarted(let start, _) = event.fact { start.sentence } else { nil }
        }
        #expect(started == [sentence])
        #expect(!run.sinks.contains("one-time secret"))
    }

    @Test func `A note replaces it, and the terminal does not repeat the note beside its source line`() async throws {
        let run = try await FakeRun(
            Self.steps.replacing("- main: createActivation", with: "- note: Two words\n    main: createActivation"),
            answers: FakeAnswers(Self.failing))
        let failure = try #require(run.result.failures.first)
        #expect(failure.sentence == "Two words")
        let text = FailureText(isColoured: false).render(failure)
        #expect(text.components(separatedBy: "Two words").count == 2, "\(text)")
    }

    @Test func `A word of the language has its own sentence`() async throws {
        let run = try await FakeRun("  - waitFor: { event: state.saved, peer: main, within: 10ms }\n")
        #expect(run.result.failures.count == 1)
        #expect(run.result.failures.first?.sentence == nil)
    }

    @Test(arguments: Vocabulary.lab.commands.map(\.summary))
    func `Every command makes a sentence whose subject is the actor`(summary: String) {
        // "Creates an activation." becomes "server creates an activation".
        let verb = summary.prefix { $0.isLetter }
        #expect(verb.hasSuffix("s") && verb.first?.isUppercase == true, "\(summary)")
        #expect(summary.hasSuffix("."), "\(summary)")
    }
}
