import LabSystem
import ServerKills
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// After a server death at any point, its answers are stored, once (docs/soak.md). `make soak` kills a thousand
    /// times.
    @Suite("Server kills")
    struct ServerKillTests {
        @Test("Changes that a killed server confirmed are stored, and nothing is counted twice")
        func selection() async throws {
            let report = try await onThread {
                ServerKillCampaign(seed: 3, deaths: 20, writers: 16).run()
            }
            for failure in report.failures { Issue.record("\(failure)") }
            #expect(report.deaths == 20)
            #expect(report.isComplete, "not every kind of death: \(report.text)")
        }
    }
}
