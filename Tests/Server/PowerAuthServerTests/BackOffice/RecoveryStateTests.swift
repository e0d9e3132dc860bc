// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Every status of a recovery code against everything that happens to it (server.md, section 14.5).
@Suite("States of recovery codes", .endsInTime)
struct RecoveryStateTests {
    /// The code of an activation, brought to a status.
    private func code(
        _ world: World, _ status: RecoveryCodeStatus
    ) async throws -> (device: TestDevice, recovery: RecoveryData, id: Int) {
        try await world.client.enableRecovery()
        let (id, code) = try await world.client.initiate()
        var device = try TestDevice(world.client, .v3_3)
        try await device.exchange("activation/prepare", ["activationCode": code, "generateRecoveryCodes": true])
            .expectOK()
        let recovery = try #require(device.recovery)
        if status != .created { try await world.call("activation/commit", ["activationId": id]) }
        let row = try #require(
            try await world.call("recovery/lookup", ["activationId": id]).number("recoveryCodes.0.recoveryCodeId"))
        if status == .revoked { try await world.call("recovery/revoke", ["recoveryCodeIds": [row]]) }
        if status == .blocked {
            for _ in 1...5 { _ = try await recover(world, recovery.code.text, "0000000000") }
        }
        return (device, recovery, row)
    }

    private func recover(_ world: World, _ code: String, _ puk: String) async throws -> Answer {
        let fields = try await world.keyExchange().merging(["recoveryCode": code, "puk": puk]) { $1 }
        return try await world.client.backOffice("activation/recovery/create", fields)
    }

    private func status(_ world: World, _ device: TestDevice) async throws -> [String?] {
        let found = try await world.call("recovery/lookup", ["activationId": device.activationId])
        return [found.text("recoveryCodes.0.status"), found.text("recoveryCodes.0.puks.0.status")]
    }

    @Test(arguments: RecoveryCodeStatus.allCases)
    func `Only an active code recovers`(start: RecoveryCodeStatus) async throws {
        try await World.run { world in
            let (device, recovery, _) = try await code(world, start)
            let before = try await status(world, device)
            let answer = try await recover(world, recovery.code.text, recovery.puk.text)
            #expect(answer.code == (start == .active ? nil : "ERR0024"))
            let after = try await status(world, device)
            #expect(after == (start == .active ? ["REVOKED", "USED"] : before))
        }
    }

    @Test(.verifies("server.md", "B-47"), arguments: RecoveryCodeStatus.allCases)
    func `A code is confirmed unless it is lost`(start: RecoveryCodeStatus) async throws {
        try await World.run { world in
            let (owner, recovery, _) = try await code(world, start)
            // Another activation of the same user, because one that waits for its commit sends nothing.
            let device = try await world.device(.active)
            let plaintext = Data(#"{"recoveryCode":"\#(recovery.code.text)"}"#.utf8)
            let answer = try await world.client.backOffice(
                "recovery/confirm", world.message(device, .confirmRecovery, plaintext))
            #expect(answer.code == ([.created, .active].contains(start) ? nil : "ERR0024"))
            let after = try await status(world, owner)[0]
            #expect(after == (start == .created ? "ACTIVE" : start.name))
        }
    }

    @Test(arguments: RecoveryCodeStatus.allCases)
    func `Any code is revoked, once`(start: RecoveryCodeStatus) async throws {
        try await World.run { world in
            let (device, _, id) = try await code(world, start)
            let first = try await world.call("recovery/revoke", ["recoveryCodeIds": [id]])
            #expect(first.flag("revoked") == (start != .revoked))
            #expect(try await world.call("recovery/revoke", ["recoveryCodeIds": [id]]).flag("revoked") == false)
            #expect(try await status(world, device) == ["REVOKED", "INVALID"])
        }
    }

    @Test(arguments: [RecoveryCodeStatus.created, .active], [false, true])
    func `A removed activation keeps its code unless it is asked not to, or never was`(
        start: RecoveryCodeStatus, revokes: Bool
    ) async throws {
        try await World.run { world in
            let (device, _, _) = try await code(world, start)
            try await world.call(
                "activation/remove", ["activationId": device.activationId, "revokeRecoveryCodes": revokes])
            let ends = revokes || start == .created
            #expect(try await status(world, device) == (ends ? ["REVOKED", "INVALID"] : ["ACTIVE", "VALID"]))
        }
    }

    @Test(arguments: ["activation/unblock", "activation/status/update", "activation/remove"])
    func
        `A code becomes usable with its activation, and does not outlive one that never was, also when it was blocked before`(
            path: String
        ) async throws
    {
        try await World.run { world in
            let (device, _, _) = try await code(world, .created)
            let id = device.activationId
            try await world.call("activation/status/update", ["activationIds": [id], "activationStatus": "BLOCKED"])
            #expect(try await status(world, device)[0] == "CREATED")
            try await world.call(path, ["activationId": id, "activationIds": [id], "activationStatus": "ACTIVE"])
            let isRemoved = path == "activation/remove"
            #expect(try await status(world, device) == (isRemoved ? ["REVOKED", "INVALID"] : ["ACTIVE", "VALID"]))
        }
    }

    @Test(
        .verifies("server.md", "B-47"),
        .verifies("rest-api.md", "B-22"))
    func `A code that comes with an activation at once is active at once`() async throws {
        try await World.run { world in
            try await world.client.enableRecovery()
            let (_, code) = try await world.client.initiate(["commitPhase": "ON_KEY_EXCHANGE"])
            var device = try TestDevice(world.client, .v3_3)
            try await device.exchange(
                "activation/prepare", ["activationCode": code, "generateRecoveryCodes": true]
            ).expectOK()
            #expect(try await status(world, device) == ["ACTIVE", "VALID"])
        }
    }

    /// A postcard as read by a client with signed 64-bit numbers.
    private struct Card: Decodable {
        struct Object: Decodable {
            struct Puk: Decodable {
                let pukDerivationIndex: Int64
            }
            let puks: [Puk]
        }
        let responseObject: Object
    }

    @Test func `Clients that know signed numbers only read every derivation index`() async throws {
        try await ServerFixture.run { client in
            let printer = try PrivateKey.generate().publicKey.uncompressed
            try await client.enableRecovery([
                "recoveryPostcardEnabled": true, "remotePostcardPublicKey": StrictBase64.encode(printer),
            ])
            let card = try await client.backOffice(
                "recovery/create", ["applicationId": "lab", "userId": "alice", "pukCount": 32])
            let puks = try JSONDecoder().decode(Card.self, from: card.body).responseObject.puks
            // All 64 bits are drawn: once in 2³¹ all of 32 have the same sign.
            #expect(puks.contains { $0.pukDerivationIndex < 0 } && puks.contains { $0.pukDerivationIndex > 0 })
        }
    }
}
