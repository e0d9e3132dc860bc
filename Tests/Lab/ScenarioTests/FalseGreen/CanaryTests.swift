// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabSystem
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("No field of a failure shows a secret, in any encoding", .endsInTime, .serialized)
struct CanaryTests {
    @Test(arguments: SecretEncoding.allCases)
    func `A secret is masked in every encoding, as other programs write it`(_ encoding: SecretEncoding) {
        let redactor = Redactor(secrets: [Canary.secret])
        let texts = Canary.texts(of: encoding)
        #expect(!texts.isEmpty)
        for text in texts {
            #expect(Canary.traces(in: text) != [], "\(text) shows nothing")
            for line in [text, "before \(text) after", "x=\(text);", "{\"a\":\"\(text)\"}", "\(text)\(text)"] {
                let masked = redactor.redact(line)
                #expect(Canary.traces(in: masked) == [], "\(masked)")
                #expect(masked.contains(Secret.mask))
            }
        }
    }

    @Test(arguments: ["8642", "a1", "pässwd"])
    func `A short secret is masked as a word in every encoding`(_ secret: String) {
        let redactor = Redactor(secrets: [secret])
        let bytes = Data(secret.utf8)
        let padded = bytes.base64EncodedString()
        for text in [
            secret, padded, padded.replacing("=", with: ""), bytes.hexadecimal, bytes.hexadecimal.uppercased(),
        ] {
            #expect(!redactor.redact("it said \(text).").contains(text), "\(text)")
        }
    }

    // MARK: Fields

    /// Fields of the lab's own words: step numbers, places, error names, and commands for further inspection.
    private static let ownWords: Set = [
        "step", "place.file", "includedAt.file", "differences.place.file", "explain", "sharing", "link", "passed.run",
        "passed.comparison", "replay",
    ]

    /// A failure all of whose members have a value.
    private static func failure(_ text: String) -> StepFailure {
        let place = ReportedPlace(file: text, line: 1, column: 1)
        var failure = StepFailure(
            verdict: .failed, step: text, title: text, sentence: text, place: place, includedAt: [place], row: text,
            source: text, reason: text,
            differences: [
                Difference(path: text, expected: text, actual: text, place: place, hint: text, excerpt: text)
            ], details: [text], causes: [text], events: [text], trace: [text], explain: text, sharing: text, link: text,
            replay: text)
        failure.passed = EarlierPass(run: text, comparison: text)
        return failure
    }

    /// The texts of a value by their paths, as the reports name them.
    private static func texts(of value: Any, at path: String = "") -> [String: String] {
        let mirror = Mirror(reflecting: value)
        if let text = value as? String { return [path: text] }
        return mirror.children.reduce(into: [:]) { found, child in
            let isElement = [.collection, .optional].contains(mirror.displayStyle)
            let name = isElement ? path : [path, child.label ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
            found.merge(texts(of: child.value, at: name)) { first, _ in first }
        }
    }

    @Test func `Every text of a failure is masked, except the lab's own words`() {
        let echo = Canary.all.joined(separator: " ")
        let redactor = Redactor(secrets: [Canary.secret])
        let sample = Self.failure(echo)
        let fields = Self.texts(of: sample)
        let masked = Self.texts(of: sample.withTexts(redactor.redact))
        for member in Mirror(reflecting: sample).children.compactMap(\.label)
        where !["verdict", "actor"].contains(member) {
            let isThere = fields.keys.contains { $0 == member || $0.hasPrefix("\(member).") }
            #expect(isThere, "`\(member)` has no text in the sample: a missing row")
        }
        for (field, text) in masked {
            #expect(Self.ownWords.contains(field) || Canary.traces(in: text) == [], "\(field): \(text)")
        }
        #expect(Self.ownWords.subtracting(fields.keys) == [], "an exemption for no field")
        for field in Self.ownWords {
            #expect(masked[field] == echo, "\(field) needs no exemption")
        }
    }

    // MARK: Ways to a failure

    /// A way by which output of a process gets into a failure.
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The command of `wallet` that is answered so.
        var command = "activationIdentifier"
        /// The steps after the one that leaks the secret.
        let steps: String
        let answer: @Sendable (String) -> JSONValue
    }

    private static func error(_ member: String, _ echo: JSONValue) -> JSONValue {
        let error: [String: JSONValue] = ["message": "no", "name": "networkError", "domain": "D"]
        return ["error": .object(error.merging([member: echo]) { $1 })]
    }

    private static let unexpected = "- wallet: activationIdentifier"

