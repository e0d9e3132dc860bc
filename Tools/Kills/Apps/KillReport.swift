// SPDX-License-Identifier: Apache-2.0

import LabControl

/// The results of the kills.
package struct KillReport: Sendable {
    /// A rule that was broken.
    package struct Failure: Sendable, CustomStringConvertible {
        /// The cell; nil if the instance was not clean at its end.
        package let cell: KillCell?
        /// Expected and actual state, and the path of the traces.
        let message: String
        /// The directory with traces and logs; nil without an instance.
        package let records: String?

        package var description: String { "\(cell.map { "\($0)" } ?? "the end of an instance"): \(message)" }
    }

    /// The result of one cell.
    struct Entry {
        var kills = 0
        var breaches = 0
        var slowestNextUse: UInt64 = 0
    }

    /// The goal for the next use of shared state by another process, in nanoseconds.
    static let goal: UInt64 = 100_000_000

    let matrix: KillMatrix
    let seed: UInt64
    private(set) var entries: [KillCell: Entry] = [:]
    private(set) var slowUses = 0
    /// The broken rules, in the order of their discovery.
    package private(set) var failures: [Failure] = []

    init(_ matrix: KillMatrix, seed: UInt64) {
        self.matrix = matrix
        self.seed = seed
    }

    /// The number of processes that were killed.
    package var kills: Int { entries.values.reduce(0) { $0 + $1.kills } }
    /// The cells in which no process died.
    package var holes: [KillCell] {
        matrix.cells.filter { cell in entries[cell].map { $0.kills + $0.breaches == 0 } ?? true }
    }

    mutating func count(killIn cell: KillCell, nextUse: UInt64) {
        entries[cell, default: Entry()].kills += 1
        entries[cell, default: Entry()].slowestNextUse = max(entries[cell]?.slowestNextUse ?? 0, nextUse)
        if nextUse > Self.goal { slowUses += 1 }
    }

    mutating func count(_ failure: Failure) {
        failures.append(failure)
        if let cell = failure.cell { entries[cell, default: Entry()].breaches += 1 }
    }
}
