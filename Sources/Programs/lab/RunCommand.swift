// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
import LabCore
import LabTools
public import ScenarioEngine
import ScenarioLanguage

/// `lab run`: runs scenarios.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs scenarios, each in an instance of its own.",
        discussion:
            "Exit codes: 0 passed, 1 failed, 2 bad input, 3 the lab failed or a verdict is open, 130 interrupted.")

    @OptionGroup var selection: SelectionOptions

    @Option(
        help:
            "Write a report: html=DIR, junit=FILE, tap=FILE, codequality=FILE, json=FILE or jsonl=FILE; - is standard output."
    )
    var report: [String] = []

    @Option(
        name: .shortAndLong,
        help: "How many scenarios run at the same time; otherwise as many as the machine has cores.")
    var jobs: Int?

    @Option(help: "Seed of the lab's random values.")
    var seed: UInt64?

    @Option(help: "suite or random; the seed decides the random order.")
    var order = RunOptions.Order.suite

    @Option(
        name: .customLong("repeat"), help: "Run each scenario several times, with the following seeds. (default: 1)")
    var repetitions: Int?

    @Option(help: "Begin rounds with the following seeds for so long, for example 10m; those that have begun end.")
    var repeatFor: String?

    @Flag(help: "Begin rounds with the following seeds until a scenario does not pass.")
    var untilFail = false

    @Flag(help: "Stop after the first scenario that did not pass.")
    var failFast = false

    @Flag(help: "Rerun saved files: scenarios, files that they include, the lab file. Ends with q or Ctrl-C.")
    var watch = false

    @Flag(help: "Leave the instance of the first scenario that did not pass as it is, until Ctrl-C or lab down.")
    var keep = false

    @Flag(help: "Wait for Enter before the tear-down of a scenario that did not pass.")
    var pauseOnFailure = false

    @Flag(help: "Stop before each step until Enter; what is typed instead is tried as in lab shell.")
    var step = false

    @Option(help: "Stop before the step on a line, 12 or flow.yaml:12, or after an event such as link.delivered.")
    var pauseAt: [String] = []

    @Option(help: "How long the answer to a step may take, for example 10s. (default: 30s)")
    var stepTimeout: String?

    @Option(help: "How long the steps of a scenario may take, or none. (default: 60s)")
    var scenarioTimeout: String?

    @Option(help: "How long the whole run may take, or none. (default: none)")
    var runTimeout: String?

    @Option(help: "How many runs are kept in .lab/runs, with this one.")
    var keepRuns = 10

    @Flag(name: .shortAndLong, help: "Show failures and the total only.")
    var quiet = false

    @Flag(help: "Print the steps with everything that is known before; start nothing.")
    var dryRun = false

    func run() throws {
        let options = try readOptions()
        guard !dryRun else { throw Console.overview(options).plan() }
        // Progress must not get between the lines of a report.
        let printer = Console.progress(
            isQuiet: quiet, to: options.reports.contains(where: \.isStandardOutput) ? 2 : 1)
        let interruption = try InterruptingSignals.interruption(telling: printer)
        guard watch else {
            throw SuiteRunner(
                options: options, printer: printer, interruption: interruption,
                writeErrors: { Console.write($0, to: 2) }
            ).run()
        }
        throw try TerminalKeys.whileRead { keyboard in
            try RerunOnSave(
                options: options, printer: printer, interruption: interruption, keyboard: keyboard,
                writeErrors: { Console.write($0, to: 2) }
            ).run()
        }
    }

    private func readOptions() throws -> RunOptions {
        guard jobs ?? 1 >= 1 else { throw BadUsage(sentence: "--jobs must be at least 1") }
        guard keepRuns >= 1 else { throw BadUsage(sentence: "--keep-runs must be at least 1: this run is one of them") }
        guard !keep || !pauseOnFailure else {
            throw BadUsage(sentence: "--keep and --pause-on-failure exclude each other")
        }
        guard !watch || !(keep || pauseOnFailure) else {
            throw BadUsage(sentence: "--watch continues after a failure, so it excludes --keep and --pause-on-failure")
        }
        guard !watch || !selection.paths.contains(SuiteReader.standardInput) else {
            throw BadUsage(sentence: "--watch reruns saved files, so it excludes a scenario from standard input")
        }
        guard !pauseOnFailure || isatty(0) == 1 else {
            throw BadUsage(sentence: "--pause-on-failure needs a terminal as standard input; --keep does not")
        }
        let rounds = try readRounds()
        let pauses = try readPauses()
        var options = try selection.runOptions(of: "run")
        options.pauses = pauses
        options.arguments = Array(CommandLine.arguments.dropFirst())
        if let jobs { options.jobs = jobs }
        options.seed = seed
        options.order = order
        options.rounds = rounds
        options.failFast = failFast
        options.keptRuns = keepRuns
        options.onFailure = keep ? .isKept : pauseOnFailure ? .pauses(until: 0) : .ends
        options.reports = try report.map(ReportOption.read)
        if let limit = try Self.readLimit(stepTimeout, of: "--step-timeout") {
            guard let limit else { throw BadUsage(sentence: "--step-timeout takes a duration such as 10s, not `none`") }
            options.limits.step = limit
        }
        if let limit = try Self.readLimit(scenarioTimeout, of: "--scenario-timeout") { options.limits.scenario = limit }
        if let limit = try Self.readLimit(runTimeout, of: "--run-timeout") { options.limits.run = limit }
        return options
    }

    private func readPauses() throws -> PausePoints {
        var pauses = PausePoints()
        pauses.everyStep = step
        for text in pauseAt { try pauses.add(text) }
        guard !pauses.isEmpty else { return pauses }
        let option = step ? "--step" : "--pause-at"
        guard !watch else { throw BadUsage(sentence: "--watch does not wait for a person, so it excludes \(option)") }
        guard jobs ?? 1 == 1 else {
            throw BadUsage(sentence: "\(option) stops one scenario after the other, so it excludes --jobs \(jobs ?? 1)")
        }
        guard isatty(0) == 1 else { throw BadUsage(sentence: "\(option) needs a terminal as standard input") }
        return pauses
    }

    private func readRounds() throws -> Rounds {
        let duration = try repeatFor.map { text in
            guard let duration = LabDuration(text), duration.nanoseconds > 0 else {
                throw BadUsage(sentence: "--repeat-for takes a duration such as 10m, not `\(text)`")
            }
            return duration
        }
        let rounds = try Rounds(count: repetitions, duration: duration, endAtFailure: untilFail)
        guard duration != nil || untilFail else { return rounds }
        let option = untilFail ? "--until-fail" : "--repeat-for"
        guard !watch else {
            throw BadUsage(sentence: "\(option) may never end, so it excludes --watch, which waits for the end")
        }
        guard selection.shard == nil else {
            throw BadUsage(
                sentence: "\(option) excludes --shard: shards belong together only with the same number of rounds")
        }
        return rounds
    }

    /// A limit of time; nil when nothing was said, and a nil inside for `none`.
    private static func readLimit(_ text: String?, of option: String) throws -> LabDuration?? {
        guard let text else { return nil }
        if text == "none" { return .some(nil) }
        guard let limit = LabDuration(text), limit.nanoseconds > 0 else {
            throw BadUsage(sentence: "\(option) takes a duration such as 10s or 2m, not `\(text)`")
        }
        return limit
    }
}

/// The value of `--report`.
enum ReportOption {
    /// Reads `junit=FILE`.
    static func read(_ text: String) throws -> RunOptions.Report {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let format = RunOptions.Report.Format(rawValue: parts[0]) else {
            let formats = RunOptions.Report.Format.allCases.map { "\($0.rawValue)=\($0 == .html ? "DIR" : "FILE")" }
                .joined(separator: ", ")
            throw BadUsage(sentence: "--report takes one of \(formats), not `\(text)`")
        }
        return RunOptions.Report(format: format, path: parts[1])
    }
}

extension RunOptions.Order: ExpressibleByArgument {}
