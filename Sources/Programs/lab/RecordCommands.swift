// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
public import LabReports
import LabSystem
import LabTools
import ScenarioEngine
import ScenarioLanguage

/// `lab merge`: joins the reports of shards.
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Joins the JSON reports of all shards of a run, or the shards of an exploration.",
        discussion:
            "Exit codes, as the run of the whole suite would have had: 0 passed, 1 failed, 2 bad input, 3 a verdict is open."
    )

    @Argument(help: "The JSON reports, or the directories of explorations, one of each shard.")
    var paths: [String] = []

    @Option(help: "Write a report: html=DIR, junit=FILE, tap=FILE, codequality=FILE or json=FILE.")
    var report: [String] = []

    func run() throws {
        guard !paths.isEmpty else { throw BadUsage(sentence: "`lab merge` needs the JSON reports of all shards") }
        try ImmediateEnd.onSignals()
        let reports = try report.map(ReportOption.read)
        guard !reports.contains(where: { $0.format == .jsonl }) else {
            throw BadUsage(sentence: "`lab merge` writes no jsonl report: its events are those of a run in progress")
        }
        if let merge = try ExplorationMerge(paths: paths, print: { Console.write($0, to: 1) }) {
            guard reports.isEmpty else {
                throw BadUsage(
                    sentence: "`lab merge` writes reports of runs; an exploration has no results for --report")
            }
            throw try merge.perform(isColoured: Console.look(of: 1).isColoured)
        }
        // A report on standard output is alone there, as that of `lab run` is.
        let output: Int32 = reports.contains(where: \.isStandardOutput) ? 2 : 1
        let merge = ReportMerge(paths: paths, reports: reports) { Console.write($0, to: output) }
        throw try merge.perform(isColoured: Console.look(of: output).isColoured)
    }
}

/// `lab history`: what the kept runs show about each scenario.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract:
            "Shows how often each scenario passed in the kept runs, how long it took, and since when it has not.",
        discussion: "Exit codes: 0 also when scenarios have not passed, 2 when no run is kept.")

    @Argument(help: "Scenario files, directories, or rows as in login.yaml[wrong-pin]; otherwise all that were played.")
    var paths: [String] = []

    @Option(
        help: "The lab file, beside which runs are kept; otherwise lab.yaml is looked for upwards from the first path.")
    var lab: String?

    @Flag(help: "Print JSON with a version, for programs.")
    var json = false

    func run() throws {
        try ImmediateEnd.onSignals()
        let history = try RecordedRuns(labFile: lab, near: paths.first ?? ".").history(of: paths)
        Console.write(json ? try history.json() : history.text, to: 1)
    }
}

/// `lab diff`: compares two runs.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Shows where two recorded runs diverge: the first step, and the first event of each process.",
        discussion: """
            Identifiers, times and keys are left out of the comparison. `lab show RUN --against RUN` shows both on a page. Exit \
            codes: 0 both did the same, 1 they did not, 2 there is no such run or scenario, 3 a record is damaged.
            """)

    @Argument(help: "Identifier or directory of a run.")
    var first: String

    @Argument(help: "The same of another one; `latest` is the last one.")
    var second: String

    @Argument(help: "A scenario, a row as in login.yaml[wrong-pin], or a directory; otherwise all that were played.")
    var scenario: String?

    @Option(help: "The lab file, beside which runs are kept; otherwise lab.yaml is looked for upwards from here.")
    var lab: String?

    func run() throws {
        try ImmediateEnd.onSignals()
        let runs = try lab.map { try RecordedRuns(labFile: $0, near: ".") } ?? RecordedRuns(holding: first)
        let difference = try runs.difference(of: first, and: second, in: scenario)
        Console.write(difference.text, to: 1)
        if !difference.isSame { throw RunOutcome.failed }
    }
}

