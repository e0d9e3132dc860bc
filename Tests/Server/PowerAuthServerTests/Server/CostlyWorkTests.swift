// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

/// A slow hash takes a core for some 50 ms: it is made for who has passed every check that costs less.
@Suite("Costly work behind cheap checks", .endsInTime)
struct CostlyWorkTests {
    /// Counts the slow hashes of a server's services.
    private final class Meter: Sendable {
        private let count = Mutex(0)

        /// The services' context with counted hashes.
        func metering(_ context: ServiceContext) -> ServiceContext {
            var context = context
            context.hashing = OtpHashing(
                make: { [hashing = context.hashing] in
                    self.count.withLock { $0 += 1 }
                    return try hashing.make($0)
                },
                matches: { [hashing = context.hashing] password, hash in
                    self.count.withLock { $0 += 1 }
                    return hashing.matches(password, hash)
                })
            return context
        }

        /// How many hashes a refused call has cost.
        func cost(_ call: () throws -> Void) -> Int {
            let before = count.withLock { $0 }
            #expect(throws: ServiceError.self) { try call() }
            return count.withLock { $0 } - before
        }
    }

    /// The inner layer of a new device's key exchange.
    private func inner(_ client: ServerClient, _ extra: [String: String] = [:]) async throws -> SealedRequest {
        let device = try TestDevice(client, .v3_3)
        let scope = try await device.applicationScope()
        let content = ["devicePublicKey": StrictBase64.encode(device.deviceKey.publicKey.compressed)].merging(extra) {
            $1
        }
        let (envelope, _) = try device.seal(content, scope, .activationLayer2)
        return SealedRequest(
            version: .v3_3, applicationKey: Identifier(known: device.configuration.applicationKeyText),
            activationId: nil, envelope: envelope)
    }

    @Test(.verifies("security.md", "costly-hashes"))
    func `A key exchange with an unknown code, or an unexpected or wrong password, makes no recovery code`()
        async throws
    {
        let (fixture, meter) = (try ServerFixture(), Meter())
        try await fixture.run { client in
            try await client.enableRecovery()
            let service = KeyExchangeService(context: meter.metering(fixture.server.services.context))
            func cost(_ code: String, _ sealed: SealedRequest) -> Int {
                meter.cost {
                    _ = try service.exchange(
                        activationCode: Identifier(known: code), generatesRecoveryCode: true, sealed: sealed)
                }
            }
            #expect(try await cost(ActivationCode.generate().text, inner(client)) == 0)
            #expect(try await cost(ActivationCode.generate().text, inner(client, ["activationOtp": "1"])) == 0)
            let (_, plain) = try await client.initiate()
            #expect(try await cost(plain, inner(client, ["activationOtp": "1"])) == 0)
            let (_, guarded) = try await client.initiate(["activationOtp": "1", "commitPhase": "ON_KEY_EXCHANGE"])
            #expect(try await cost(guarded, inner(client)) == 0)
            #expect(try await cost(guarded, inner(client, ["activationOtp": "2"])) == 1)
            client.clock.advance(milliseconds: 300_001)
            #expect(try await cost(guarded, inner(client, ["activationOtp": "1"])) == 0)
        }
    }

    @Test(.verifies("security.md", "costly-hashes"))
    func `A password is compared only where one is due, and hashed only where it has a place`() async throws {
        let (fixture, meter) = (try ServerFixture(), Meter())
        try await fixture.run { client in
            let service = ActivationService(context: meter.metering(fixture.server.services.context))
            func commit(_ id: String) -> Int {
                meter.cost {
                    _ = try service.commit(activationId: Identifier(known: id), otp: "2", externalUserId: nil)
                }
            }
            func update(_ id: String) -> Int {
                meter.cost {
                    _ = try service.updateOtp(activationId: Identifier(known: id), otp: "2", externalUserId: nil)
                }
            }
            let created = try await client.initiate(["activationOtp": "1"])
            let active = try await client.activeDevice().activationId
            for id in ["unknown", created.id, active] { #expect(commit(id) == 0 && update(id) == 0, "\(id)") }
            var device = try TestDevice(client, .v3_3)
            try await device.activate(code: created.code).expectOK()
            #expect(commit(created.id) == 1)
            client.clock.advance(milliseconds: 300_001)
            #expect(commit(created.id) == 0 && update(created.id) == 0)
            for wrong in [
                ActivationService.NewActivation(userId: "alice", applicationId: "none", otp: "1"),
                .init(userId: "alice", applicationId: "lab", maxFailureCount: 0, otp: "1"),
                .init(userId: " ", applicationId: "lab", otp: "1"),
                .init(
                    userId: "alice", applicationId: "lab", otpValidation: .onCommit, commitPhase: .onCommit, otp: "1"),
            ] {
                #expect(meter.cost { _ = try service.initiate(wrong) } == 0)
            }
        }
    }

    @Test(.verifies("security.md", "costly-hashes"))
    func `A wrong PUK costs the hash that it is compared with, and no other`() async throws {
        let (fixture, meter) = (try ServerFixture(), Meter())
        try await fixture.run { client in
            try await client.enableRecovery()
            let recovery = try #require(try await client.activeDevice().recovery)
            let service = RecoveryActivationService(context: meter.metering(fixture.server.services.context))
            func cost(_ code: String, puk: String = "0000000000", _ sealed: SealedRequest) -> Int {
                meter.cost {
                    _ = try service.recover(.init(code: Identifier(known: code), puk: puk, otp: "1"), sealed: sealed)
                }
            }
            #expect(try await cost(RecoverySeed.generate().code.text, inner(client)) == 0)
            #expect(try await cost(recovery.code.text, inner(client)) == 1)
            #expect(
                try await cost(recovery.code.text, puk: recovery.puk.text, inner(client, ["activationOtp": "1"])) == 0)
        }
    }
}
