// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Every status of an operation against every decision about it (server.md, section 23).
@Suite("States of operations", .endsInTime)
struct OperationStateTests {
    /// An operation that was brought to a status.
    private func operation(_ world: World, _ status: OperationStatus) async throws -> String {
        let created = try await world.client.createOperation("payment", ["timestampExpires": deadline(world)])
        let id = try created.required("id")
        let decision: Fields = ["operationId": id, "userId": "alice", "applicationId": "lab"]
        switch status {
        case .pending: break
        case .canceled: try await world.call("operation/cancel", decision)
        case .approved: try await world.client.approve(id).expectOK()
        case .rejected: try await world.call("operation/reject", decision)
        case .failed: for _ in 1...2 { try await world.call("operation/approve/fail", decision) }
        case .expired: world.client.clock.advance(milliseconds: 10_001)
        }
        return id
    }

    private func deadline(_ world: World) -> Int64 { world.client.clock.now().milliseconds + 10_000 }

    @Test(.verifies("server.md", "B-55"), arguments: OperationStatus.allCases)
    func `Only a pending operation is decided`(status: OperationStatus) async throws {
        try await World.run { world in
            try await world.client.createTemplate(maxFailures: 2)
            let decisions: [(path: String, extra: Fields, code: String, result: String?, leadsTo: String)] = [
                (
                    "approve", ["data": "A1", "signatureType": "POSSESSION_KNOWLEDGE"], "ERR0037", "APPROVED",
                    "APPROVED"
                ),
                (
                    "approve", ["data": "wrong", "signatureType": "POSSESSION_KNOWLEDGE"], "ERR0037",
                    "APPROVAL_FAILED", "PENDING"
                ),
                ("approve/fail", [:], "ERR0036", "APPROVAL_FAILED", "PENDING"),
                ("reject", [:], "ERR0038", "REJECTED", "REJECTED"),
                ("reject", ["userId": "bob"], "ERR0038", "REJECT_FAILED", "PENDING"),
                ("cancel", [:], "ERR0036", nil, "CANCELED"),
            ]
            for decision in decisions {
                let id = try await operation(world, status)
                let request = ["operationId": id, "userId": "alice", "applicationId": "lab"].merging(decision.extra) {
                    $1
                }
                let answer = try await world.client.backOffice("operation/\(decision.path)", request)
                let isPending = status == .pending
                let place: Comment = "\(decision.path) of \(status.name)"
                #expect(answer.code == (isPending ? nil : decision.code), place)
                if isPending, let result = decision.result { #expect(answer.text("result") == result, place) }
                let detail = try await world.client.detail(id)
                #expect(detail.text("status") == (isPending ? decision.leadsTo : status.name), place)
                #expect(detail.isNull("timestampFinalized") == (detail.text("status") == "PENDING"), place)
            }
        }
    }

    @Test(arguments: OperationStatus.allCases)
    func `An unclaimed operation can be claimed while it is pending`(status: OperationStatus) async throws {
        try await World.run { world in
            try await world.client.createTemplate(maxFailures: 1)
            let created = try await world.call(
                "operation/create",
                ["applications": ["lab"], "templateName": "payment", "timestampExpires": deadline(world)])
            let id = try created.required("id")
            switch status {
            case .pending: break
            case .expired: world.client.clock.advance(milliseconds: 10_001)
            case .failed: try await world.call("operation/approve/fail", ["operationId": id])
            default: try await world.call("operation/cancel", ["operationId": id])
            }
            let seen = try await world.call("operation/detail", ["operationId": id, "userId": "alice"])
            #expect(seen.isNull("userId") == (status != .pending))
            // The user matters only while it is pending.
            let other = try await world.client.backOffice("operation/detail", ["operationId": id, "userId": "bob"])
            #expect(other.code == (status == .pending ? "ERR0034" : nil))
        }
    }
}
