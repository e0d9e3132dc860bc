// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabPoints

/// The results of the server deaths.
package struct ServerKillReport: Sendable {
    /// The fault points of a server.
    static let points = FaultPoint.allCases.filter { $0.owners.contains(.server) }

    private let seed: UInt64
    private var deathsAt: [FaultPoint: Int] = [:]
    private var deathsAnywhere = 0
    var nanoseconds: UInt64 = 0
    /// The broken rules, in the order of their discovery: how the server died, what was found, where the records are.
    package internal(set) var failures: [String] = []

    init(seed: UInt64) { self.seed = seed }

    mutating func count(_ death: ServerKillRun.Death) {
        switch death {
        case .at(let point, _): deathsAt[point, default: 0] += 1
        case .anywhere: deathsAnywhere += 1
        }
    }

    /// The number of deaths after which all answers were stored.
    package var deaths: Int { deathsAt.values.reduce(deathsAnywhere, +) }

    /// Whether servers died at each of their fault points and elsewhere.
    package var isComplete: Bool { deathsAnywhere > 0 && Self.points.allSatisfy { deathsAt[$0] != nil } }

    /// A line for each point, and one for all.
    package var text: String {
        let counts = Self.points.map { ($0.rawValue, deathsAt[$0] ?? 0) } + [("anywhere", deathsAnywhere)]
        let tenths = nanoseconds == 0 ? 0 : UInt64(deaths) * 10_000_000_000 / nanoseconds
        return
            (counts.map { name, count in name + String(repeating: " ", count: max(1, 26 - name.count)) + "\(count)" }
            + failures.map { "breach: \($0)" }
            + [
                "server kills: \(deaths) deaths, \(failures.count) breaches, \(tenths / 10).\(tenths % 10) a second, "
                    + "seed \(seed)"
            ]).joined(separator: "\n")
    }
}
