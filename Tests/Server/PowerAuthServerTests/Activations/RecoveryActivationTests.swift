// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Activation by recovery code", .endsInTime)
struct RecoveryActivationTests {
    /// A device whose activation came with recovery data.
    private func recoverable(
        _ client: ServerClient, _ version: ProtocolVersion = .v3_3
    ) async throws -> (device: TestDevice, recovery: RecoveryData) {
        try await client.enableRecovery()
        let device = try await client.activeDevice(version)
        return (device, try #require(device.recovery))
    }

    private func recover(
        _ device: inout TestDevice, _ recovery: RecoveryData, puk: String? = nil
    ) async throws -> Answer {
        try await device.activate(
            type: "RECOVERY", identity: ["recoveryCode": recovery.code.text, "puk": puk ?? recovery.puk.text])
    }

    @Test(
        .verifies("server.md", "B-48"), .verifies("rest-api.md", "B-23"),
        arguments: ProtocolVersion.allCases)
    func `The right PUK replaces the lost activation`(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            let (lost, recovery) = try await recoverable(client, version)
            try await client.backOffice(
                "activation/flags/create", ["activationId": lost.activationId, "activationFlags": ["VIP"]]
            ).expectOK()
            var device = try TestDevice(client, version)
            #expect(try await recover(&device, recovery).status == 200)
            #expect(device.recovery != nil && device.recovery != recovery)
            #expect(try await lost.status()?.state == .removed)
            let detail = try await client.activationStatus(device.activationId)
            #expect(detail.text("userId") == "alice")
            #expect(detail.text("activationFlags.0") == "VIP")
            #expect(detail.text("activationStatus") == "ACTIVE")
            #expect(try await device.validateSignature() == 200)
            var again = try TestDevice(client, version)
            let used = try await recover(&again, recovery)
            #expect(used.status == 400 && used.code == "ERR_ACTIVATION")
        }
    }

    @Test func `An activation by recovery code waits for its commit where the settings want it`() async throws {
        var spec = ServerSpec()
        spec.settings.commitRecovery = false
        try await ServerFixture { $0.apply(spec) }.run { client in
            let (_, recovery) = try await recoverable(client)
            var device = try TestDevice(client, .v3_3)
            #expect(try await recover(&device, recovery).status == 200)
            let detail = try await client.activationStatus(device.activationId)
            #expect(detail.text("activationStatus") == "PENDING_COMMIT")
        }
    }

    @Test func `Every report about the new activation has the flags of the lost one`() async throws {
        let fixture = try ServerFixture()
        let target = CallbackTarget([Int](repeating: 200, count: 20))
        try await fixture.run { client in
            let (lost, recovery) = try await recoverable(client)
            let flags: [String: any Sendable] = ["activationId": lost.activationId, "activationFlags": ["VIP"]]
            try await client.backOffice("activation/flags/create", flags).expectOK()
            try await client.createCallback(["attributes": ["activationStatus", "activationFlags"]])
            var device = try TestDevice(client, .v3_3)
            #expect(try await recover(&device, recovery).status == 200)
            _ = try await target.runJobs(fixture)
            let told = try target.bodies.filter { $0["activationId"]?.stringValue == device.activationId }
            #expect(told.map { $0["activationStatus"] } == ["CREATED", "PENDING_COMMIT", "ACTIVE"])
            #expect(told.allSatisfy { $0["activationFlags"] == ["VIP"] }, "\(told)")
        }
    }

    @Test(.verifies("rest-api.md", "B-23"))
    func `A wrong PUK is counted, named and finally blocks the code`() async throws {
        try await ServerFixture.run { client in
            let (lost, recovery) = try await recoverable(client)
            let wrong = recovery.puk.text == "0000000000" ? "1111111111" : "0000000000"
            var device = try TestDevice(client, .v3_3)
            for _ in 1...4 {
                let refused = try await recover(&device, recovery, puk: wrong)
                #expect(refused.status == 400 && refused.code == "INVALID_RECOVERY_CODE")
                #expect(refused.text("message") == "POWER_AUTH_RECOVERY_INVALID")
                #expect(refused.number("currentRecoveryPukIndex") == 1)
            }
            #expect(try await recover(&device, recovery, puk: wrong).code == "ERR_ACTIVATION")
            #expect(try await recover(&device, recovery).code == "ERR_ACTIVATION")
            #expect(try await lost.status()?.state == .active)
        }
    }

