import KillMatrix
import LabKit
import LabSystem
import LabTesting
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// After the death of an app at any point, the next process continues (docs/soak.md). `make soak` visits every
    /// cell, again and again.
    @Suite("Kill matrix")
    struct KillMatrixTests {
        @Test("After a kill at any point, the other app and the restarted app work")
        func selection() async throws {
            let report = try await onThread {
                let matrix = try KillMatrix.discovered()
                // Only apps that talk to a watch pass the points of the link.
                #expect(matrix.pointsWithoutCell.allSatisfy { $0.rawValue.hasPrefix("link.") })
                let selection = matrix.selection
                #expect(Set(selection.cells.map(\.operation)) == Set(KillOperation.allCases))
                #expect(Set(selection.cells.map(\.point)) == Set(matrix.cells.map(\.point)))
                var campaign = KillCampaign(selection, seed: 1)
                return campaign.run()
            }
            for failure in report.failures { Issue.record("\(failure)") }
            #expect(report.holes.isEmpty)
            #expect(report.kills > KillOperation.allCases.count)
        }

        @Test(
            "An operation that stays announced after its app died is a breach, as in the original",
            arguments: [KillOperation.createActivation, .upgradeProtocol])
        func breach(operation: KillOperation) async throws {
            let cell = KillCell(operation, at: .operationStarted, pass: 1)
            let report = try await onThread {
                var campaign = KillCampaign(KillMatrix(cells: [cell]), seed: 1, quirks: ["sharing.D1"])
                return campaign.run()
            }
            #expect(report.failures.map(\.cell) == [cell])
            for records in report.failures.compactMap(\.records) { try Files.removeTree(records) }
        }

        @Test("A cell has a unique text that names it")
        func names() {
            let cell = KillCell(.persistActivation, at: .stateSaved, pass: 2)
            #expect("\(cell)" == "persistActivation@state.saved#2")
            #expect(KillCell("\(cell)") == cell)
            for text in [
                "", "persistActivation", "persistActivation@state.saved", "x@state.saved#1", "validatePassword@x#1",
                "validatePassword@state.saved#0", "validatePassword@state.saved#",
            ] {
                #expect(KillCell(text) == nil, "\(text)")
            }
        }
    }
}
