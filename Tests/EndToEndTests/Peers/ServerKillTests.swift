import LabSystem
import ServerKills
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// Wherever the server dies, what it has answered is there, once (docs/soak.md). `make soak` kills a thousand times.
    @Suite("Server kills")
    struct ServerKillTests {
        @Test("What a killed server has answered is stored, and nothing is counted twice")
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
