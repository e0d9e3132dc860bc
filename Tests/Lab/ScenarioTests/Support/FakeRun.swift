// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabFile
import LabSystem
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine
@testable import ScenarioLanguage

/// A scenario run against a `FakeLab`.
struct FakeRun {
    let result: ScenarioResult
    let requests: [ControlRequest]
    /// The whole record: history and reports.
    let history: String
    /// The events of the history.
    var events: [HistoryEvent] { History.events(of: Data(history.utf8)) }
}

extension FakeRun {
    /// Runs a scenario file, on a thread of its own.
    ///
    /// - Parameters:
    ///   - isDiskFull: Nothing can be recorded.
    ///   - during: Runs on another thread while the scenario runs.
    init(
        file: SourceFile, answers: FakeAnswers = FakeAnswers(), seed: UInt64 = 1, environment: [String: String] = [:],
        interruption: Interruption = Interruption(), limits: TimeLimits = TimeLimits(),
        isDiskFull: Bool = false, during: (@Sendable (FakeLab) throws -> Void)? = nil
    ) async throws {
        let lab = SuiteReader(labPath: "\(TestFiles.directory)/Failures/lab.yaml", environment: environment)
            .readLabFile(near: ".")
        let labFile = try #require(lab.labFile)
        let reading = ScenarioReader.read(file, id: "scenario.yaml", labFile: labFile, environment: environment)
        try #require(reading.diagnostics.isEmpty, "\(DiagnosticRenderer().render(reading.diagnostics))")
        try await self.init(
            try #require(reading.scenarios.first), answers: answers, seed: seed, interruption: interruption,
            limits: limits, isDiskFull: isDiskFull, during: during)
    }

    /// Runs a parsed scenario.
    ///
    /// - Parameters:
    ///   - remains: What the ended instance leaves behind, one sentence each.
    ///   - gate: Pauses before the steps.
    ///   - explored: The block whose turns are decided here.
    init(
        _ scenario: Scenario, answers: FakeAnswers, seed: UInt64 = 1, interruption: Interruption = Interruption(),
        limits: TimeLimits = TimeLimits(), isDiskFull: Bool = false, remains: [String] = [], gate: StepGate? = nil,
        explored: ExploredBlock? = nil, during: (@Sendable (FakeLab) throws -> Void)? = nil
    ) async throws {
        self = try await onThread {
            let fake = try FakeLab(scenario.topology, answers: answers)
            defer { fake.end() }
            let file = "\(fake.runDirectory)/\(History.fileName)"
            if isDiskFull { try Files.symlink(file, to: "/dev/full") }
            var setting = ScenarioRun.Setting(
                executables: Executables(directory: "/nowhere"), limits: limits, gate: gate)
            setting.explored = explored
            let run = try ScenarioRun(
                scenario, seed: seed, directory: fake.runDirectory, setting: setting, interruption: interruption)
            let events = try TraceBoard(directory: "\(fake.runDirectory)/traces", keeping: scenario.awaitedEvents)
            defer { events.stop() }
            interruption.passing(to: run.interruption) {
                run.interruption.reaching {
                    run.endWaiting(in: fake.connection, events: events)
                } during: {
                    let companion = during.map { during in runOnThread(name: "during") { try? during(fake) } }
                    defer { companion?.join() }
                    run.perform(in: fake.connection, events: events)
                }
            }
            run.checkEnd(remains: remains, traces: "\(fake.runDirectory)/traces")
            return FakeRun(
                result: run.result(seconds: 0, launches: [:]), requests: answers.requests,
                history: isDiskFull ? "" : String(decoding: try Files.read(file), as: UTF8.self))
        }
    }

    init(
        _ steps: String, answers: FakeAnswers = FakeAnswers(), seed: UInt64 = 1, environment: [String: String] = [:],
        interruption: Interruption = Interruption(), limits: TimeLimits = TimeLimits(),
        isDiskFull: Bool = false, during: (@Sendable (FakeLab) throws -> Void)? = nil
    ) async throws {
        let text = steps.hasPrefix("name:") ? steps : "name: Test\nsteps:\n" + steps
        try await self.init(
            file: SourceFile(path: "scenario.yaml", text: text), answers: answers, seed: seed,
            environment: environment, interruption: interruption, limits: limits, isDiskFull: isDiskFull,
            during: during)
    }

    /// All output for a terminal, a CI system and a program.
    var sinks: String {
        let json = (try? JSONReport(seed: 1, seconds: 1, results: [result]).rendered()).map {
            String(decoding: $0, as: UTF8.self)
        }
        return [
            TerminalReport(isColoured: false).render(result), JUnitReport.render([result], seconds: 1), json ?? "",
            history,
        ].joined(separator: "\n")
    }
}

extension [HistoryEvent] {
    /// Writes the history of a scenario.
    ///
    /// - Parameter torn: The begin of a line, as a killed run leaves it.
    func write(to directory: String, torn: String = "") throws {
        let lines = try map { String(decoding: try JSONValue(encoding: $0).encoded(), as: UTF8.self) + "\n" }
        try Files.write(Data((lines.joined() + torn).utf8), to: "\(directory)/\(History.fileName)")
    }
}

extension ScenarioResult {
    /// A result in which every member has a value, with texts that need escaping.
    static func sample(
        _ verdict: Verdict, id: String = "a/b.yaml", name: String = "A <b> & \"c\" \u{1}", quarantine: String? = nil
    ) -> ScenarioResult {
        var result = ScenarioResult(
            id: id, name: name, tags: ["fast", "x,y"], file: "a/b.yaml", topology: "default",
            verdict: verdict, quarantine: quarantine, remark: nil, round: 1, seed: 7, seconds: 1.5, commands: 2,
            failures: [],
            overheads: [200_000, 400_000], launches: ["main": 20_000_000], replay: "lab run b.yaml --seed 7",
            directory: "/d")
        if verdict != .passed {
            let difference = Difference(
                path: "state", expected: "\"ACTIVE\"", actual: "\"BLOCKED\"",
                place: ReportedPlace(file: "a/b.yaml", line: 4, column: 21), hint: "an empty text",
                excerpt: " 4 | expect: { state: ACTIVE }\n   |                  ^~~~~~")
            result.failures = [
                StepFailure(
                    verdict: verdict, step: "1", title: "main: x",
                    place: ReportedPlace(file: "a/b.yaml", line: 3, column: 5), source: "> 3 | - main: x",
                    reason: "it failed with <x> & ]]>\u{1B}[0m", differences: [difference],
                    trace: ["main state.saved"], replay: "lab run b.yaml --seed 7")
            ]
        }
        return result
    }
}
