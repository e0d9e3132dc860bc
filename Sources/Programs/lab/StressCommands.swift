// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LabCore
import LabSystem
import LabTools
import ScenarioEngine
import ScenarioLanguage

/// `lab stress`: random work of many processes, and a proof of what must always hold.
struct StressCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stress",
        abstract: "Lets apps do random things at once, kills them, and checks what was recorded.",
        subcommands: [StressSharingCommand.self])
}

/// `lab stress sharing`: apps that share one activation.
struct StressSharingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sharing",
        abstract: "Apps that share one activation sign, ask, activate, remove, die and sleep at random.",
        discussion:
            "Exit codes: 0 passed, 1 a rule is broken, 2 bad input, 3 the lab failed or a verdict is open, 130 interrupted."
    )

    @Option(help: "How many apps share the activation, 2 to 16.")
    var processes = 4

    @Option(name: .customLong("for"), help: "How long they run, for example 10s or 5m; rounds of at most 10s.")
    var duration = "10s"

    @Option(help: "Seed of the plan; the same seed gives the same plan.")
    var seed: UInt64?

    @Option(help: "A defect of the original that every app has, for example sharing.D7. May be repeated.")
    var quirk: [String] = []

    @Option(help: "How long the calls that break a rule are shrunk, for example 5m; 0s for not at all.")
    var shrink = "\(StressConfiguration.usualShrinking)"

    @Option(help: "How many runs are kept in .lab/runs, with this one.")
    var keepRuns = 10

    @Flag(name: .shortAndLong, help: "Show what did not pass and the total only.")
    var quiet = false

    @Flag(help: "Print the first calls of each app; start nothing.")
    var dryRun = false

    func run() throws {
        guard keepRuns >= 1 else { throw BadUsage(sentence: "--keep-runs must be at least 1: this run is one of them") }
        guard let length = LabDuration(duration), length > .zero else {
            throw BadUsage(sentence: "--for takes a duration such as 10s or 5m, not `\(duration)`")
        }
        guard let shrinking = LabDuration(shrink) else {
            throw BadUsage(sentence: "--shrink takes a duration such as 30s, or 0s for not at all, not `\(shrink)`")
        }
        var configuration = try StressConfiguration(
            processes: processes, duration: length, seed: seed, quirks: quirk, shrinking: shrinking)
        configuration.keptRuns = keepRuns
        let interruption = Interruption()
        let run = StressRun(configuration, printer: Console.progress(isQuiet: quiet), interruption: interruption)
        guard !dryRun else { return Console.write(run.plan(), to: 1) }
        // Once to stop after the calls under way, twice to end at once.
        try Signals.onSignals([SIGINT, SIGTERM, SIGHUP]) { _ in
            if interruption.isSet { interruption.force() } else { interruption.set() }
        }
        throw try run.run()
    }
}
