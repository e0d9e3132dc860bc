// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Kills
import LabControl
import LabCore

/// The long form of the kill matrix, for `make soak`.
struct KillMatrixCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kill-matrix",
        abstract: "Kills an app at every fault point of every operation, and proves that both apps continue.")

    @Option(help: "Seconds after which no further cell is started.")
    var seconds: Int64 = 600

    @Option(help: "Seed of the order of the cells; drawn and printed if omitted.")
    var seed: UInt64?

    @Option(help: "Only this cell, such as persistActivation@state.saved#2.")
    var cell: String?

    @Flag(help: "Apps with SDK 2.0, on activations of protocol 4.")
    var sdk2 = false

    @Option(help: "How often each cell is visited.")
    var rounds = 1000

    @Flag(help: "The matrix of the link between phone and watch instead.")
    var link = false

    @Option(help: "Minutes of the lab's time in which phone and watch lose and find each other, instead of kills.")
    var flapping: Int64?

    @Option(
        help:
            "Instead of kills, this many commands, advances, armings, messages and connections, one kind at a time."
    )
    var endurance: Int?

    func validate() throws {
        guard endurance ?? 10 >= 10 else { throw ValidationError("--endurance begins at 10.") }
        guard flapping ?? 1 > 0 else { throw ValidationError("--flapping begins at 1.") }
        guard !link || cell == nil || cell.flatMap(LinkCell.init) != nil else {
            throw ValidationError("There is no such cell of the link; they look like \(LinkCell.all[0]).")
        }
        guard seconds > 0, rounds > 0 else { throw ValidationError("--seconds and --rounds begin at 1.") }
        if !link, let cell, KillCell(cell) == nil {
            throw ValidationError("There is no cell '\(cell)'; they look like persistActivation@state.saved#2.")
        }
    }

    func run() throws {
        if let endurance {
            let grown = try Endurance(count: endurance, progress: tell).run().filter {
                $0.size > Endurance.limit
            }
            grown.forEach { tell("grown beyond \(Endurance.limit) KiB: \($0)") }
            if !grown.isEmpty { throw BrokenRules(count: grown.count) }
            return
        }
        let seed = seed ?? UInt64.random(in: 0..<1_000_000_000)
        if let flapping {
            tell("flapping: seed \(seed), \(flapping) minutes of the lab's time")
            let report = LinkFlapping(for: .minutes(flapping), seed: seed).run()
            tell(report.text)
            if report.failure != nil { throw BrokenRules(count: 1) }
            return
        }
        if link { return try runLink(seed: seed) }
        tell("kill matrix: seed \(seed), at most \(seconds) s")
        let sdk: PowerAuthSpec.SDK = sdk2 ? .full2 : .full
        let matrix =
            try cell.flatMap { KillCell($0) }.map { KillMatrix(cells: [$0], sdk: sdk) }
            ?? KillMatrix.discovered(sdk: sdk)
        var campaign = KillCampaign(
            matrix, seed: seed, rounds: rounds, time: .seconds(seconds), progress: tell)
        let report = campaign.run()
        tell(report.text)
        if !report.failures.isEmpty { throw BrokenRules(count: report.failures.count) }
    }

    private func runLink(seed: UInt64) throws {
        tell("kill matrix of the link: seed \(seed), at most \(seconds) s")
        let cells = cell.flatMap { LinkCell($0) }.map { [$0] } ?? LinkCell.all
        var campaign = LinkCampaign(
            cells, seed: seed, rounds: rounds, time: .seconds(seconds), progress: tell)
        let report = campaign.run()
        for missed in report.missed { tell("no process died in \(missed)") }
        if !report.failures.isEmpty { throw BrokenRules(count: report.failures.count) }
    }
}
