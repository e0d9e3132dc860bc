// SPDX-License-Identifier: Apache-2.0

package import LabCore
import LabSystem
import LabTesting

/// Kills through the cells of a matrix, round after round, so that a run of any length covers all of them evenly.
///
/// Thread rule: one thread. The calls block.
package struct KillCampaign {
    /// The number of cells per instance: its server and its traces grow.
    private static let cellsOfInstance = 100

    private let matrix: KillMatrix
    private let seed: UInt64
    private let quirks: [String]
    private let rounds: Int
    private let deadline: UInt64
    private let progress: (String) -> Void
    private var report: KillReport

    /// - Parameters:
    ///   - matrix: the cells.
    ///   - seed: seed of their order in each round, and of the instances.
    ///   - quirks: defects of the original that the apps have.
    ///   - rounds: visits of each cell.
    ///   - time: after which no further cell is started; nil means no limit.
    ///   - progress: gets a line for each breach and each instance.
    package init(
        _ matrix: KillMatrix, seed: UInt64, quirks: [String] = [], rounds: Int = 1, time: LabDuration? = nil,
        progress: @escaping (String) -> Void = { _ in }
    ) {
        self.matrix = matrix
        self.seed = seed
        self.quirks = quirks
        self.rounds = rounds
        self.progress = progress
        deadline = time.map { MonotonicClock.nanoseconds() + UInt64($0.nanoseconds) } ?? .max
        report = KillReport(matrix, seed: seed)
    }

    /// Kills.
    package mutating func run() -> KillReport {
        var stream = SeedStream(seed: seed, "kills")
        var waiting: [KillCell] = []
        var round = 0
        while !isOver {
            while waiting.count < Self.cellsOfInstance, round < rounds, !matrix.cells.isEmpty {
                waiting += matrix.cells.shuffled(using: &stream)
                round += 1
            }
            guard !waiting.isEmpty else { break }
            let begun = runInstance(waiting.prefix(Self.cellsOfInstance))
            // If not even the first cell of an instance starts, another instance will not help.
            guard begun > 0 else { break }
            waiting.removeFirst(begun)
            progress("\(report.kills) kills, \(report.failures.count) breaches")
        }
        return report
    }

    private var isOver: Bool { MonotonicClock.nanoseconds() >= deadline }

    /// Runs cells in one instance, up to the first breach.
    ///
    /// - Returns: The number of started cells.
    private mutating func runInstance(_ cells: ArraySlice<KillCell>) -> Int {
        // When each cell was begun.
        var begun: [(cell: KillCell, time: UInt64)] = []
        var offence: CounterHistory.Offence?
        do {
            try Lab.runBlocking(SharingApps.cast(quirks: quirks, sdk: matrix.sdk), seed: seed) { lab in
                let run = try KillRun(lab, sdk: matrix.sdk)
                for cell in cells where !isOver {
                    begun.append((cell, MonotonicClock.nanoseconds()))
                    if case .killed(let nextUse) = try run.run(cell) { report.count(killIn: cell, nextUse: nextUse) }
                }
                offence = CounterHistory.firstOffence(in: try lab.traceEvents())
                if let offence { throw offence.breach }
            }
        } catch {
            let last = offence.map { offence in begun.last { $0.time <= offence.time } } ?? begun.last
            let cell = error is InstanceLeftovers ? nil : last?.cell
            let records = (error as? FailedInstanceTest)?.directory ?? (error as? InstanceLeftovers)?.directory
            let failure = KillReport.Failure(cell: cell, message: "\(error)", records: records)
            report.count(failure)
            progress("breach: \(failure)")
        }
        return begun.count
    }
}
