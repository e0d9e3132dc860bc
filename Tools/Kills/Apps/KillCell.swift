// SPDX-License-Identifier: Apache-2.0

import LabControl
package import LabPoints

/// One cell of the matrix: an app dies in an operation, at a pass of a fault point.
package struct KillCell: Hashable, Sendable, CustomStringConvertible {
    /// What the app is doing.
    package let operation: KillOperation
    /// Where it dies.
    package let point: FaultPoint
    /// At which pass of the point within the operation, from 1.
    package let pass: Int

    package init(_ operation: KillOperation, at point: FaultPoint, pass: Int) {
        self.operation = operation
        self.point = point
        self.pass = pass
    }

    /// The cell that a text such as `persistActivation@state.saved#2` names; nil for an unknown cell.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let operation = KillOperation(rawValue: String(parts[0])),
            let mark = parts[1].lastIndex(of: "#"), let point = FaultPoint(rawValue: String(parts[1][..<mark])),
            let pass = Int(parts[1][parts[1].index(after: mark)...]), pass > 0
        else { return nil }
        self.init(operation, at: point, pass: pass)
    }

    package var description: String { "\(operation.rawValue)@\(point)#\(pass)" }
}
