// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Operations", .endsInTime)
struct OperationTests {
    @Test(
        .verifies("mobile-token.md", "B-54", "B-55"),
        .verifies("server.md", "B-51"))
    func `Parameters are escaped and expanded once`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate("text", data: "A0*T${text}*${unknown}*${other}")
            let created = try await client.createOperation(
                "text", ["parameters": ["text": "\\foo*hoo\nnew-line", "other": "${text}"]])
            #expect(created.text("data") == "A0*T\\\\foo\\*hoo\\nnew-line*${unknown}*${text}")
            #expect(created.text("status") == "PENDING")
            #expect(created.isNull("timestampFinalized") && created.isNull("proximityOtp"))
            #expect(created.text("timestampExpires") == "2024-10-08T09:38:20.000+00:00")
            let null = try await client.send(
                "/rest/v3/operation/create",
                body: Data(
                    #"{"requestObject":{"applications":["lab"],"templateName":"text","parameters":{"a":null}}}"#.utf8))
            #expect(null.code == "ERR0024")
        }
    }

    @Test(.verifies("mobile-token.md", "B-55"), .verifies("server.md", "B-59"))
    func `An invalid operation is refused`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate()
            let (activationId, _) = try await client.initiate(["userId": "bob"])
            let cases: [([String: any Sendable], String)] = [
                (["applications": [String]()], "ERR0024"), (["templateName": "none"], "ERR0033"),
                (["applications": ["none"]], "ERR0015"), (["applications": ["lab", "lab"]], "ERR0015"),
                (["userId": ""], "ERR0024"), (["activationId": activationId], "ERR0024"),
                (["activationId": String(repeating: "a", count: 38)], "ERR0024"),
                (["parameters": ["a": "b\tc"]], "ERR0024"),
                (["timestampExpires": "2020-01-01T00:00:00Z"], "ERR0024"),
            ]
            for (change, code) in cases {
                #expect(try await client.createOperation("payment", change).code == code, "\(change)")
            }
            let owned = try await client.backOffice(
                "operation/create",
                ["applications": ["lab"], "templateName": "payment", "activationId": activationId])
            #expect(owned.text("userId") == "bob")
        }
    }

    @Test func `A right approval is final`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate()
            let id = try await client.createOperation().required("id")
            let approved = try await client.approve(id, ["additionalData": ["a": 1]])
            #expect(approved.text("result") == "APPROVED")
            #expect(approved.text("operation.status") == "APPROVED")
            #expect(approved.text("operation.userId") == "alice")
            #expect(approved.number("operation.additionalData.a") == 1)
            #expect(!approved.isNull("operation.timestampFinalized"))
            #expect(try await client.approve(id).code == "ERR0037")
            let decision: [String: any Sendable] = ["operationId": id, "userId": "alice", "applicationId": "lab"]
            #expect(try await client.backOffice("operation/reject", decision).code == "ERR0038")
            #expect(try await client.backOffice("operation/cancel", decision).code == "ERR0036")
            #expect(try await client.backOffice("operation/approve/fail", decision).code == "ERR0036")
        }
    }

    @Test(
        .verifies("mobile-token.md", "B-56"),
        .verifies("server.md", "B-52"),
        arguments: ["data", "beginning", "userId", "applicationId", "signatureType", "additionalData"])
    func `A wrong approval counts until the operation fails`(field: String) async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate(maxFailures: 2)
            try await client.backOffice("application/create", ["applicationId": "other"]).expectOK()
            let device = try await client.activeDevice()
            let operation = try await client.createOperation(
                "payment", field == "additionalData" ? ["activationId": device.activationId] : [:])
            let id = try operation.required("id")
            let wrong: [String: any Sendable] =
                switch field {
                case "applicationId": [field: "other"]
                case "beginning": ["data": "A"]
                case "signatureType": [field: "POSSESSION"]
                case "additionalData": [field: ["activationId": "another"]]
                default: [field: "wrong"]
                }
            let first = try await client.approve(id, wrong)
            #expect(first.status == 200 && first.text("result") == "APPROVAL_FAILED")
            #expect(first.number("operation.failureCount") == 1)
            let second = try await client.approve(id, wrong)
            #expect(second.text("result") == "OPERATION_FAILED")
            #expect(second.text("operation.status") == "FAILED")
        }
    }

    @Test(.verifies("server.md", "B-53"))
    func `An unclaimed operation is claimed by the first user who reads it`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate()
            let created = try await client.backOffice(
                "operation/create", ["applications": ["lab"], "templateName": "payment"])
            let id = try created.required("id")
            #expect(created.isNull("userId"))
            let failed = try await client.approve(id, ["data": "wrong"])
            #expect(failed.isNull("operation.userId"))
            let claimed = try await client.backOffice("operation/detail", ["operationId": id, "userId": "alice"])
            #expect(claimed.text("userId") == "alice")
            let other = try await client.backOffice("operation/detail", ["operationId": id, "userId": "bob"])
            #expect(other.code == "ERR0034")
            let rejected = try await client.backOffice(
                "operation/reject", ["operationId": id, "userId": "bob", "applicationId": "lab"])
            #expect(rejected.text("result") == "REJECT_FAILED")
            #expect(rejected.number("operation.failureCount") == 1)
            let right = try await client.backOffice(
                "operation/reject", ["operationId": id, "userId": "alice", "applicationId": "lab"])
            #expect(right.text("result") == "REJECTED")
        }
    }

    @Test(
        .verifies("mobile-token.md", "B-58"),
        .verifies("server.md", "B-56"))
    func `An operation expires by the server's clock`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate()
            let id = try await client.createOperation().required("id")
            client.clock.advance(milliseconds: 300_000)
            #expect(try await client.detail(id).text("status") == "PENDING")
            client.clock.advance(milliseconds: 1)
            let query: [String: any Sendable] = ["userId": "alice", "applications": ["lab"]]
            #expect(try await client.backOffice("operation/list/pending", query).list.isEmpty)
            let expired = try await client.detail(id)
            #expect(expired.text("status") == "EXPIRED")
            #expect(!expired.isNull("timestampFinalized"))
            #expect(try await client.approve(id).code == "ERR0037")
        }
    }

    @Test func `An operation is refused whose last moment is already there, and taken with one more`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate()
            for (ahead, code) in [(-1, "ERR0024"), (0, "ERR0024"), (1, nil)] as [(Int, String?)] {
                let created = try await client.createOperation(
                    "payment", ["timestampExpires": Int(client.timestamp) + ahead])
                #expect(created.code == code, "\(ahead) ms from now")
                #expect(code == nil || created.text("message") == "timestampExpires is in the past")
            }
        }
    }

    @Test(
        .verifies("mobile-token.md", "B-57"),
        .verifies("server.md", "B-57"))
    func `A proximity code is good for its step and the next`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate()
            for (wait, right, result) in [
                (0, true, "APPROVED"), (30_000, true, "APPROVED"), (60_000, true, "APPROVAL_FAILED"),
                (0, false, "APPROVAL_FAILED"),
            ] {
                let created = try await client.createOperation("payment", ["proximityCheckEnabled": true])
                let code = try created.required("proximityOtp")
                #expect(code.count == 8)
                #expect(try await client.detail(created.required("id")).text("proximityOtp") == code)
                client.clock.advance(milliseconds: Int64(wait))
                let shown = right ? code : String(code.dropLast())
                let decided = try await client.approve(
                    created.required("id"), ["additionalData": ["proximity_otp": shown]])
                #expect(decided.text("result") == result)
                #expect(decided.isNull("operation.proximityOtp"))
            }
        }
    }

    @Test(
        .verifies("mobile-token.md", "B-58"),
        .verifies("server.md", "B-14"))
    func `Lists are filtered before they are cut into pages`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate()
            var ids: [String] = []
            for index in 0..<5 {
                client.clock.advance(milliseconds: 1)
                ids.append(
                    try await client.createOperation("payment", ["externalId": "ext-\(index % 2)"]).required("id"))
            }
            func page(_ number: Int) async throws -> [String] {
                try await client.backOffice(
                    "operation/list",
                    ["userId": "alice", "applications": ["lab"], "pageNumber": number, "pageSize": 2]
                ).list.compactMap { $0["id"] as? String }
            }
            #expect(try await page(0) == [ids[4], ids[3]])
            #expect(try await page(2) == [ids[0]])
            #expect(try await page(3).isEmpty)
            let external = try await client.backOffice(
                "operation/list/external", ["externalId": "ext-1", "applications": ["lab"]])
            #expect(external.list.count == 2)
            #expect(try await client.backOffice("operation/list", ["applications": ["lab"]]).code == "ERR0001")
        }
    }

    @Test(
        .verifies("mobile-token.md", "B-58"),
        .verifies("server.md", "B-58"))
    func `An operation with a flag is for activations with that flag`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate()
            let (with, _) = try await client.initiate(["flags": ["F"]])
            let (other, _) = try await client.initiate(["flags": ["G"]])
            let (without, _) = try await client.initiate()
            _ = try await client.createOperation("payment", ["activationFlag": "F"])
            for (activation, count) in [(with, 1), (other, 0), (without, 0)] {
                let listed = try await client.backOffice(
                    "operation/list/pending",
                    ["userId": "alice", "applications": ["lab"], "activationId": activation])
                #expect(listed.list.count == count)
            }
        }
    }

    @Test(.verifies("server.md", "B-60")) func `Cancelling keeps the reason and records the device`() async throws {
        try await ServerFixture.run { client in
            try await client.createTemplate()
            let agent =
                "PowerAuthNetworking/1.1.7 (en; cellular) com.acme.app/2.0.0 (Apple; iOS/16.6.1; iphone12,3)"
            let id = try await client.createOperation("payment", ["additionalData": ["userAgent": agent]])
                .required("id")
            let cancelled = try await client.backOffice(
                "operation/cancel", ["operationId": id, "statusReason": "CHANGED"])
            #expect(cancelled.text("status") == "CANCELED")
            #expect(cancelled.text("statusReason") == "CHANGED")
            #expect(cancelled.text("additionalData.device.model") == "iphone12,3")
            #expect(cancelled.text("additionalData.device.networkVersion") == "1.1.7")
        }
    }

    @Test(.verifies("server.md", "B-59")) func `Templates are validated and keep their name`() async throws {
        try await ServerFixture.run { client in
            let created = try await client.createTemplate()
            let again = try await client.backOffice("operation/template/create", ServerClient.template())
            #expect(again.code == "ERR0039")
            for (field, value) in [
                ("templateName", ""), ("signatureType", [String]()), ("expiration", 0), ("maxFailureCount", -1),
                ("signatureType", ["POSSESSION", "POSSESSION"]),
            ] as [(String, any Sendable)] {
                let refused = try await client.backOffice(
                    "operation/template/create", ServerClient.template("new").merging([field: value]) { $1 })
                #expect(refused.code == "ERR0024")
                #expect(refused.text("message") != ServiceErrorCode.invalidRequest.message)
            }
            let id = try #require(created.number("id"))
            let updated = try await client.backOffice(
                "operation/template/update",
                ServerClient.template("renamed").merging(["id": id, "riskFlags": "X"]) { $1 })
            #expect(updated.text("templateName") == "payment")
            #expect(updated.text("riskFlags") == "X")
            #expect(try await client.backOffice("operation/template/detail", ["id": 99]).code == "ERR0033")
            let removed = try await client.backOffice("operation/template/remove", ["id": id])
            #expect(removed.status == 200 && removed.value("") == nil)
            #expect(try await client.backOffice("operation/template/list").list.isEmpty)
        }
    }
}

