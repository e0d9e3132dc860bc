// SPDX-License-Identifier: Apache-2.0

import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// What ends by the passing of time ends all at once, however many batches it is (server.md, section 24).
@Suite("Sizes of batches", .endsInTime)
struct BatchSizeTests {
    @Test(
        .verifies("size", "OperationService.expiryBatch"),
        arguments: Sizes.ofBatches(OperationService.expiryBatch))
    func `Every overdue operation expires`(count: Int) async throws {
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

    @Test(
        .verifies("size", "ScheduledJobs.expiryBatch"),
        arguments: Sizes.ofBatches(ScheduledJobs.expiryBatch))
    func `Every activation that was not finished is removed`(count: Int) async throws {
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
        .verifies("size", "PurgeJobs.batch"),
        arguments: Sizes.ofBatches(PurgeJobs.batch))
    func `Everything whose time is over is deleted, and nothing else`(count: Int) async throws {
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

/// Limits of the records that a lab keeps, and of its requests.
@Suite("Sizes of a lab", .endsInTime)
struct LabSizeTests {
    @Test(
        .verifies("size", "LabIdentityProvider.capacity"),
        arguments: Sizes.around(LabIdentityProvider.capacity))
    func `A code of the identity provider is good until as many newer ones are there`(count: Int) throws {
        let (provider, now) = (LabIdentityProvider(), ServerTime(milliseconds: 1_000_000))
        provider.listens(at: "http://127.0.0.1:1")
        func redeem(_ code: String) throws -> Bool {
            try provider.redeem(
                .init(code: code, redirectUri: LabIdentityProvider.redirectUri, codeVerifier: nil), at: now) != nil
        }
        let codes = (1...count).map { number in
            provider.authorize(
                .init(
                    userId: "user-\(number)", redirectUri: LabIdentityProvider.redirectUri, nonce: nil,
                    codeChallenge: nil), at: now)
        }
        #expect(try redeem(codes[0]) == (count <= LabIdentityProvider.capacity))
        #expect(try redeem(codes[1]) && redeem(codes[count - 1]))
        #expect(try !redeem(codes[1]))
    }

    @Test(
        .verifies("size", "LabIdentityProvider.targets"),
        arguments: Sizes.around(LabIdentityProvider.targets))
    func `A redirect target is registered until as many newer ones are`(count: Int) {
        let provider = LabIdentityProvider()
        for number in 1...count { provider.register(redirectUri: "app://\(number)") }
        #expect(provider.isRegistered(redirectUri: "app://1") == (count <= LabIdentityProvider.targets))
        #expect(provider.isRegistered(redirectUri: "app://\(count)"))
        #expect(provider.isRegistered(redirectUri: LabIdentityProvider.redirectUri))
    }

    @Test(.verifies("size", "SeedService.limit"))
    func `Seeding is limited per request, also in several parts`() async throws {
        try await ServerFixture.deviceSide().run { client in
            let most = Int64(SeedService.limit)
            for (counts, isTaken) in [
                ([1], true), ([0], false), ([most + 1], false), ([most, 1], false), ([2, 1], true),
            ] {
                let blueprints = counts.enumerated().map { index, count in
                    JSONValue.object(["userId": .string("user-\(index)"), "count": .integer(count)])
                }
                let answer = try await client.plain("/lab/seed", ["activations": .array(blueprints)])
                #expect((answer.status == 200) == isTaken, "\(counts)")
            }
        }
    }
}
