// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Kills
import LabControl
import LabCore

/// The long form of the deaths of servers, for `make soak`.
struct ServerKillsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server-kills",
        abstract: "Kills servers under their writers, and proves that what was answered is there, once.")

    @Option(help: "Seconds after which no further death is started.")
    var seconds: Int64 = 600

    @Option(help: "Seed of the times of death; drawn and printed if omitted.")
    var seed: UInt64?

    @Option(help: "Maximum number of server deaths.")
    var deaths = 1000

    @Option(help: "Number of servers that die in parallel.")
    var servers = 2

    func validate() throws {
        guard seconds > 0, deaths > 0, servers > 0 else {
            throw ValidationError("--seconds, --deaths and --servers begin at 1.")
        }
    }

    func run() throws {
        let seed = seed ?? UInt64.random(in: 0..<1_000_000_000)
        tell("server kills: seed \(seed), at most \(deaths) deaths and \(seconds) s")
        let report = ServerKillCampaign(
            seed: seed, deaths: deaths, servers: servers, time: .seconds(seconds), progress: tell
        ).run()
        tell(report.text)
        if !report.failures.isEmpty { throw BrokenRules(count: report.failures.count) }
    }
}