    @Test(
        .verifies("rest-api.md", "B-23"),
        arguments: ProtocolVersion.allCases)
    func `A code that came with an activation is confirmed with its commit`(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            var (device, recovery) = try await recoverable(client, version)
            let (answer, plaintext) = try await device.confirmRecovery(recovery.code.text)
            #expect(answer.status == 200)
            #expect(plaintext?["alreadyConfirmed"]?.boolValue == true)
        }
    }

    @Test(arguments: [false, true])
    func `A device that removes its activation keeps its recovery code, unless there is a provider`(hasProvider: Bool)
        async throws
    {
        try await ServerFixture {
            if hasProvider { $0.activationProvider = ActivationProvider(userId: { $0["username"] }) }
        }.run { client in
            var (device, recovery) = try await recoverable(client)
            try await device.sendSigned("/pa/v3/activation/remove", uriId: "/pa/activation/remove").expectOK()
            #expect(try await device.status()?.state == .removed)
            var next = try TestDevice(client, .v3_3)
            #expect(try await recover(&next, recovery).code == (hasProvider ? "ERR_ACTIVATION" : nil))
        }
    }

    @Test(
        .verifies("server.md", "B-50"),
        .verifies("rest-api.md", "B-23"), arguments: ProtocolVersion.allCases)
    func `A postcard is confirmed once by its user's device`(version: ProtocolVersion) async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            var device = try await client.activeDevice(version)
            let printer = try PrivateKey.generate().publicKey.uncompressed
            try await client.enableRecovery([
                "recoveryPostcardEnabled": true, "allowMultipleRecoveryCodes": true,
                "remotePostcardPublicKey": StrictBase64.encode(printer),
            ])
            func postcard(_ userId: String) async throws -> String {
                let created = try await client.backOffice(
                    "recovery/create", ["applicationId": "lab", "userId": userId, "pukCount": 1])
                let row = Int64(try #require(created.number("recoveryCodeId")))
                // The code itself is on paper only; the server knows it to compare.
                let record = try fixture.server.services.context.read { try RecoveryStore.find($0, row: row) }
                return try #require(record).code
            }
            let mine = try await postcard("alice")
            let first = try await device.confirmRecovery(mine)
            #expect(first.plaintext?["alreadyConfirmed"]?.boolValue == false)
            let second = try await device.confirmRecovery(mine)
            #expect(second.plaintext?["alreadyConfirmed"]?.boolValue == true)
            let lookup = try await client.backOffice(
                "recovery/lookup", ["userId": "alice", "recoveryCodeStatus": "ACTIVE"])
            #expect((lookup.value("recoveryCodes") as? [Any])?.count == 1)
            let foreign = try await device.confirmRecovery(postcard("mallory")).answer
            #expect(foreign.status == 401)
        }
    }

    @Test func `Every failed confirmation looks like a wrong signature, and only a wrong signature counts`()
        async throws
    {
        try await ServerFixture.run { client in
            var (device, recovery) = try await recoverable(client)
            let unknown = try await device.confirmRecovery(ActivationCode.generate().text).answer
            #expect(unknown.status == 401 && unknown.code == "ERR_AUTHENTICATION")
            #expect(try await device.status()?.failedAttempts == 0)
            let weak = try await device.confirmRecovery(recovery.code.text, type: .possessionBiometry).answer
            #expect(weak.status == 401)
            let wrong = try await device.confirmRecovery(recovery.code.text, correct: false).answer
            #expect(wrong.status == 401)
            #expect(try await device.status()?.failedAttempts == 1)
        }
    }

    @Test func `Without recovery no code comes with an activation`() async throws {
        try await ServerFixture.run { (client: ServerClient) async throws in
            #expect(try await client.activeDevice().recovery == nil)
        }
    }
}
