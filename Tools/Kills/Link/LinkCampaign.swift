// SPDX-License-Identifier: Apache-2.0

import LabChecks
package import LabCore
import LabSystem
import LabTesting

/// Kills apps and devices at the points of the link, and checks the records of both sides against the rules.
///
/// Thread rule: one thread. The calls block.
package struct LinkCampaign {
    /// The results.
    package struct Report: Sendable {
        /// The cells in which a process died.
        package fileprivate(set) var killed: Set<LinkCell> = []
        /// The cells in which no process died: the point was not passed so often.
        package fileprivate(set) var missed: Set<LinkCell> = []
        /// How often processes died.
        package fileprivate(set) var kills = 0
        /// The number of messages that were checked.
        package fileprivate(set) var messages = 0
        /// The broken rules and their places; the commands and the traces are in the last line.
        package fileprivate(set) var failures: [String] = []
    }

    /// The number of cells per instance: its traces grow.
    private static let cellsOfInstance = 50

    private let cells: [LinkCell]
    private let seed: UInt64
    private let rounds: Int
    private let deadline: UInt64
    private let progress: (String) -> Void
    private var report = Report()

    /// - Parameters:
    ///   - cells: the cells to visit.
    ///   - seed: seed of their order in each round, and of the instances.
    ///   - rounds: visits of each cell.
    ///   - time: after which no further cell is started; nil means no limit.
    ///   - progress: gets a line for each instance.
    package init(
        _ cells: [LinkCell] = LinkCell.all, seed: UInt64, rounds: Int = 1, time: LabDuration? = nil,
        progress: @escaping (String) -> Void = { _ in }
    ) {
        self.cells = cells
        self.seed = seed
        self.rounds = rounds
        self.progress = progress
        deadline = time.map { MonotonicClock.nanoseconds() + UInt64($0.nanoseconds) } ?? .max
    }

    private var isOver: Bool { MonotonicClock.nanoseconds() >= deadline }

    /// Kills.
    package mutating func run() -> Report {
        var stream = SeedStream(seed: seed, "link kills")
        var waiting: [LinkCell] = []
        var round = 0
        while !isOver {
            while waiting.count < Self.cellsOfInstance, round < rounds, !cells.isEmpty {
                // An erased device breaks rules that hold otherwise, so these cells have separate instances.
                let shuffled = cells.shuffled(using: &stream)
                waiting += shuffled.filter { !$0.victim.isErased } + shuffled.filter(\.victim.isErased)
                round += 1
            }
            guard !waiting.isEmpty else { break }
            let kind = waiting[0].victim.isErased
            let begun = runInstance(waiting.prefix { $0.victim.isErased == kind }.prefix(Self.cellsOfInstance))
            guard begun > 0 else { break }
            waiting.removeFirst(begun)
            progress("\(report.kills) kills, \(report.messages) messages, \(report.failures.count) breaches")
        }
        return report
    }

    /// Runs cells in one instance, up to the first breach.
    ///
    /// - Returns: The number of started cells.
    private mutating func runInstance(_ cells: ArraySlice<LinkCell>) -> Int {
        var begun = 0
        var last: LinkCell?
        var seen = report
        do {
            try Lab.runBlocking(LinkedDevices.cast, seed: seed) { lab in
                let run = try LinkRun(lab)
                for cell in cells where !isOver {
                    begun += 1
                    last = cell
                    if try run.run(cell) {
                        seen.kills += 1
                        seen.killed.insert(cell)
                        seen.missed.remove(cell)
                    } else if !seen.killed.contains(cell) {
                        seen.missed.insert(cell)
                    }
                }
                guard cells.first?.victim.isErased == false else {
                    seen.messages += run.messages
                    return
                }
                let examination = Examination(RecordedHistory(try lab.traceEvents()), by: LinkCheckers.all)
                seen.messages += examination.results.map(\.examined).reduce(0, +)
                if let breach = examination.results.compactMap(\.breach).first { throw BrokenLink(breach: breach) }
            }
        } catch {
            seen.failures.append("seed \(seed), in or before \(last.map(\.description) ?? "the start"): \(error)")
            progress(seen.failures.last ?? "")
        }
        report = seen
        return begun
    }
}

/// The traces break a rule of the link.
struct BrokenLink: Error, CustomStringConvertible {
    let breach: LabChecks.Breach

    var description: String {
        let events = breach.excerpt.map { "\($0.time) \($0.process)#\($0.incarnation) \($0.name) \($0.fields)" }
        return ([breach.sentence] + events).joined(separator: "\n  ")
    }
}