extension Answer {
    /// A bare array.
    var list: [[String: Any]] { value("") as? [[String: Any]] ?? [] }
}

extension ServerClient {
    static func template(_ name: String = "payment") -> [String: any Sendable] {
        [
            "templateName": name, "operationType": "payment", "dataTemplate": "A1", "maxFailureCount": 5,
            "signatureType": ["POSSESSION_KNOWLEDGE", "POSSESSION_BIOMETRY"], "expiration": 300,
        ]
    }

    @discardableResult
    func createTemplate(
        _ name: String = "payment", data: String = "A1", maxFailures: Int = 5
    ) async throws -> Answer {
        let created = try await backOffice(
            "operation/template/create",
            Self.template(name).merging(["dataTemplate": data, "maxFailureCount": maxFailures]) { $1 })
        try #require(created.status == 200)
        return created
    }

    func createOperation(
        _ template: String = "payment", _ extra: [String: any Sendable] = [:]
    ) async throws -> Answer {
        try await backOffice(
            "operation/create",
            ["userId": "alice", "applications": ["lab"], "templateName": template].merging(extra) { $1 })
    }

    func detail(_ id: String) async throws -> Answer {
        try await backOffice("operation/detail", ["operationId": id])
    }

    func approve(_ id: String, _ extra: [String: any Sendable] = [:]) async throws -> Answer {
        try await backOffice(
            "operation/approve",
            [
                "operationId": id, "userId": "alice", "applicationId": "lab", "data": "A1",
                "signatureType": "POSSESSION_KNOWLEDGE",
            ].merging(extra) { $1 })
    }
}
