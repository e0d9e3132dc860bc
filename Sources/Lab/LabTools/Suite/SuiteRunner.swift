// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LabCore
import LabFile
import LabReports
import LabSystem
public import ScenarioEngine
import ScenarioLanguage
import Synchronization

/// Runs scenarios: reads everything first, then runs them in instances of their own, then reports.
///
/// Thread rule: `run` is called once, on a thread that may block.
public final class SuiteRunner: Sendable {
    private let options: RunOptions
    private let environment: [String: String]
    private let changes: ChangedFiles?
    private let printer: ProgressPrinter
    private let interruption: Interruption
    /// Triggered by the caller's interruption and by the run's time limit.
    private let ending = Interruption()
    private let writeErrors: @Sendable (String) -> Void
    private let results = Mutex<[Int: ScenarioResult]>([:])

    /// A runner.
    /// - Parameter interruption: Ends the run early when set.
    public convenience init(
        options: RunOptions, environment: [String: String] = ProcessInfo.processInfo.environment,
        printer: ProgressPrinter, interruption: Interruption, writeErrors: @escaping @Sendable (String) -> Void
    ) {
        self.init(
            options: options, environment: environment, changes: nil, printer: printer, interruption: interruption,
            writeErrors: writeErrors)
    }

    /// - Parameter changes: Selects only the scenarios affected by these.
    init(
        options: RunOptions, environment: [String: String], changes: ChangedFiles?, printer: ProgressPrinter,
        interruption: Interruption, writeErrors: @escaping @Sendable (String) -> Void
    ) {
        self.options = options
        self.environment = environment
        self.changes = changes
        self.printer = printer
        self.interruption = interruption
        self.writeErrors = writeErrors
    }

    /// Runs.
    public func run() -> RunOutcome {
        let search = SuiteSearch(
            options: options, environment: environment, changes: changes, print: printer.print,
            writeErrors: writeErrors)
        guard let found = search.find() else { return .badInput }
        do {
            let reports = try RunReports(options.reports, inputs: found.inputs)
            return try run(found, reports: reports)
        } catch let error as BadUsage {
            writeErrors("error: \(error)\n".withVisibleControls)
            return .badInput
        } catch {
            writeErrors("error: \(error)\n".withVisibleControls)
            return .inconclusive
        }
    }

    private func run(_ found: SuiteSearch.Found, reports: RunReports) throws -> RunOutcome {
        try options.pauses.check(found.scenarios)
        let gate =
            options.pauses.isEmpty
            ? nil
            : StepGate(options.pauses, printer: printer, input: options.pauseInput, interruption: interruption)
        let failed = FailedInstances(options.onFailure, printer: printer)
        let executables = try Executables.find(environment: environment)
        let records = options.recordsDirectory ?? "\(Files.directory(of: found.labFile))/.lab"
        let seed = options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        guard !found.scenarios.isEmpty || options.shard != nil else {
            printer.print("nothing to run: \(found.emptiness)\n")
            // Not recorded, so that the last failures stay recorded.
            try reports.begin(seed: seed, scenarios: 0, directory: "")
            try reports.end(JSONReport(seed: seed, seconds: 0, results: []), outcome: .passed)
            return .passed
        }
        let circumstances = RunCircumstances.now(
            arguments: options.arguments, in: Files.directory(of: Files.absolute(found.labFile)))
        // If records are kept elsewhere, no command would find them.
        let earlier = options.recordsDirectory == nil ? LastPassingRuns(in: records) : nil
        let directory = try RunDirectory.create(in: records, keeping: options.keptRuns)
        defer { withExtendedLifetime(directory) {} }
        let setting = ScenarioRun.Setting(
            executables: executables, labFile: found.labFile, limits: options.limits, labOption: options.labFile,
            afterFailure: { [ending] in failed.handle($0, interruption: ending) }, gate: gate,
            sharedSetups: SharedSetups(recordedIn: directory.path, labVersion: LabVersion.current), keep: failed.keep)
        let queue = RoundQueue(found.scenarios, order: options.order, seed: seed, rounds: options.rounds)
        try reports.begin(seed: seed, scenarios: queue.total, directory: directory.path)
        printer.start(total: queue.total)
        interruption.passing(to: ending) {
            let countdown = Countdown(options.limits.run) { [ending] limit in
                ending.set(because: "the run takes longer than \(limit), its limit (--run-timeout)")
            }
            defer { countdown.end() }
            // There is one person.
            let jobs = gate == nil ? options.jobs : 1
            let threads = (0..<max(1, min(jobs, queue.total ?? .max))).map { number in
                runOnThread(name: "job \(number + 1)") { [self] in
                    while let job = next(in: queue) {
                        perform(job, directory: directory, setting: setting, reports: reports, earlier: earlier)
                    }
                }
            }
            for thread in threads { thread.join() }
        }
        printer.finish()
        let results = results.withLock { results in
            queue.jobs.map {
                results[$0.index]
                    ?? ScenarioResult(
                        notRun: $0.scenario, id: $0.id, round: $0.round, seed: $0.seed, labOption: options.labFile)
            }
        }
        let outcome = outcome(of: results)
        try report(
            JSONReport(
                seed: seed, seconds: reports.seconds, results: results, shard: shardRecord(of: found.suite),
                circumstances: circumstances),
            to: reports, outcome: outcome, directory: directory)
        for complaint in failed.holdKept(until: interruption) {
            writeErrors("error: the instance was not left clean: \(complaint)\n".withVisibleControls)
        }
        if let failure = directory.seal() { writeErrors("warning: \(failure)\n".withVisibleControls) }
        return outcome
    }

