// SPDX-License-Identifier: Apache-2.0

import LabControl
package import LabCore
package import LabPoints
import LabTesting

/// All cells: every operation, every fault point that it passes in the app, and the passes of the point.
package struct KillMatrix: Sendable {
    /// How many passes of a point become cells.
    package static let passes = 2

    /// The cells, operation by operation.
    package let cells: [KillCell]
    /// The SDK of both apps.
    package let sdk: PowerAuthSpec.SDK

    /// - Parameters:
    ///   - cells: the cells.
    ///   - sdk: the SDK of both apps, `full` or `full2`.
    package init(cells: [KillCell], sdk: PowerAuthSpec.SDK = .full) {
        self.cells = cells
        self.sdk = sdk
    }

    /// Determines the points that each operation passes.
    /// - Parameter sdk: the SDK of both apps, `full` or `full2`.
    package static func discovered(sdk: PowerAuthSpec.SDK = .full) throws -> KillMatrix {
        try Lab.runBlocking(SharingApps.cast(sdk: sdk)) { lab in
            let run = try KillRun(lab, sdk: sdk)
            return KillMatrix(
                cells: try KillOperation.allCases.flatMap { try run.cells(of: $0, passes: passes) }, sdk: sdk)
        }
    }

    /// The points of an app without a cell.
    package var pointsWithoutCell: [FaultPoint] {
        let passed = Set(cells.map(\.point))
        return FaultPoint.allCases.filter { $0.owners.contains(.app) && !passed.contains($0) }
    }

    /// A part that visits every operation and each pass of every point, the same at each call: for each pass of a
    /// point, that one of its cells whose operation has the fewest so far.
    package var selection: KillMatrix {
        var counts: [KillOperation: Int] = [:]
        var selected: [KillCell] = []
        // Points that few operations pass come first: the others have more choice among the rest.
        let columns = Dictionary(grouping: cells) { "\($0.point)#\($0.pass)" }
            .sorted { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
        for (_, column) in columns {
            guard let cell = column.min(by: { counts[$0.operation, default: 0] < counts[$1.operation, default: 0] })
            else { continue }
            counts[cell.operation, default: 0] += 1
            selected.append(cell)
        }
        for operation in KillOperation.allCases where counts[operation] == nil {
            selected += cells.filter { $0.operation == operation }.prefix(1)
        }
        return KillMatrix(cells: selected, sdk: sdk)
    }
}
