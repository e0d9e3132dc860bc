import KillMatrix
import LabKit
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// At any death of an app or a device, no message is lost, duplicated or reported wrongly (docs/soak.md).
    @Suite("Kill matrix of the link")
    struct LinkMatrixTests {
        @Test("After a kill at any point, each message arrives once, in order, and is reported correctly")
        func everyCell() async throws {
            #expect(Set(LinkCell.all.map(\.point)) == Set(FaultPoint.all.filter { $0.rawValue.hasPrefix("link.") }))
            let report = try await onThread {
                var campaign = LinkCampaign(seed: 1)
                return campaign.run()
            }
            #expect(report.failures == [], "\(report.failures.joined(separator: "\n"))")
            #expect(report.missed.map(\.description).sorted() == [])
            #expect(report.killed == Set(LinkCell.all))
            #expect(report.messages > 2 * LinkCell.all.count)
        }

        @Test(
            "While the devices lose and find each other, each message arrives once, in order, and is reported correctly"
        )
        func flapping() async throws {
            let report = try await onThread { LinkFlapping(for: .minutes(5), seed: 1).run() }
            #expect(report.failure == nil, "\(report.text)")
            #expect(report.changes > 5 && report.transfers > 20, "\(report.text)")
            #expect(report.examined >= report.transfers)
        }

        @Test("A cell has a unique text that names it")
        func names() {
            for cell in LinkCell.all { #expect(LinkCell("\(cell)") == cell) }
            #expect(Set(LinkCell.all.map(\.description)).count == LinkCell.all.count)
            for text in ["", "transfer-toWatch-sendingApp@link.sent#1", "message-toWatch-sendingDevice@link.sent#2"] {
                #expect(LinkCell(text) == nil, "\(text)")
            }
        }
    }
}
