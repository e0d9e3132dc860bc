// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Decisions about an unclaimed operation", .endsInTime)
struct DecisionTests {
    private func nobodysOperation(_ client: ServerClient) async throws -> String {
        try await client.backOffice("operation/create", ["applications": ["lab"], "templateName": "payment"])
            .required("id")
    }

    @Test(
        .verifies("mobile-token.md", "B-56"),
        .verifies("server.md", "B-53"))
    func `The user who approves or rejects it claims it`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate()
            let approved = try await client.approve(nobodysOperation(client))
            #expect(approved.text("result") == "APPROVED" && approved.text("operation.userId") == "alice")
            let rejected = try await client.backOffice(
                "operation/reject",
                ["operationId": nobodysOperation(client), "userId": "alice", "applicationId": "lab"])
            #expect(rejected.text("result") == "REJECTED" && rejected.text("operation.userId") == "alice")
        }
    }

    @Test(
        .verifies("mobile-token.md", "B-56"),
        .verifies("server.md", "B-54"))
    func `Another application cannot reject it, and it stays unclaimed`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate()
            _ = try await client.backOffice("application/create", ["applicationId": "other"])
            let id = try await nobodysOperation(client)
            let refused = try await client.backOffice(
                "operation/reject", ["operationId": id, "userId": "alice", "applicationId": "other"])
            #expect(refused.text("result") == "REJECT_FAILED" && refused.isNull("operation.userId"))
            #expect(refused.number("operation.failureCount") == 0)
        }
    }

    @Test(.verifies("mobile-token.md", "B-56"), .verifies("server.md", "B-52"))
    func `Failures before the maximum leave it unclaimed, and the last one ends it`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate()
            let id = try await nobodysOperation(client)
            for attempt in 1...5 {
                let failed = try await client.approve(id, ["data": "wrong"])
                #expect(failed.text("result") == (attempt < 5 ? "APPROVAL_FAILED" : "OPERATION_FAILED"))
                #expect(failed.number("operation.failureCount") == attempt)
                #expect(failed.isNull("operation.userId"))
            }
            #expect(try await client.approve(id, ["data": ""]).code == "ERR0024")
        }
    }

    @Test func `An ended operation cannot be claimed and is shown unchanged`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate()
            let id = try await nobodysOperation(client)
            _ = try await client.backOffice("operation/cancel", ["operationId": id])
            let shown = try await client.backOffice("operation/claim", ["operationId": id, "userId": "bob"])
            #expect(shown.text("status") == "CANCELED" && shown.isNull("userId"))
        }
    }
}
