// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Errors of device endpoints", .endsInTime)
struct DeviceErrorTests {
    @Test(
        .verifies("rest-api.md", "B-18"),
        .verifies("security.md", "device-authentication"), arguments: [ProtocolVersion.v3_1, .v3_3])
    func `A wrong request is refused as documented`(version: ProtocolVersion) async throws {
        try await ServerFixture.deviceSide().run { client in
            for row in DeviceErrorRow.all {
                var rig = try await DeviceRig(client, row.call, version, isStarted: row.isStarted)
                try await row.prepare(&rig)
                let before = try await rig.trace()
                let answer = try await rig.send(row.twist)
                answer.expect(row.failure, row.what)
                let after = try await rig.trace()
                #expect(
                    after?.failedAttempts == before?.failedAttempts.map { $0 + row.counts }, "\(row.testDescription)")
                #expect(after?.status == before?.status, "\(row.testDescription)")
                try await rig.leave()
            }
        }
    }

    /// The states and circumstances of rest-api.md, section 7.5.
    enum Circumstance: String, CaseIterable, Sendable {
        case pendingCommit, blocked, removed, unknownActivation, unsupportedVersion, foreignApplication
    }

    @Test(
        .verifies("rest-api.md", "B-9", "B-10"),
        arguments: Circumstance.allCases,
        [ProtocolVersion.v3_1, .v3_3])
    func `An activation that is not to be served is refused`(
        circumstance: Circumstance, version: ProtocolVersion
    ) async throws {
        try await ServerFixture.forEach(DeviceCall.ofActivation, version) { rig in
            let call = rig.call
            try await bring(&rig, to: circumstance)
            let answer = try await rig.send()
            let what = "\(circumstance) in \(version.rawValue)"
            switch (call.form, circumstance) {
            // A token names neither application nor activation; the envelope beside it does.
            case (.token, .unknownActivation), (.token, .unsupportedVersion), (.token, .foreignApplication):
                #expect(answer.status == 200, "\(what)")
            case (.tokenAndSealed, .unknownActivation), (.tokenAndSealed, .unsupportedVersion),
                (.tokenAndSealed, .foreignApplication):
                answer.expect(call.closedFailure, what)
            default: answer.expect(call.refusal, what)
            }
            try await leave(rig, circumstance)
        }
    }

    @Test func `A temporary key is for an activation that can use it`() async throws {
        for (circumstance, status) in [
            (Circumstance.pendingCommit, 400), (.blocked, 200), (.removed, 400), (.unknownActivation, 400),
            (.unsupportedVersion, 400), (.foreignApplication, 400),
        ] {
            try await ServerFixture.run(.createTemporaryKey, .v3_3) { rig in
                try await bring(&rig, to: circumstance)
                let answer = try await rig.send()
                if status == 200 {
                    #expect(answer.status == 200, "\(circumstance)")
                } else {
                    answer.expect(.temporaryKey, "\(circumstance)")
                }
            }
        }
    }

    @Test(
        .verifies("rest-api.md", "B-25"),
        arguments: [ProtocolVersion.v3_1, .v3_3])
    func `A status is returned in every state`(version: ProtocolVersion) async throws {
        for circumstance in Circumstance.allCases {
            try await ServerFixture.run(.activationStatus, version) { rig in
                try await bring(&rig, to: circumstance)
                #expect(try await rig.send().status == 200, "\(circumstance)")
            }
        }
    }

    @Test(
        .verifies("rest-api.md", "B-17"),
        arguments: ProtocolVersion.allCases)
    func `An activation needs a supported version of its application`(version: ProtocolVersion) async throws {
        try await ServerFixture.forEach([.createActivation, .exchangeApplication], version) { rig in
            try await bring(&rig, to: .unsupportedVersion)
            try await rig.send().expect(rig.call.refusal, "an unsupported version in \(version.rawValue)")
            try await leave(rig, .unsupportedVersion)
        }
    }

    @Test func `A removal that fails after its signature is not an authentication error`() async throws {
        // Nothing in the domain refuses to remove what has just signed, so the transaction is made to fail.
        let commits = Mutex<Int?>(nil)
        let fixture = try ServerFixture(
            faults: ServerFaults(beforeCommit: {
                let isSecond = commits.withLock { count in
                    count = count.map { $0 + 1 }
                    return count == 2
                }
                if isSecond { throw ServiceError(.activationNotFound, "removed by another request") }
            }))
        try await fixture.run { client in
            var rig = try await DeviceRig(client, .removeActivation, .v3_3)
            let request = try await rig.request()
            commits.withLock { $0 = 0 }
            try await request.send(client).expect(.activation, "the second transaction fails")
            commits.withLock { $0 = nil }
            #expect(try await rig.trace() == ActivationTrace(status: "ACTIVE", failedAttempts: 0, counter: 1))
        }
    }

    @Test func `Unreadable claims are not returned to the device, and neither is the reason`() async throws {
        let fixture = try ServerFixture.deviceSide()
        try await fixture.run { client in
            var rig = try await DeviceRig(client, .userInfo, .v3_3)
            let context = fixture.server.services.context
            await fixture.server.workers.run {
                #expect(throws: Never.self) {
                    try context.change { try UserClaimsStore.save($0.database, userId: "alice", claims: "{") }
                }
            }
            try await rig.send().expect(.userInfo, "user info")
            var newcomer = try await DeviceRig(client, .createActivation, .v3_3)
            try await newcomer.send().expect(.activation, "an activation for the same user")
        }
    }

    private static let version = ["applicationId": "lab", "applicationVersionId": "default"]

    /// Lets the next device be served.
    private func leave(_ rig: DeviceRig, _ circumstance: Circumstance) async throws {
        guard circumstance == .unsupportedVersion else { return }
        try await rig.client.backOffice("application/version/support", Self.version).expectOK()
    }

    private func bring(_ rig: inout DeviceRig, to circumstance: Circumstance) async throws {
        let id = rig.device.activationId
        switch circumstance {
        case .pendingCommit:
            try await rig.client.backOffice(
                "activation/status/update", ["activationIds": [id], "activationStatus": "PENDING_COMMIT"]
            ).expectOK()
        case .blocked:
            try await rig.client.backOffice("activation/block", ["activationId": id]).expectOK()
        case .removed:
            try await rig.client.backOffice("activation/remove", ["activationId": id]).expectOK()
        case .unknownActivation:
            rig.device.activationId = UUID().uuidString.lowercased()
            rig.scopes = rig.scopes.mapValues {
                TestDevice.Scope(
                    publicKey: $0.publicKey, temporaryKeyId: $0.temporaryKeyId,
                    activationId: $0.activationId.map { _ in rig.device.activationId }, sharedInfo2: $0.sharedInfo2)
            }
        case .unsupportedVersion:
            try await rig.client.backOffice("application/version/unsupport", Self.version).expectOK()
        case .foreignApplication:
            // Another device may have created it before.
            _ = try await rig.client.backOffice("application/create", ["applicationId": "other"])
            let other = try await rig.client.backOffice("application/detail", ["applicationId": "other"])
            let configuration = try MobileSdkConfiguration(other.required("versions.0.mobileSdkConfig"))
            rig.device.configuration = configuration
        }
    }
}
