// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Prints results line by line as they arrive.
struct ResultTable {
    private static let widths = [46, 12, 12, 8, 15, 8]

    func printHeader() {
        row(["task", "subject µs", "baseline µs", "ratio", "middle half", "goal"])
        print(String(repeating: "-", count: Self.widths.reduce(0, +) + Self.widths.count - 1))
    }

    func printRow(_ comparison: Comparison, _ result: Comparison.Result) {
        let verdict = comparison.goal.map { "\(number($0))\(result.ratio <= $0 ? "" : " !")" } ?? ""
        row([
            comparison.name, String(format: "%.2f", result.subject / 1000),
            String(format: "%.2f", result.baseline / 1000),
            number(result.ratio), "\(number(result.spread.lowerBound)) – \(number(result.spread.upperBound))", verdict,
        ])
    }

    private func number(_ value: Double) -> String { String(format: "%.2f", value) }

    private func row(_ cells: [String]) {
        let padded = zip(cells, Self.widths).enumerated().map { index, cell in
            let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return index == 0 ? cell.0 + space : space + cell.0
        }
        print(padded.joined(separator: " "))
    }
}
