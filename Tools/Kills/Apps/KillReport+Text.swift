// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabPoints

extension KillReport {
    /// A table of operations and points, then further results.
    package var text: String { (table + [""] + gaps + breaches + summary).joined(separator: "\n") }

    private var table: [String] {
        var rows = [Self.row("operation", "point", "kills", "breaches", "slowest next use")]
        for operation in KillOperation.allCases {
            for point in FaultPoint.allCases {
                let cells = matrix.cells.filter { $0.operation == operation && $0.point == point }
                if !cells.isEmpty { rows.append(row(of: cells, operation, point)) }
            }
        }
        return rows
    }

    private func row(of cells: [KillCell], _ operation: KillOperation, _ point: FaultPoint) -> String {
        let found = cells.map { entries[$0] ?? Entry() }
        let kills = (1...KillMatrix.passes).map { pass in
            cells.firstIndex { $0.pass == pass }.map { String(found[$0].kills) } ?? "-"
        }
        return Self.row(
            operation.rawValue, point.rawValue, kills.joined(separator: " + "),
            String(found.reduce(0) { $0 + $1.breaches }),
            Self.milliseconds(found.reduce(0) { max($0, $1.slowestNextUse) }))
    }

    /// The cells in which no process died.
    private var gaps: [String] {
        let holes = Dictionary(grouping: holes, by: \.operation)
        let lines = KillOperation.allCases.compactMap { operation in
            holes[operation].map { cells in
                "holes: \(operation.rawValue) at " + cells.map { "\($0.point)#\($0.pass)" }.joined(separator: " ")
            }
        }
        // A cell alone says nothing about the others.
        guard matrix.cells.count > 1 else { return lines }
        return lines + matrix.pointsWithoutCell.map { "no operation passes \($0)" }
    }

    private var breaches: [String] {
        failures.flatMap { failure in
            ["breach: \(failure)"] + (failure.cell.map { ["  again: \(command(for: $0))"] } ?? [])
        }
    }

    /// Runs one cell again.
    private func command(for cell: KillCell) -> String {
        matrix.sdk == .full
            ? "make soak CELL='\(cell)' SOAK_SEED=\(seed)" : "soak kill-matrix --sdk2 --cell '\(cell)' --seed \(seed)"
    }

    private var summary: [String] {
        let slowest = entries.values.map(\.slowestNextUse).max() ?? 0
        return [
            "kill matrix: \(kills) kills in \(matrix.cells.count - holes.count) of \(matrix.cells.count) cells, "
                + "\(failures.count) breaches, seed \(seed)",
            "next use: slowest \(Self.milliseconds(slowest)), \(slowUses) above the goal of "
                + Self.milliseconds(Self.goal),
        ]
    }

    private static func row(_ cells: String...) -> String {
        zip(cells, [23, 26, 14, 10, 0]).map { cell, width in
            cell + String(repeating: " ", count: max(0, width - cell.count))
        }.joined()
    }

    private static func milliseconds(_ nanoseconds: UInt64) -> String { "\(nanoseconds / 1_000_000) ms" }
}
