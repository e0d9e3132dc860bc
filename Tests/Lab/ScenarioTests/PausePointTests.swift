// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabFile
import LabSystem
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Where a run stops, and what it does without options", .endsInTime)
struct PausePointTests {
    private static let scenario = """
        name: A
        setup:
          - clock: freeze
        steps:
          - main: hasValidActivation
          - repeat: 2
            steps:
              - main: kill
          - eventually: 1s
            steps:
              - main: hasValidActivation
          - never: { wallet: hasValidActivation, expect: true }
            steps:
              - clock: run
        tearDown:
          - main: launch

        """

    private func scenarios() throws -> [Scenario] {
        let workspace = try SuiteWorkspace(["a.yaml": Self.scenario])
        let outcome = SuiteReader(labPath: nil, environment: [:]).read([workspace.directory.path])
        #expect(outcome.diagnostics.map(\.kind) == [])
        return outcome.scenarios
    }

    private func points(_ texts: String...) throws -> PausePoints {
        var points = PausePoints()
        for text in texts { try points.add(text) }
        return points
    }

    @Test func `A place is a line, a line of a file, or an event`() throws {
        let points = try points("12", "flow.yaml:3", "odd:name.yaml:4", "process.ended")
        #expect(
            points.lines == [
                PausePoints.Line(file: nil, number: 12), PausePoints.Line(file: "flow.yaml", number: 3),
                PausePoints.Line(file: "odd:name.yaml", number: 4),
            ])
        #expect(points.lines.map(\.text) == ["12", "flow.yaml:3", "odd:name.yaml:4"])
        #expect(points.events == ["process.ended"])
        for wrong in ["", "0", "-1", "x", ":3", "a.yaml:", "a.yaml:0", "a.yaml:x", "12:a.yaml"] {
            let refusal = #expect(throws: BadUsage.self) { try self.points(wrong) }
            #expect(refusal?.description.contains("not `\(wrong)`") == true, "\(wrong)")
        }
        let misspelled = #expect(throws: BadUsage.self) { try self.points("process.end") }
        #expect(misspelled?.description.hasSuffix("; did you mean `process.ended`?") == true)
        #expect(!points.isEmpty && PausePoints().isEmpty)
        var every = PausePoints()
        every.everyStep = true
        #expect(!every.isEmpty)
    }

    @Test func `A line is one on which a step begins at which the run can stop`() throws {
        let scenarios = try scenarios()
        var fine: [Int] = []
        for line in 1...17 where (try? points("\(line)").check(scenarios)) != nil { fine.append(line) }
        #expect(fine == [3, 5, 6, 8, 9, 12, 14, 16])
        func refusal(_ text: String) -> String? {
            let error = #expect(throws: BadUsage.self) { try points(text).check(scenarios) }
            return error?.description
        }
        let rest = ". Inside `eventually`, `race` and `parallel` it does not stop"
        let start = "no step at which a run can stop begins on line "
        #expect(refusal("1") == "\(start)1; the nearest one begins on line 3\(rest)")
        #expect(refusal("a.yaml:11") == "\(start)a.yaml:11; the nearest one begins on line 12\(rest)")
        #expect(refusal("b.yaml:5") == "\(start)b.yaml:5\(rest)")
        #expect(throws: Never.self) { try points("a.yaml:5", "process.ended").check(scenarios) }
    }

    @Test func `The run stops before the steps on the lines, in files of that name`() throws {
        let steps = try #require(try scenarios().first).allSteps
        func lines(_ text: String) throws -> [Int] {
            let points = try points(text)
            return steps.filter(points.include).map(\.place.range.start.line)
        }
        #expect(try lines("5") == [5])
        #expect(try lines("a.yaml:16") == [16])
        #expect(try lines("yaml:5") == [])
        #expect(try lines("4") == [])
    }

    /// Runs a scenario that stops, with lines that are typed at the stops.
    /// - Returns: the run, what it has shown, and why it ended early.
    private func play(
        _ scenario: Scenario, stoppingAt points: PausePoints, typed text: String
    ) async throws -> (run: FakeRun, shown: String, interruption: Interruption) {
        let directory = try TemporaryDirectory()
        let file = directory.file("typed")
        try Files.write(Data(text.utf8), to: file)
        let typed = try #require(FileHandle(forReadingAtPath: file))
        let (shown, interruption) = (Recorder<String>(), Interruption())
        let gate = StepGate(
            points, printer: ProgressPrinter(look: .plain) { shown.add($0) }, input: typed.fileDescriptor,
            interruption: interruption)
        let run = try await FakeRun(scenario, answers: FakeAnswers(), interruption: interruption, gate: gate)
        try typed.close()
        return (run, shown.all.joined(), interruption)
    }

    @Test
    func `Enter continues by a step, 'c' to the next stop; 'q' and the end of the input end the run`() async throws {
        // The lines at which three steps stop, or none for every step; what is typed; the stops, the steps that were
        // carried out, and why the run ended early.
        let rows: [(lines: [String], typed: String, stops: [String], performed: Int, reason: String)] = [
            (["3"], "\nc\n", ["1", "2"], 3, ""),
            (["3"], "\n\n\n", ["1", "2", "3"], 3, ""),
            (["3", "5"], "c\nc\n", ["1", "3"], 3, ""),
            ([], "\nc\n", ["1", "2"], 3, ""),
            ([], "\n\n\n", ["1", "2", "3"], 3, ""),
            (["4"], "q\n", ["2"], 1, "ended at a stop"),
            (["4"], "\n", ["2", "3"], 2, "the input ended at a stop"),
            (["4"], "", ["2"], 1, "the input ended at a stop"),
        ]
        let commands = ["hasValidActivation", "canStartActivation", "hasPendingActivation"]
        let scenario = try RedCase.scenario("name: Stops\nsteps:\n" + commands.map { "  - main: \($0)\n" }.joined())
        for row in rows {
            var points = PausePoints()
            points.everyStep = row.lines.isEmpty
            for line in row.lines { try points.add(line) }
            let (run, shown, interruption) = try await play(scenario, stoppingAt: points, typed: row.typed)
            let stops = shown.matches(of: #/paused before step (\S+) at/#).map { String($0.1) }
            #expect(stops == row.stops, "\(row)")
            let performed = run.requests.filter { commands.contains($0.command) }
            #expect(performed.count == row.performed, "\(row)")
            #expect(interruption.reason == row.reason, "\(row)")
            let verdict: Verdict = row.reason.isEmpty ? .passed : .inconclusive
            #expect(run.result.verdict == verdict, "\(row)")
        }
    }

    @Test func `What is wrong with a typed line is shown without the run's secrets`() async throws {
        let scenario = try RedCase.scenario(
            """
            name: Stops
            steps:
              - main: validatePassword
                with: { password: hunter2-4711 }
              - main: hasValidActivation
            """)
        var points = PausePoints()
        try points.add("5")
        let (run, text, _) = try await play(
            scenario, stoppingAt: points, typed: "hunter2-4711 hasValidActivation\nmain hunter2-4711\nc\n")
        #expect(text.contains("paused before step 2") && text.contains(Secret.mask), "\(text)")
        #expect(!text.contains("hunter2"), "\(text)")
        #expect(run.requests.contains { $0.command == "validatePassword" })
    }

    @Test func `The instance of a failed scenario ends, is kept as the first one, or waits for a line`() async throws {
        let directory = try TemporaryDirectory()
        try Files.write(Data("\n".utf8), to: directory.file("typed"))
        let typed = try #require(FileHandle(forReadingAtPath: directory.file("typed")))
        let input = typed.fileDescriptor
        try await FakeLab.run { lab in
            let (instance, shown) = (lab.connection, Recorder<String>())
            func handling(_ handling: FailureHandling) -> FailedInstances {
                FailedInstances(handling, printer: ProgressPrinter(look: .plain) { shown.add($0) })
            }
            let id = instance.manifest.id
            let (ending, keeping, pausing) = (handling(.ends), handling(.isKept), handling(.pauses(until: input)))
            #expect(!ending.handle(instance, interruption: Interruption()))
            #expect(shown.takeAll() == [])
            #expect(keeping.handle(instance, interruption: Interruption()))
            #expect(!keeping.handle(instance, interruption: Interruption()))
            #expect(shown.takeAll().map { $0.hasPrefix("instance \(id) is kept") } == [true], "only the first one")
            #expect(!pausing.handle(instance, interruption: Interruption()))
            #expect(shown.takeAll().map { $0.hasPrefix("paused: instance \(id) is") } == [true])
            #expect(!instance.clock.isFrozen)
            let ended = Interruption()
            ended.set()
            #expect(!pausing.handle(instance, interruption: ended))
            #expect(shown.takeAll() == [], "a run that ends does not wait")
        }
        try typed.close()
    }

    @Test func `Without options all scenarios run once, in order and within limits, and ten runs are kept`() {
        let options = RunOptions(paths: ["a"])
        #expect(options.paths == ["a"] && options.tags == [] && options.reports == [])
        #expect(options.jobs == ProcessInfo.processInfo.activeProcessorCount)
        #expect(options.keptRuns == 10 && options.order == .suite && !options.failFast)
        #expect(options.rounds == Rounds() && options.rounds.count == 1 && !options.rounds.areOpen)
        #expect(options.onFailure == .ends && options.pauses.isEmpty && options.pauseInput == 0)
        #expect(!options.lastFailed && !options.neverPlayed && options.slowest == nil && options.shard == nil)
        #expect(options.limits.step == .seconds(30).stretched)
        #expect(options.limits.scenario == .seconds(60).stretched)
        #expect(options.limits.run == nil)
        #expect(Phase.usualLimit == .seconds(30).stretched && StepReader.patience == .seconds(5).stretched)
    }
}
