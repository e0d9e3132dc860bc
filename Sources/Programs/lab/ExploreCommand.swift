// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LabCore
import LabTools
import ScenarioEngine
import ScenarioLanguage

/// `lab explore`: a block of a scenario in every order.
struct ExploreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Plays the race or parallel block of a scenario in every order, each in a run of its own.",
        discussion:
            "Exit codes: 0 no order fails and all were played, 1 an order fails, 2 bad input, 3 an order could not be judged, a limit ended the search, or the lab failed, 130 interrupted."
    )

    @Argument(help: "The scenario file; a row of a table as in login.yaml[wrong-pin].")
    var scenario: String

    @Option(
        help:
            "How often an order may leave an app that could have gone on, 0 to 100; otherwise as the scenario's `orders` says, or 2."
    )
    var preemptions: Int?

    @Option(
        help:
            "How many apps and devices an order may kill at a point, 0 to 10; otherwise as the scenario's `orders` says, or 0."
    )
    var deaths: Int?

    @Option(
        name: .shortAndLong,
        help: "How many orders are played at the same time; otherwise as many as the machine has cores.")
    var jobs: Int?

    @Option(help: "Begin at most so many orders.")
    var limit: Int?

    @Option(help: "Begin orders for so long, for example 5m; otherwise as the scenario's `orders` says.")
    var time: String?

    @Option(help: "Draw so many orders when the search has ended, 0 to 1000000.")
    var random: Int?

    @Option(
        help:
            "Only part K of N of the orders, as K/N; as /N or auto, the environment of Slurm, Kubernetes or GitLab says the rest. Needs --seed."
    )
    var shard: String?

    @Option(help: "Seed of the lab's random values, for all orders.")
    var seed: UInt64?

    @Option(help: "The lab file; otherwise lab.yaml is looked for upwards from the scenario.")
    var lab: String?

    func run() throws {
        let length = try time.map { text in
            guard let length = LabDuration(text) else {
                throw BadUsage(sentence: "--time takes a duration such as 30s or 5m, not `\(text)`")
            }
            return length
        }
        let options = try ExploreOptions(
            path: scenario, preemptions: preemptions, deaths: deaths,
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount, limit: limit, time: length, random: random,
            shard: try shard.map { try Shard($0, environment: ProcessInfo.processInfo.environment) }, seed: seed,
            labFile: lab)
        let printer = Console.progress()
        throw try ExploreRun(
            options, printer: printer, interruption: try InterruptingSignals.interruption(telling: printer),
            writeErrors: { Console.write($0, to: 2) }
        ).run()
    }
}
