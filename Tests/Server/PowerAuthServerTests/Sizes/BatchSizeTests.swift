import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// What ends by the passing of time ends all at once, however many batches it is (server.md, section 24).
@Suite("Sizes of batches", .endsInTime)
struct BatchSizeTests {
    @Test("Every overdue operation expires", arguments: Sizes.ofBatches(OperationService.expiryBatch))
    func operations(count: Int) async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            for round in 1...2 {
                _ = try await client.operation("login")
                try fixture.copyLastRow(of: "operation", times: count - 1, ["id": "'\(round)-' || i"])
                client.clock.advance(milliseconds: 300_001)
                #expect(try await fixture.runJobs() == nil)
                #expect(try fixture.rows("operation", "status = 3 AND t_final > t_expire") == round * count)
                #expect(try fixture.rows("audit_log", "text = 'the operation is EXPIRED'") == round * count)
            }
        }
    }

    @Test("Every activation that was not finished is removed", arguments: Sizes.ofBatches(ScheduledJobs.expiryBatch))
    func activations(count: Int) async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            for round in 1...2 {
                _ = try await client.initiate()
                try fixture.copyLastRow(
                    of: "activation", times: count - 1,
                    ["activation_id": "'\(round)-' || i", "code": "'\(round)' || substr('0000000000' || i, -10)"])
                client.clock.advance(milliseconds: 300_001)
                #expect(try await fixture.runJobs() == nil)
                #expect(try fixture.rows("activation", "status = 5") == round * count)
                #expect(try fixture.rows("activation_history", "status = 5") == round * count)
            }
        }
    }

    @Test(
        "Everything whose time is over is deleted, and nothing else", arguments: Sizes.ofBatches(PurgeJobs.batch))
    func purges(count: Int) async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let device = try TestDevice(client, .v3_3)
            for _ in 1...2 {
                _ = try await device.temporaryKey(activation: false)
                try fixture.copyLastRow(of: "temporary_key", times: count - 1, ["key_id": "'key-' || i"])
                client.clock.advance(milliseconds: 200_000)
                // One more, which is kept.
                _ = try await device.temporaryKey(activation: false)
                client.clock.advance(milliseconds: 100_001)
                try await fixture.runJobs()
                #expect(try fixture.rows("temporary_key") == 1)
                client.clock.advance(milliseconds: 300_001)
                #expect(try await fixture.runJobs() == nil)
                #expect(try fixture.rows("temporary_key") == 0)
            }
        }
    }
}
