// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The audit", .endsInTime)
struct AuditTests {
    private func entries(_ client: ServerClient, after number: Int64 = 0) async throws -> [JSONValue] {
        let answer = try await client.send("/lab/audit?after=\(number)", method: .get)
        #expect(answer.status == 200)
        return try JSONValue.parse(answer.body)["entries"]?.arrayValue ?? []
    }

    @Test func `It records the changes of activations, operations and recovery codes, each once`() async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        try await fixture.run { client in
            let device = try await client.activeDevice()
            try await client.backOffice(
                "activation/block",
                ["activationId": device.activationId, "reason": "LOST", "externalUserId": "operator-1"]
            ).expectOK()
            let found = try await entries(client)
            #expect(
                found.compactMap { $0["text"]?.stringValue } == [
                    "the activation was created", "the activation went from CREATED to PENDING_COMMIT",
                    "the activation went from PENDING_COMMIT to ACTIVE", "the activation went from ACTIVE to BLOCKED",
                ])
            let last = try #require(found.last)
            #expect(last["kind"] == "ACTIVATION" && last["time"]?.integerValue == client.clock.now().milliseconds)
            #expect(
                last["detail"] == [
                    "activationId": .string(device.activationId), "userId": "alice", "applicationId": "lab",
                    "status": "BLOCKED", "reason": "LOST", "externalUserId": "operator-1",
                ])
            let number = try #require(last["number"]?.integerValue)
            #expect(try await entries(client, after: number).isEmpty)

            try await client.backOffice(
                "operation/template/create",
                [
                    "templateName": "login", "operationType": "login", "dataTemplate": "A2",
                    "signatureType": ["POSSESSION_KNOWLEDGE"], "maxFailureCount": 5, "expiration": 300,
                ]
            ).expectOK()
            let operation = try await client.backOffice(
                "operation/create", ["userId": "alice", "applications": ["lab"], "templateName": "login"])
            try await client.backOffice("operation/approve/fail", ["operationId": operation.required("id")]).expectOK()
            try await client.backOffice("operation/cancel", ["operationId": operation.required("id")]).expectOK()
            let operations = try await entries(client, after: number)
            #expect(
                operations.compactMap { $0["text"]?.stringValue } == [
                    "the operation is PENDING", "an approval of the operation failed", "the operation is CANCELED",
                ])
            #expect(operations.allSatisfy { $0["kind"] == "OPERATION" })
        }
    }

    @Test func `A change that is rolled back leaves no entry`() async throws {
        struct Injected: Error {}
        let isArmed = FaultFlag()
        let fixture = try ServerFixture(
            faults: ServerFaults(beforeCommit: { if isArmed.isRaised { throw Injected() } })
        ) { $0.hasLabPowers = true }
        try await fixture.run { client in
            isArmed.isRaised = true
            let answer = try await client.backOffice("activation/init", ["userId": "a", "applicationId": "lab"])
            #expect(answer.status == 500)
            isArmed.isRaised = false
            #expect(try await entries(client).isEmpty)
        }
    }

    @Test func `No entry holds a PUK or a whole recovery code`() async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        try await fixture.run { client in
            try await client.enableRecovery()
            let device = try await client.activeDevice()
            let recovery = try #require(device.recovery)
            var other = try TestDevice(client, .v3_3)
            _ = try await other.activate(
                type: "RECOVERY", identity: ["recoveryCode": recovery.code.text, "puk": "0000000000"])
            #expect(
                try await other.activate(
                    type: "RECOVERY", identity: ["recoveryCode": recovery.code.text, "puk": recovery.puk.text]
                ).status == 200)
            let found = try await entries(client)
            #expect(
                found.filter { $0["kind"] == "RECOVERY" }.compactMap { $0["text"]?.stringValue }
                    == ["a wrong PUK was shown", "PUK 1 was spent"])
            let text = String(decoding: JSONValue.array(found).encoded(), as: UTF8.self)
            for secret in [recovery.code.text, recovery.puk.text, "0000000000"] {
                #expect(!text.contains(secret))
            }
            #expect(text.contains("XXXXX-XXXXX-XXXXX-\(recovery.code.text.suffix(5))"))
        }
    }
}

/// Whether a fault is armed. Thread rule: any thread; guarded by the lock.
private final class FaultFlag: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var value = false

    var isRaised: Bool {
        get { lock.withLock { value } }
        set { lock.withLock { value = newValue } }
    }
}