    static let ways: [Way] = [
        Way(testDescription: "message of an error", steps: unexpected) { error("message", .string($0)) },
        Way(testDescription: "name of an error", steps: unexpected) { error("name", .string($0)) },
        Way(testDescription: "domain of an error", steps: unexpected) { echo in
            ["error": ["message": "no", "domain": .string(echo)]]
        },
        Way(testDescription: "value in the userInfo of an error", steps: unexpected) {
            error("userInfo", ["reason": .string($0)])
        },
        Way(testDescription: "key in the userInfo of an error", steps: unexpected) { error("userInfo", [$0: 1]) },
        Way(testDescription: "underlying error", steps: unexpected) { echo in
            error(
                "userInfo",
                ["NSUnderlyingError": ["domain": "D", "userInfo": ["body": .array([.string(echo), [echo: 1]])]]])
        },
        Way(testDescription: "error that is not the expected one", steps: "\(unexpected)\n  fails: missingActivation") {
            error("userInfo", ["reason": .string($0)])
        },
        Way(
            testDescription: "member of an error that is not as expected",
            steps: "\(unexpected)\n  fails: { code: networkError, reason: other }"
        ) { error("userInfo", ["reason": .string($0)]) },
        Way(testDescription: "success instead of an error", steps: "\(unexpected)\n  fails: any") {
            ["result": .string($0)]
        },
        Way(testDescription: "answer", steps: "\(unexpected)\n  expect: other") { ["result": .string($0)] },
        Way(testDescription: "answer again and again", steps: "\(unexpected)\n  expect: other\n  eventually: 20ms") {
            ["result": .string($0)]
        },
        Way(testDescription: "none of the ways", steps: "\(unexpected)\n  either: [{ expect: a }, { fails: any }]") {
            ["result": .string($0)]
        },
        Way(
            testDescription: "value that was kept",
            steps: "\(unexpected)\n  as: kept\n- check: \"${kept}\"\n  expect: { matches: '^other' }"
        ) { ["result": .string($0)] },
        Way(
            testDescription: "key of a value", command: "fetchActivationStatus",
            steps: "- wallet: fetchActivationStatus\n  expect: { customObject: { exactly: {} } }"
        ) { ["result": ["state": "active", "customObject": [$0: 1]]] },
        Way(
            testDescription: "answers that are not the same",
            steps: "- same: [{ wallet: activationIdentifier }, { main: activationIdentifier }]"
        ) { ["result": .string($0)] },
        Way(
            testDescription: "value of a round",
            steps:
                "\(unexpected)\n  as: kept\n- each:\n    in: [\"${kept}\"]\n    as: it\n    steps:\n    - check: 1\n      expect: 2"
        ) { ["result": .string($0)] },
        Way(
            testDescription: "event in the trace",
            steps: "\(unexpected)\n- waitFor: { event: log, where: { message: other }, within: 20ms }"
        ) { echo in
            ["result": "", "traces": [["event": "log", "fields": ["message": .string(echo), "level": "error"]]]]
        },
        Way(
            testDescription: "reason of a skipped step",
            steps:
                "\(unexpected)\n  as: kept\n- main: kill\n  when: { check: \"${kept}\", expect: a }\n- check: 1\n  expect: 2"
        ) { ["result": .string($0)] },
    ]

    @Test(arguments: ways) func `No report shows a secret that a process sends back`(_ way: Way) async throws {
        let echo = Canary.all.joined(separator: " ")
        let text = """
            name: Canary
            values: { password: { secret: '\(Canary.secret)' } }
            steps:
            - main: persistActivation
              with: { password: "${password}" }
            \(way.steps)
            """
        let run = try await FakeRun(text, answers: FakeAnswers(["wallet.\(way.command)": [way.answer(echo)]]))
        #expect(run.requests.contains { $0.arguments["password"]?.stringValue == Canary.secret })
        #expect(run.result.verdict == .failed, "\(run.sinks)")
        let shown = try Self.everything(about: run)
        #expect(shown.contains(Secret.mask), "\(shown)")
        #expect(Canary.traces(in: shown) == [])
    }

    @Test func `A secret that the run learns after a failure is masked in the failure, too`() async throws {
        let text = """
            name: Canary
            steps:
            - wallet: activationIdentifier
              as: kept
            - check: "${kept}"
              expect: other
            tearDown:
            - main: persistActivation
              with: { password: "${kept}" }
            """
        let run = try await FakeRun(
            text,
            answers: FakeAnswers(["wallet.activationIdentifier": [["result": .string(Canary.secret)]]]))
        #expect(run.requests.contains { $0.arguments["password"]?.stringValue == Canary.secret })
        let shown = TerminalReport(isColoured: false).render(run.result)
        #expect(shown.contains(Secret.mask) && Canary.traces(in: shown) == [], "\(shown)")
    }

    /// All output of a run for people and programs.
    private static func everything(about run: FakeRun) throws -> String {
        let directory = try TemporaryDirectory()
        let report = JSONReport(seed: 1, seconds: 1, results: [run.result])
        let forms = RunOptions.Report.Format.allCases
        let reports = try RunReports(forms.map { .init(format: $0, path: directory.file($0.rawValue)) }, inputs: [])
        try reports.begin(seed: 1, scenarios: 1, directory: directory.path)
        reports.ended(1, run.result)
        try reports.end(report, outcome: .failed)
        let files = try forms.map { form in
            try Files.read(directory.file(form.rawValue) + (form == .html ? "/\(PageReport.fileName)" : ""))
        }
        let annotations = GitHubAnnotations(environment: ["GITHUB_ACTIONS": "true"])?.lines([run.result]) ?? ""
        let terminal = TerminalReport(isColoured: true)
        return
            ([
                run.sinks, annotations, GitHubSummary.text(of: report), terminal.render(run.result, page: "/p"),
                terminal.summary([run.result, run.result], seconds: 1, seed: 1, directory: nil),
            ] + files.map { String(decoding: $0, as: UTF8.self) }).joined(separator: "\n")
    }

    @Test(arguments: ways) func `A shell does not show a secret that a process sends back`(_ way: Way) async throws {
        let echo = Canary.all.joined(separator: " ")
        let shell = try await FakeShell(
            "main persistActivation password='\(Canary.secret)'\n\(way.steps.split(separator: "\n- ")[0])\n\n",
            answers: ["wallet.\(way.command)": [way.answer(echo)]])
        #expect(shell.requests.contains { $0.arguments["password"]?.stringValue == Canary.secret }, "\(shell.errors)")
        #expect(shell.requests.contains { $0.command == way.command }, "\(shell.errors)")
        #expect(Canary.traces(in: (shell.output + shell.errors + [shell.saved ?? ""]).joined(separator: "\n")) == [])
    }
}
