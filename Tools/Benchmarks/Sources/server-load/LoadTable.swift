// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Prints results line by line as they arrive.
struct LoadTable {
    private static let widths = [28, 11, 9, 8, 8, 11, 8, 8, 6, 7]

    /// - Parameter other: what the server is compared with.
    func printHeader(_ other: String) {
        row([
            "task", "connections", "server/s", "p50 ms", "p99 ms", "\(other)/s", "p50 ms", "p99 ms", "ratio", "goal",
        ])
        printNow(String(repeating: "-", count: Self.widths.reduce(0, +) + Self.widths.count - 1))
    }

    func printRow(_ comparison: LoadComparison, _ result: LoadComparison.Result) {
        let verdict = comparison.goal.map { "\(number($0))\(result.ratio >= $0 ? "" : " !")" } ?? ""
        let name =
            if case .baseline(_, .constant) = comparison.other { "  the same, without update" } else {
                comparison.task.name
            }
        row(
            [name, "\(comparison.connections)"] + figures(result.server) + figures(result.baseline)
                + [number(result.ratio), verdict])
    }

    private func figures(_ samples: LoadSamples) -> [String] {
        [
            String(format: "%.0f", samples.rate), number(samples.milliseconds(share: 0.5)),
            number(samples.milliseconds(share: 0.99)),
        ]
    }

    private func number(_ value: Double) -> String { String(format: "%.2f", value) }

    private func row(_ cells: [String]) {
        let padded = zip(cells, Self.widths).enumerated().map { index, cell in
            let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return index == 0 ? cell.0 + space : space + cell.0
        }
        printNow(padded.joined(separator: " "))
    }
}
