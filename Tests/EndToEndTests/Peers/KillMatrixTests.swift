// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kills
import LabCore
import LabPoints
import LabSystem
import LabTesting
import LabVocabulary
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// After the death of an app at any point, the next process continues (docs/soak.md). `make soak` visits every
    /// cell, again and again.
    @Suite("Kill matrix")
    struct KillMatrixTests {
        @Test func `After a kill at any point, the other app and the restarted app work`() async throws {
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

        @Test func `After a kill at any point of SDK 2.0, the other app and the restarted app work`() async throws {
            let report = try await onThread {
                let selection = try KillMatrix.discovered(sdk: .full2).selection
                #expect(Set(selection.cells.map(\.operation)) == Set(KillOperation.allCases))
                var campaign = KillCampaign(selection, seed: 1)
                return campaign.run()
            }
            for failure in report.failures { Issue.record("\(failure)") }
            #expect(report.holes.isEmpty)
            #expect(report.kills > KillOperation.allCases.count)
        }

        @Test(arguments: [KillOperation.createActivation, .upgradeProtocol])
        func `An operation that stays announced after its app died is a breach, as in the original`(
            operation: KillOperation
        ) async throws {
            let cell = KillCell(operation, at: .operationStarted, pass: 1)
            let report = try await onThread {
                var campaign = KillCampaign(KillMatrix(cells: [cell]), seed: 1, quirks: ["sharing.D1"])
                return campaign.run()
            }
            #expect(report.failures.map(\.cell) == [cell])
            for records in report.failures.compactMap(\.records) { try Files.removeTree(records) }
        }

        @Test func `A cell has a unique text that names it`() {
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

    /// After a server death at any point, its answers are stored, once (docs/soak.md). `make soak` kills a thousand
    /// times.
    @Suite("Server kills")
    struct ServerKillTests {
        @Test func `Changes that a killed server confirmed are stored, and nothing is counted twice`() async throws {
            let report = try await onThread { ServerKillCampaign(seed: 3, deaths: 20, writers: 16).run() }
            for failure in report.failures { Issue.record("\(failure)") }
            #expect(report.deaths == 20)
            #expect(report.isComplete, "not every kind of death: \(report.text)")
        }
    }

    /// At any death of an app or a device, no message is lost, duplicated or reported wrongly (docs/soak.md).
    @Suite("Kill matrix of the link")
    struct LinkMatrixTests {
        @Test
        func `After a kill at any point, each message arrives once, in order, and is reported correctly`() async throws
        {
            let points = FaultPoint.allCases.filter { $0.rawValue.hasPrefix("link.") }
            #expect(Set(LinkCell.all.map(\.point)) == Set(points))
            let report = try await onThread {
                var campaign = LinkCampaign(seed: 1)
                return campaign.run()
            }
            #expect(report.failures == [], "\(report.failures.joined(separator: "\n"))")
            #expect(report.missed.map(\.description).sorted() == [])
            #expect(report.killed == Set(LinkCell.all))
            #expect(report.messages > 2 * LinkCell.all.count)
        }

        @Test
        func
            `While the devices lose and find each other, each message arrives once, in order, and is reported correctly`()
            async throws
        {
            let report = try await onThread { LinkFlapping(for: .minutes(5), seed: 1).run() }
            #expect(report.failure == nil, "\(report.text)")
            #expect(report.changes > 5 && report.transfers > 20, "\(report.text)")
            #expect(report.examined >= report.transfers)
        }

        @Test func `A cell has a unique text that names it`() {
            for cell in LinkCell.all { #expect(LinkCell("\(cell)") == cell) }
            #expect(Set(LinkCell.all.map(\.description)).count == LinkCell.all.count)
            for text in ["", "transfer-toWatch-sendingApp@link.sent#1", "message-toWatch-sendingDevice@link.sent#2"] {
                #expect(LinkCell(text) == nil, "\(text)")
            }
        }
    }

    /// Very many repetitions of all work of a long-lived process; `make soak` does more of each (docs/soak.md).
    @Suite("Endurance")
    struct EnduranceTests {
        @Test
        func `No process grows with the number of commands, advances, faults, messages and connections it has handled`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            // A separate runner: this process runs other tests meanwhile.
            let outcome = try await LabCommand.run(
                ["kill-matrix", "--endurance", "2000"], in: workspace, executable: "soak")
            for work in Endurance.Work.allCases {
                let line = outcome.output.split(separator: "\n").first { $0.hasPrefix("2000 \(work.rawValue) in ") }
                for process in ["runner", "server", "phone", "main", "watch", "companion"] {
                    #expect(line?.contains(" \(process) ") == true, "\(work): \(outcome.output)")
                }
            }
            if !EndToEnd.isSanitized { #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)") }
        }

        @Test func `A scenario with 4,000 advances of the clock runs to its end`() async throws {
            let workspace = try Workspace.ofProject()
            let steps = String(repeating: "  - clock: advance\n    with: { by: 1ms }\n", count: 4_000)
            try workspace.write("name: Advances\nsteps:\n\(steps)", to: "a.yaml")
            let outcome = try await onThread { try lab("run", "a.yaml", in: workspace) }
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            try workspace.expectNothingLeft()
        }
    }
}
