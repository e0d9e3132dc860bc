// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LabReports
import ScenarioEngine
import ScenarioLanguage

/// Which scenarios a command is about.
struct SelectionOptions: ParsableArguments {
    @Argument(
        help:
            "Scenario files, directories that are searched for them, rows as in login.yaml[wrong-pin], or - for a scenario from standard input."
    )
    var paths: [String] = []

    @Option(help: "The lab file; otherwise lab.yaml is looked for upwards from the first path.")
    var lab: String?

    @Option(
        name: .customLong("set"),
        help:
            "A value that scenarios declare in `values:`, as name=value; LAB_VAR_name in the environment gives one too. May be repeated."
    )
    var settings: [String] = []

    @Option(help: "Only scenarios whose path or name contains this text.")
    var filter: String?

    @Option(
        help:
            "Only scenarios with this tag; !TAG excludes. May be repeated, hold several with commas, or say `sharing and not slow`."
    )
    var tags: [String] = []

    @Flag(help: "Only scenarios that did not pass in the last recorded run. Needs no path.")
    var lastFailed = false

    @Option(help: "Only the N scenarios that took longest in the last recorded run. Needs no path.")
    var slowest: Int?

    @Flag(name: .customLong("new"), help: "Only scenarios that no recorded run has a result of.")
    var neverPlayed = false

    @Option(
        defaultAsFlag: "HEAD",
        help:
            "Only scenarios of which a file has changed since this commit of git: their own, an included one, lab.yaml."
    )
    var changed: String?

    @Option(
        help: "Only part K of N, as K/N; as /N or auto, the environment of Slurm, Kubernetes or GitLab says the rest.")
    var shard: String?

    @Option(help: "Balance the shards by how long each scenario took in the run of this JSON report.")
    var durations: String?

    /// The folder of scenarios beside a lab file, where a project has them.
    private static var defaultPaths: [String] {
        let files = FileManager.default
        var isDirectory = ObjCBool(false)
        let isThere = files.fileExists(atPath: "Scenarios", isDirectory: &isDirectory) && isDirectory.boolValue
        return isThere && files.fileExists(atPath: "lab.yaml") ? ["Scenarios"] : []
    }

    /// The options of a run of these scenarios.
    /// - Parameter command: The name of the command, for its complaint.
    func runOptions(of command: String) throws -> RunOptions {
        // Not left to the parser, which would hide an unknown flag behind a missing path.
        let paths = paths.isEmpty && !lastFailed && slowest == nil ? Self.defaultPaths : paths
        guard !paths.isEmpty || lastFailed || slowest != nil else {
            throw BadUsage(
                sentence:
                    "`lab \(command)` needs scenario files or directories: there is no lab.yaml with a folder Scenarios here; `lab init` begins a project"
            )
        }
        var options = RunOptions(paths: paths)
        options.labFile = lab
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw BadUsage(sentence: "--set takes name=value, not `\(setting)`")
            }
            options.settings[parts[0]] = parts[1]
        }
        options.filter = filter
        options.tags = tags.flatMap { $0.split(separator: ",").map(String.init) }
        options.lastFailed = lastFailed
        options.slowest = slowest
        options.neverPlayed = neverPlayed
        options.changedSince = changed
        options.shard = try shard.map { try Shard($0, environment: ProcessInfo.processInfo.environment) }
        guard durations == nil || shard != nil else {
            throw BadUsage(sentence: "--durations balances shards, so it needs --shard")
        }
        options.durations = try durations.map(RecordedDurations.init(reportAt:))
        if paths.contains(SuiteReader.standardInput) { options.standardInput = try Console.readText("the scenario") }
        return options
    }
}
