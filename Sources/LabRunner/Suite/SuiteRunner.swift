public import Foundation
internal import LabFile
internal import LabKit
internal import LabSystem
internal import Synchronization

/// Runs scenarios: reads everything first, then runs them in instances of their own, then reports.
///
/// Thread rule: `run` is called once, on a thread that may block.
public final class SuiteRunner: Sendable {
    private let options: RunOptions
    private let environment: [String: String]
    private let printer: ProgressPrinter
    private let interruption: Interruption
    private let writeErrors: @Sendable (String) -> Void
    private let results = Mutex<[Int: ScenarioResult]>([:])
    private let queue = Mutex<[Job]>([])

    private struct Job {
        let index: Int
        let scenario: Scenario
        let repetition: Int
        let seed: UInt64
    }

    /// A runner.
    ///
    /// - Parameters:
    ///   - options: What to run.
    ///   - environment: Environment variables.
    ///   - printer: Takes progress and results.
    ///   - interruption: Ends the run early when set.
    ///   - writeErrors: Takes diagnostics, for standard error.
    public init(
        options: RunOptions, environment: [String: String] = ProcessInfo.processInfo.environment,
        printer: ProgressPrinter, interruption: Interruption, writeErrors: @escaping @Sendable (String) -> Void
    ) {
        self.options = options
        self.environment = environment
        self.printer = printer
        self.interruption = interruption
        self.writeErrors = writeErrors
    }

    /// Runs.
    public func run() -> RunOutcome {
        let missing = SuiteReader.missing(among: options.paths)
        guard missing.isEmpty else {
            for path in missing { writeErrors("error: there is no such file or directory: \(path)\n") }
            return .badInput
        }
        let suite = SuiteReader(labPath: options.labFile, environment: environment).read(options.paths)
        guard suite.diagnostics.isEmpty, let labFile = suite.labFile else {
            let renderer = DiagnosticRenderer(secrets: suite.secrets)
            writeErrors(renderer.render(suite.diagnostics))
            let count = suite.diagnostics.count
            writeErrors("\nnothing was run: \(count) \(count == 1 ? "mistake" : "mistakes")\n")
            if let annotations = GitHubAnnotations(environment: environment) {
                printer.print(annotations.lines(suite.diagnostics))
            }
            return .badInput
        }
        writeErrors(DiagnosticRenderer(secrets: suite.secrets).render(suite.warnings))
        let selection = Selection(filter: options.filter, tags: options.tags)
        if let complaint = selection.complaint(about: suite.scenarios) {
            writeErrors(complaint + "\n")
            return .badInput
        }
        let scenarios = suite.scenarios.filter(selection.contains)
        do {
            let reports = try RunReports(options.reports, inputs: suite.inputs)
            return try run(scenarios, labFile: Files.absolute(labFile.file.path), reports: reports)
        } catch let error as BadUsage {
            writeErrors("error: \(error)\n")
            return .badInput
        } catch {
            writeErrors("error: \(error)\n")
            return .inconclusive
        }
    }

    private func run(_ scenarios: [Scenario], labFile: String, reports: RunReports) throws -> RunOutcome {
        let executables = try Executables.find(environment: environment)
        let records = options.recordsDirectory ?? "\(Files.directory(of: labFile))/.lab"
        let directory = try RunDirectory.create(in: records)
        let seed = options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        var jobs: [Job] = []
        for repetition in 0..<options.repetitions {
            for scenario in scenarios {
                jobs.append(
                    Job(
                        index: jobs.count, scenario: scenario, repetition: repetition,
                        seed: seed &+ UInt64(repetition)))
            }
        }
        try reports.begin(seed: seed, scenarios: jobs.count, directory: directory.path)
        queue.withLock { $0 = jobs.reversed() }
        let threads = (0..<max(1, min(options.jobs, jobs.count))).map { number in
            runOnThread(name: "job \(number + 1)") { [self] in
                while let job = next() {
                    perform(
                        job, directory: directory, executables: executables, labFile: labFile, reports: reports)
                }
            }
        }
        for thread in threads { thread.join() }
        let results = results.withLock { results in results.sorted { $0.key < $1.key }.map(\.value) }
        let outcome = outcome(of: results)
        let report = JSONReport(seed: seed, seconds: reports.seconds, results: results)
        try Files.write(report.rendered(), to: "\(directory.path)/report.json")
        let summary = TerminalReport(isColoured: printer.isTerminal)
            .summary(results, seconds: report.seconds, seed: seed, directory: directory.path)
        printer.print("\n" + summary)
        if let annotations = GitHubAnnotations(environment: environment) {
            printer.print(annotations.lines(results))
        }
        try reports.end(report, outcome: outcome)
        if outcome == .interrupted {
            printer.print("interrupted after \(results.count) of \(jobs.count) scenarios\n")
        }
        return outcome
    }

    private func outcome(of results: [ScenarioResult]) -> RunOutcome {
        if interruption.isSet { return .interrupted }
        let verdicts = results.filter(\.isHeldAgainstRun).map(\.verdict)
        return verdicts.contains(.failed) ? .failed : verdicts.contains(.inconclusive) ? .inconclusive : .passed
    }

    private func next() -> Job? {
        if interruption.isSet { return nil }
        if options.failFast, results.withLock({ $0.values.contains { $0.isHeldAgainstRun } }) { return nil }
        return queue.withLock { $0.popLast() }
    }

    private func perform(
        _ job: Job, directory: RunDirectory, executables: Executables, labFile: String, reports: RunReports
    ) {
        let scenario = job.scenario
        printer.began(scenario.name)
        reports.began(job.index + 1, scenario, seed: job.seed)
        let place = directory.scenario(scenario.id, repetition: job.repetition)
        var result: ScenarioResult
        do {
            result = try ScenarioRun(
                scenario, seed: job.seed, directory: place, executables: executables, labFile: labFile,
                interruption: interruption
            ).perform()
        } catch {
            result = ScenarioResult(unstarted: scenario, seed: job.seed, because: "\(error)", directory: place)
        }
        let text = TerminalReport(isColoured: printer.isTerminal).render(result)
        if interruption.isSet, result.verdict == .passed { result.verdict = .inconclusive }
        printer.ended(scenario.name, interruption.isSet ? "" : text)
        reports.ended(job.index + 1, result)
        results.withLock { $0[job.index] = result }
    }
}

extension ScenarioResult {
    /// The result of a scenario that could not even be tried.
    init(unstarted scenario: Scenario, seed: UInt64, because reason: String, directory: String) {
        let replay = scenario.replay(seed: seed)
        self.init(
            id: scenario.id, name: scenario.name, tags: scenario.tags, file: scenario.file.path,
            topology: scenario.topology.name, seed: seed, verdict: .inconclusive, quarantine: scenario.quarantine,
            seconds: 0, commands: 0,
            failures: [
                StepFailure(
                    verdict: .inconclusive, step: "", title: "", place: "", source: "", reason: reason,
                    differences: [], trace: [], replay: replay)
            ], overheads: [], launches: [:], replay: replay, directory: directory)
    }
}
