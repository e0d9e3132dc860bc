// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import LabSystem
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

/// A scenario that must be red because of one word of the language, and the same one with answers that make it green.
///
/// The prepared answers fix the order of events; time matters only for a limit that is long or zero.
struct RedCase: Sendable, CustomTestStringConvertible {
    /// What makes the difference.
    enum Kind: Sendable {
        /// The scenario runs, and its first failure says this.
        case red(String, Verdict = .failed)
        /// It does not run, and does not count as passed; the remark says why.
        case notPlayed(String)
        /// It runs and fails, and the failure is ignored until a day.
        case setAside
        /// The file is refused with this sentence, and nothing is started.
        case refused(String)
    }

    /// The word with those around it, as the schema of scenarios has them: `race.winners`.
    let word: String
    let kind: Kind
    /// The whole file. `LIMIT` stands for what differs: a time or a number.
    let text: String
    /// Files beside it.
    var files: [String: String] = [:]
    /// The lab's answers when the scenario must be red, and when it must be green.
    var red: [String: [JSONValue]] = [:]
    var green: [String: [JSONValue]] = [:]
    /// The value of `LIMIT` when the scenario must be red, and when it must be green.
    var limit = (red: "20ms", green: "1m")
    /// How many commands are answered together, so that branches overlap; 0 answers each at once.
    var together = 0

    /// A case whose text is a list of steps.
    init(
        _ word: String, _ kind: Kind, _ steps: String, files: [String: String] = [:],
        red: [String: [JSONValue]] = [:], green: [String: [JSONValue]] = [:],
        limit: (red: String, green: String) = ("20ms", "1m"), together: Int = 0
    ) {
        (self.word, self.kind, self.files, self.red, self.green) = (word, kind, files, red, green)
        (self.limit, self.together) = (limit, together)
        text = steps.hasPrefix("name:") || word == "scenario.name" ? steps : "name: Red\nsteps:\n\(steps)"
    }

    var testDescription: String { word }

    /// The results of the scenarios in the file.
    enum Outcome {
        case refused([String])
        case played([ScenarioResult])
    }

    /// Runs the case.
    func play(isRed: Bool) async throws -> Outcome {
        let directory = try TemporaryDirectory()
        for (name, text) in files { try Files.write(Data(text.utf8), to: directory.file(name)) }
        let path = directory.file("scenario.yaml")
        try Files.write(Data(text.replacing("LIMIT", with: isRed ? limit.red : limit.green).utf8), to: path)
        let read = SuiteReader(
            labPath: "\(TestFiles.directory)/Failures/lab.yaml", environment: ["RED_CASE": "seen"]
        ).read([path])
        guard read.diagnostics.isEmpty else { return .refused(read.diagnostics.map(\.kind.sentence)) }
        defer { withExtendedLifetime(directory) {} }
        var results: [ScenarioResult] = []
        for scenario in read.scenarios {
            if scenario.obstacle != nil {
                results.append(ScenarioResult(notRun: scenario, id: scenario.id, round: 1, seed: 1, labOption: nil))
                continue
            }
            let answers = FakeAnswers(isRed ? red : green, meeting: together > 0 ? Barrier(count: together) : nil)
            results.append(try await FakeRun(scenario, answers: answers).result)
        }
        return .played(results)
    }
}

extension RedCase {
    /// The scenario in a text.
    static func scenario(_ text: String) throws -> Scenario {
        let read = try ScenarioFolder(text).read()
        return try #require(read.scenarios.first, "\(read.diagnostics.map(\.kind.sentence))")
    }

    /// The answers of `main: hasValidActivation`, in order.
    static func main(_ answers: JSONValue...) -> [String: [JSONValue]] { ["main.hasValidActivation": answers] }

    static let yes: JSONValue = ["result": true]
    static let no: JSONValue = ["result": false]

    /// An answer with events before it, from the answering process unless an event names another.
    static func yes(after traces: JSONValue...) -> JSONValue { ["result": true, "traces": .array(traces)] }

    /// An event of `main`, unless it names a process.
    static func saved(_ bytes: Int64 = 1, by process: String = "main") -> JSONValue {
        ["event": "state.saved", "of": .string(process), "fields": ["bytes": .integer(bytes)]]
    }

    static let loaded: JSONValue = ["event": "state.loaded", "of": "main"]

    /// An answer with an error.
    static func error(_ name: String) -> JSONValue {
        ["error": ["domain": "PowerAuthErrorDomain", "name": .string(name), "message": "no"]]
    }

    /// An answer of the server about an activation.
    static func status(_ state: String, failures: Int64 = 0) -> [String: [JSONValue]] {
        ["main.fetchActivationStatus": [["result": ["state": .string(state), "failCount": .integer(failures)]]]]
    }
}