    private func shardRecord(of suite: [String]) -> ShardRecord? {
        options.shard.map { shard in
            let ids = (1...(options.rounds.count ?? 1)).flatMap { round in
                suite.map { $0 + RoundQueue.Job.suffix(ofRound: round) }
            }
            return ShardRecord(number: shard.number, count: shard.count, suite: ids)
        }
    }

    private func outcome(of results: [ScenarioResult]) -> RunOutcome {
        if ending.isSet {
            let rest = results.count { $0.verdict == .notRun }
            printer.print("\(ending.reason): \(rest) of \(results.count) scenarios were not run\n")
        }
        if interruption.isSet { return .interrupted }
        return RunOutcome(results)
    }

    private func next(in queue: RoundQueue) -> RoundQueue.Job? {
        if ending.isSet { return nil }
        if options.failFast, hasFailed { return nil }
        return queue.next { hasFailed }
    }

    private var hasFailed: Bool { results.withLock { $0.values.contains { $0.isHeldAgainstRun } } }

    private func perform(
        _ job: RoundQueue.Job, directory: RunDirectory, setting: ScenarioRun.Setting, reports: RunReports,
        earlier: LastPassingRuns?
    ) {
        let scenario = job.scenario
        printer.began(scenario.name)
        reports.began(job.index + 1, scenario, seed: job.seed)
        let place = directory.scenario(scenario.id) + job.suffix
        var result: ScenarioResult
        guard scenario.obstacle == nil else {
            return note(
                ScenarioResult(
                    notRun: scenario, id: job.id, round: job.round, seed: job.seed, labOption: options.labFile),
                of: job, page: nil, reports: reports)
        }
        result = ScenarioPerformance(
            scenario: scenario, seed: job.seed, directory: place, setting: setting, interruption: ending,
            labFile: Files.absolute(setting.labFile ?? scenario.file.path), environment: environment,
            settings: options.settings
        ).perform()
        if result.verdict != .notRun, let failure = result.leadingFailureIndex,
            let run = earlier?.lastRun(passing: scenario.id)
        {
            result.failures[failure].passed = EarlierPass(
                run: run, comparison: scenario.comparison(with: run, labOption: options.labFile))
        }
        note(result, of: job, page: directory.page, reports: reports)
    }

    private func note(_ result: ScenarioResult, of job: RoundQueue.Job, page: String?, reports: RunReports) {
        var result = result
        (result.id, result.round) = (job.id, job.round)
        let isShown = !printer.look.isQuiet || result.isHeldAgainstRun
        let text = isShown ? TerminalReport(isColoured: printer.look.isColoured).render(result, page: page) : ""
        printer.ended(job.scenario.name, at: job.index, text)
        reports.ended(job.index + 1, result)
        results.withLock { $0[job.index] = result }
    }

    private func report(
        _ report: JSONReport, to reports: RunReports, outcome: RunOutcome, directory: RunDirectory
    ) throws {
        try Files.write(try report.rendered(), to: "\(directory.path)/\(JSONReport.fileName)")
        // The report of this run is one of them.
        let kept = try? RecordedRuns(records: Files.directory(of: Files.directory(of: directory.path))).history()
        try PageReport(runs: [.init(label: "", report: report)], kept: kept).write(to: directory.page)
        let terminal = TerminalReport(isColoured: printer.look.isColoured)
        let isQuiet = printer.look.isQuiet
        printer.print(
            (isQuiet ? "" : "\n") + terminal.flakiness(report.results)
                + terminal.summary(
                    report.results, seconds: report.seconds, seed: report.seed,
                    directory: directory.path, showsCosts: !isQuiet))
        if let annotations = GitHubAnnotations(environment: environment) {
            printer.print(annotations.lines(report.results))
        }
        try GitHubSummary(environment: environment)?.add(report)
        try reports.end(report, page: directory.page, outcome: outcome)
    }
}
