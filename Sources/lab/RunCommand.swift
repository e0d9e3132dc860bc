import ArgumentParser
import Foundation
import LabRunner
import LabSystem

/// `lab run`: runs scenarios.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs scenarios, each in an instance of its own.",
        discussion:
            "Exit codes: 0 passed, 1 failed, 2 bad input, 3 the lab failed or a verdict is open, 130 interrupted.")

    @Argument(help: "Scenario files, or directories that are searched for them.")
    var paths: [String] = []

    @Option(help: "Write a report: junit=FILE, tap=FILE, json=FILE or jsonl=FILE; - is standard output.")
    var report: [String] = []

    @Option(help: "How many scenarios run at the same time.")
    var jobs = 1

    @Option(help: "Seed of the lab's random values.")
    var seed: UInt64?

    @Option(help: "Only scenarios whose path or name contains this text.")
    var filter: String?

    @Option(help: "Only scenarios with this tag; !TAG excludes. May be repeated.")
    var tags: [String] = []

    @Option(name: .customLong("repeat"), help: "Run each scenario several times, with the following seeds.")
    var repetitions = 1

    @Flag(help: "Stop after the first scenario that did not pass.")
    var failFast = false

    @Option(help: "The lab file; otherwise lab.yaml is looked for upwards from the first path.")
    var lab: String?

    func run() throws {
        // Not left to the parser, which would hide an unknown flag behind a missing path.
        guard !paths.isEmpty else { throw BadUsage(sentence: "`lab run` needs scenario files or directories") }
        guard jobs >= 1 else { throw BadUsage(sentence: "--jobs must be at least 1") }
        guard repetitions >= 1 else { throw BadUsage(sentence: "--repeat must be at least 1") }
        var options = RunOptions(paths: paths)
        options.labFile = lab
        options.jobs = jobs
        options.seed = seed
        options.filter = filter
        options.tags = tags.flatMap { $0.split(separator: ",").map(String.init) }
        options.repetitions = repetitions
        options.failFast = failFast
        options.reports = try report.map(Self.readReport)
        let interruption = Interruption()
        try Signals.onSignals([SIGINT, SIGTERM, SIGHUP]) { _ in interruption.set() }
        // Progress must not get between the lines of a report.
        let progress: Int32 = options.reports.contains(where: \.isStandardOutput) ? 2 : 1
        let runner = SuiteRunner(
            options: options,
            printer: ProgressPrinter(isTerminal: Console.isTerminal(progress)) { Console.write($0, to: progress) },
            interruption: interruption, writeErrors: { Console.write($0, to: 2) })
        throw runner.run()
    }

    static func readReport(_ text: String) throws -> RunOptions.Report {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let format = RunOptions.Report.Format(rawValue: parts[0]) else {
            let formats = RunOptions.Report.Format.allCases.map { "\($0.rawValue)=FILE" }.joined(separator: ", ")
            throw BadUsage(sentence: "--report takes one of \(formats), not `\(text)`")
        }
        return RunOptions.Report(format: format, path: parts[1])
    }
}