/// `lab stats`: counts what happened in a run.
struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract:
            "Counts what happened in a run, and how long it took: requests, locks, operations, launches, signatures.")

    @Argument(help: "Identifier or directory of the run; otherwise the last one.")
    var name: String?

    @Flag(help: "Print JSON with a version, for programs.")
    var json = false

    func run() throws {
        try ImmediateEnd.onSignals()
        let statistics = try RecordedRuns(holding: name).statistics(of: name)
        Console.write(json ? try statistics.json() : statistics.text, to: 1)
    }
}

/// `lab show`: opens the page of a run.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Opens the page of a run in the browser, or prints its URL if no browser is available.")

    @Argument(help: "Identifier or directory of the run; otherwise the last one.")
    var name: String?

    @Option(help: "Another run on the same page, to compare them scenario by scenario.")
    var against: String?

    @Flag(name: .customLong("print"), help: "Print the URL only.")
    var isPrinted = false

    func run() throws {
        try ImmediateEnd.onSignals()
        let page = try RecordedRuns(holding: name).page(of: name, against: against)
        Console.print(page.address)
        if !isPrinted { page.openInBrowser(environment: ProcessInfo.processInfo.environment) }
    }
}

/// `lab screenshot`: makes a picture of a run.
struct ScreenshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screenshot",
        abstract: "Makes a PNG of the bench after a step of a recorded scenario, with Chromium or Chrome.",
        discussion: """
            `lab screenshot latest#3.2` draws the devices, apps and server as they were after step 3.2. The browser loads \
            nothing from the network, and secrets are masked. Exit codes: 0 the picture was written, 2 there is no such run, \
            scenario or step, 3 no browser was found or it draws nothing, or a record is damaged.
            """)

    @Argument(
        help: """
            Identifier or directory of the run, and behind # the step as reports number it, or the time since the scenario \
            began, such as latest#150ms; otherwise the last run, at the step that failed or at the end.
            """)
    var place: String?

    @Option(
        help:
            "The scenario's file, or a row as in login.yaml[wrong-pin]; otherwise the first that did not pass, or else the first."
    )
    var scenario: String?

    @Option(
        help: "What is drawn: the bench, the page of the scenario from top to bottom, or the overview of all scenarios."
    )
    var show = RunPicture.Part.bench

    @Option(help: "Width in pixels; the height follows.")
    var width = 1_400

    @Flag(help: "Draw on a dark ground.")
    var dark = false

    @Option(help: "The file; otherwise it is named after the run and the step.")
    var output: String?

    @Option(help: "The program of Chromium or Chrome; otherwise it is looked for on the PATH.")
    var browser: String?

    func run() throws {
        let asked = try RunPlace(place)
        let picture = try RunPicture(of: show, at: asked, in: scenario, width: width, isDark: dark)
        // The browser must end, and what it has written must go, before this process ends.
        let interruption = try EventDescriptor()
        try Signals.onSignals([SIGINT, SIGTERM, SIGHUP]) { _ in interruption.signal() }
        let chosen = try HeadlessBrowser(at: browser, environment: ProcessInfo.processInfo.environment)
        let runs = try RecordedRuns(holding: asked.run)
        guard let file = try runs.draw(picture, with: chosen, to: output, until: interruption) else {
            throw RunOutcome.interrupted
        }
        Console.print(file)
    }
}

extension RunPicture.Part: ExpressibleByArgument {}

/// `lab bundle`: packs what a run has recorded.
struct BundleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract: "Packs everything that a run has recorded into one .tar.gz, with its secrets masked.")

    @Argument(help: "Identifier or directory of the run; otherwise the last one.")
    var name: String?

    @Option(help: "The file; otherwise it is named after the run.")
    var output: String?

    @Option(
        help:
            "What is left out: secrets, as everywhere, or also the payloads: what requests and answers carried, and what commands answered."
    )
    var redact = BundleRedaction.secrets

    func run() throws {
        try ImmediateEnd.onSignals()
        Console.print(try RecordedRuns(holding: name).bundle(name, to: output, without: redact))
    }
}

extension BundleRedaction: ExpressibleByArgument {}
