// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Operations of the Mobile Token API", .endsInTime)
struct MobileOperationTests {
    private static let data = "A1*A250.50EUR*ICZ6508000000192000145399***NRent \\* December"

    @Test func `A payment is listed with what the app shows of it, and approved`() async throws {
        try await ServerFixture.mobileToken().run { client in
            var app = try await client.mobileApp()
            #expect(try await app.list().isEmpty)
            let id = try #require(try await client.payment(["note": "Rent * December"])["id"]?.stringValue)
            let answer = try await app.ask("\(MobileApp.root)/list")
            #expect(answer.json["currentTimestamp"] == "2024-10-08T09:33:20+0000")
            #expect(
                answer.object == [
                    [
                        "id": .string(id), "name": "payment", "status": "PENDING", "data": .string(Self.data),
                        "operationCreated": "2024-10-08T09:33:20+0000", "operationExpires": "2024-10-08T09:38:20+0000",
                        "allowedSignatureType": [
                            "type": "2FA", "variants": ["possession_knowledge", "possession_biometry"],
                        ],
                        "ui": ["flipButtons": true],
                        "formData": [
                            "title": "Payment approval", "message": "Pay 250.50 EUR to CZ6508000000192000145399?",
                            "resultTexts": [
                                "success": "Paid 250.50 EUR", "reject": "Payment refused",
                                "failure": "Payment was not approved",
                            ],
                            "attributes": [
                                [
                                    "type": "AMOUNT", "id": "operation.amount", "label": "Amount", "amount": 250.5,
                                    "amountFormatted": "250.50", "currency": "EUR", "currencyFormatted": "€",
                                    "valueFormatted": "€250.50",
                                ],
                                [
                                    "type": "KEY_VALUE", "id": "operation.account", "label": "To account",
                                    "value": "CZ6508000000192000145399",
                                ],
                                ["type": "NOTE", "id": "operation.note", "label": "Note", "note": "Rent * December"],
                            ],
                        ],
                    ]
                ])
            let detail = try await app.detail(id)
            #expect(detail.object == answer.object[0])
            #expect(detail.json["currentTimestamp"] != nil)
            #expect(try await app.authorize(id, Self.data).json == ["status": "OK"])
            #expect(try await app.list().isEmpty)
            let history = try await app.sign("\(MobileApp.root)/history", uriId: "/operation/history")
            #expect(history.object[0]?["status"] == "APPROVED")
            #expect(history.json["currentTimestamp"] == nil)
            let core = try await client.detail(id)
            #expect(core.text("additionalData.authFactor") == "possession_knowledge")
            #expect(core.text("additionalData.activationId") == app.device.activationId)
            #expect(core.text("additionalData.applicationId") == "lab")
        }
    }

    @Test
    func `A wrong PIN counts for the activation and for the operation, and the right one is accepted afterwards`()
        async throws
    {
        try await ServerFixture.mobileToken().run { client in
            var app = try await client.mobileApp()
            let id = try #require(try await client.payment(["note": "Rent * December"])["id"]?.stringValue)
            let wrong = try await app.authorize(id, Self.data, correct: false)
            #expect(wrong.refusal == "401 POWERAUTH_AUTH_FAIL: Authentication failed")
            #expect(try await client.detail(id).number("failureCount") == 1)
            #expect(try await client.activationStatus(app.device.activationId).number("failedAttempts") == 1)
            #expect(try await app.authorize(id, Self.data).status == 200)
            #expect(try await client.activationStatus(app.device.activationId).number("failedAttempts") == 0)
            let again = try await app.authorize(id, Self.data)
            #expect(again.refusal == "400 OPERATION_ALREADY_FINISHED: Operation was already completed")
        }
    }

    @Test func `The failure that reaches the maximum ends the operation`() async throws {
        try await ServerFixture.mobileToken().run { client in
            var app = try await client.mobileApp()
            let id = try #require(try await client.payment()["id"]?.stringValue)
            for _ in 1...4 {
                #expect(try await app.authorize(id, "A1", correct: false).code == "POWERAUTH_AUTH_FAIL")
            }
            let last = try await app.authorize(id, "A1", correct: false)
            #expect(last.refusal == "400 OPERATION_ALREADY_FAILED: Operation already failed")
            #expect(try await app.detail(id).code == "OPERATION_ALREADY_FAILED")
            #expect(try await app.history()[0]["status"] == "FAILED")
        }
    }

    @Test func `Only a header that could have approved counts as a failure`() async throws {
        try await ServerFixture.mobileToken().run { client in
            var stranger = try await client.mobileApp(["userId": "mallory"])
            let id = try #require(try await client.payment()["id"]?.stringValue)
            #expect(try await stranger.authorize(id, "A1", correct: false).code == "POWERAUTH_AUTH_FAIL")
            let bare = try await client.send(
                "\(MobileApp.root)/authorize", body: MobileApp.body(["id": .string(id), "data": "A1"]))
            #expect(bare.refusal == "401 POWERAUTH_AUTH_FAIL: Authentication failed")
            #expect(try await client.detail(id).number("failureCount") == 0)
        }
    }

    @Test func `A factor that the operation does not allow is a failed approval`() async throws {
        try await ServerFixture.mobileToken().run { client in
            var app = try await client.mobileApp()
            let payment = try await client.payment()
            let (id, data) = (payment["id"]?.stringValue ?? "", payment["data"]?.stringValue ?? "")
            let weak = try await app.authorize(id, data, type: .possession)
            #expect(weak.refusal == "401 OPERATION_FAILED: PowerAuth server operation approval fails")
            #expect(try await client.detail(id).number("failureCount") == 1)
            #expect(try await app.authorize(id, data, type: .possessionBiometry).status == 200)
            let login = try await client.operation("login_1fa")
            #expect(try await app.list()[0]["allowedSignatureType"] == ["type": "1FA", "variants": []])
            #expect(try await app.authorize(login, "A2", type: .possession).status == 200)
        }
    }

    @Test func `An unclaimed operation is shown and claimed; another user's is neither`() async throws {
        try await ServerFixture.mobileToken().run { client in
            let alice = try await client.mobileApp()
            var bob = try await client.mobileApp(["userId": "bob"])
            let created = try await client.backOffice(
                "operation/create", ["applications": ["lab"], "templateName": "login_pac"])
            let id = try created.required("id")
            #expect(try await alice.list().isEmpty)
            #expect(try await alice.detail(id).status == 200)
            let claimed = try await alice.claim(id)
            #expect(claimed.object["id"]?.stringValue == id)
            #expect(claimed.json["currentTimestamp"] != nil)
            #expect(claimed.object["ui"]?["preApprovalScreen"]?["type"] == "QR_SCAN")
            #expect(try await alice.claim(id).status == 200)
            #expect(try await alice.list().count == 1)
            #expect(
                try await bob.claim(id).refusal
                    == "400 INVALID_OPERATION: No operation was found with the provided identifier.")
            #expect(try await bob.detail(id).refusal == "400 INVALID_REQUEST: Invalid request")
            let foreign = try await bob.cancel(id)
            #expect(foreign.refusal == "401 OPERATION_FAILED: PowerAuth server operation rejection fails")
            #expect(try await client.detail(id).text("userId") == "alice")
        }
    }

    @Test func `A login with pre-approval shows the scan where its operation asks for a proximity check`() async throws
    {
        try await ServerFixture.mobileToken().run { client in
            let app = try await client.mobileApp()
            for (isChecked, type) in [(true, "QR_SCAN"), (false, nil)] as [(Bool, JSONValue?)] {
                let created = try await client.backOffice(
                    "operation/create",
                    [
                        "applications": ["lab"], "templateName": "login_preApproval",
                        "proximityCheckEnabled": isChecked,
                    ])
                let claimed = try await app.claim(try created.required("id"))
                #expect(claimed.object["ui"]?["preApprovalScreen"]?["type"] == type)
            }
        }
    }

    @Test(.verifies("mobile-token.md", "B-57"))
    func `With a proximity check the code decides, and the history shows no scan request`() async throws {
        try await ServerFixture.mobileToken().run { client in
            var app = try await client.mobileApp()
            let id = try await client.operation("login_pac")
            let code = try await client.detail(id).required("proximityOtp")
            #expect(try await app.list()[0]["ui"]?["preApprovalScreen"]?["heading"] == "Scan the code")
            #expect(try await app.history()[0]["ui"] == [:])
            for wrong in [nil, "1234", code.reversed() == Array(code) ? "00000000" : String(code.reversed())] {
                #expect(try await app.authorize(id, "A2", otp: wrong).code == "OPERATION_FAILED")
            }
            #expect(try await app.authorize(id, "A2", otp: code, correct: false).code == "POWERAUTH_AUTH_FAIL")
            #expect(try await app.authorize(id, "A2", otp: code).status == 200)
        }
    }

    @Test func `A rejection is done with possession, and its reason stays with the operation`() async throws {
        try await ServerFixture.mobileToken().run { client in
            var app = try await client.mobileApp()
            let id = try await client.operation("login")
            #expect(try await app.cancel(id, reason: "UNEXPECTED_OPERATION").json == ["status": "OK"])
            let rejected = try await client.detail(id)
            #expect(rejected.text("status") == "REJECTED")
            #expect(rejected.text("additionalData.rejectReason") == "UNEXPECTED_OPERATION")
            #expect(rejected.isNull("statusReason") && !rejected.isNull("timestampFinalized"))
            #expect(try await app.cancel(id).code == "OPERATION_ALREADY_FINISHED")
        }
    }

    @Test func `History shows why an operation was taken back, and what still waits`() async throws {
        try await ServerFixture.mobileToken().run { client in
            var app = try await client.mobileApp()
            let canceled = try await client.operation("login")
            _ = try await client.backOffice(
                "operation/cancel", ["operationId": canceled, "statusReason": "PREARRANGED_REASON"])
            client.clock.advance(milliseconds: 1)
            let waiting = try await client.operation("login")
            let history = try await app.history()
            #expect(history.map { $0["id"]?.stringValue } == [waiting, canceled])
            #expect(history.map { $0["status"]?.stringValue } == ["PENDING", "CANCELED"])
            #expect(history[1]["statusReason"] == "PREARRANGED_REASON")
            #expect(history[0]["statusReason"] == nil)
            #expect(
                try await app.detail(canceled).refusal
                    == "400 OPERATION_ALREADY_CANCELED: Operation was already canceled")
            client.clock.advance(milliseconds: 300_001)
            #expect(try await app.claim(waiting).refusal == "400 OPERATION_EXPIRED: Operation already expired")
            #expect(try await app.list().isEmpty)
        }
    }

    @Test func `An activation without the operation's flag neither sees nor decides it`() async throws {
        try await ServerFixture.mobileToken().run { client in
            var plain = try await client.mobileApp()
            let flagged = try await client.mobileApp(["flags": ["VIP"]])
            let id = try await client.operation("login", ["activationFlag": "VIP"])
            #expect(try await plain.list().isEmpty)
            #expect(try await flagged.list().count == 1)
            let refusal =
                "400 OPERATION_REQUIRES_ACTIVATION_FLAG: "
                + "Operation requires activation flag: VIP, which is not present on activation."
            #expect(try await plain.authorize(id, "A2").refusal == refusal)
            #expect(try await plain.cancel(id).refusal == refusal)
            #expect(try await client.detail(id).number("failureCount") == 0)
            var unverified = try await client.mobileApp(["flags": ["VERIFICATION_IN_PROGRESS"]])
            let login = try await client.operation("login")
            #expect(try await unverified.authorize(login, "A2").code == "POWERAUTH_AUTH_FAIL")
            #expect(try await client.detail(login).number("failureCount") == 0)
        }
    }

    @Test(arguments: [true, false])
    func `An operation with a flag is claimed for a user who could decide on it, unless the settings say otherwise`(
        isChecked: Bool
    ) async throws {
        let fixture = try ServerFixture.mobileToken { $0.policy.isFlagCheckedAtClaim = isChecked }
        try await fixture.run { client in
            func unclaimed() async throws -> String {
                try await client.backOffice(
                    "operation/create", ["applications": ["lab"], "templateName": "login", "activationFlag": "VIP"]
                ).required("id")
            }
            let owner = isChecked ? nil : "alice"
            let plain = try await client.mobileApp()
            _ = try await client.mobileApp(["userId": "bob", "flags": ["VIP"]])
            let first = try await unclaimed()
            let claimed = try await plain.claim(first)
            #expect(claimed.status == (isChecked ? 400 : 200))
            if isChecked {
                #expect(
                    claimed.refusal
                        == "400 OPERATION_REQUIRES_ACTIVATION_FLAG: "
                        + "Operation requires activation flag: VIP, which is not present on activation.")
            }
            #expect(try await client.detail(first).text("userId") == owner)
            for path in ["operation/claim", "operation/detail"] {
                let id = try await unclaimed()
                let answer = try await client.backOffice(path, ["operationId": id, "userId": "alice"])
                #expect(answer.code == (isChecked ? "ERR0034" : nil), "\(path)")
                #expect(try await client.detail(id).text("userId") == owner, "\(path)")
            }
            // The user's other app may decide, as long as it is active.
            let able = try await client.mobileApp(["flags": ["VIP"]])
            let second = try await unclaimed()
            #expect(try await plain.claim(second).status == 200)
            #expect(try await able.list().contains { $0["id"]?.stringValue == second })
            try await client.backOffice("activation/block", ["activationId": able.device.activationId]).expectOK()
            #expect(try await plain.claim(second).status == 200, "it is the user's already")
            #expect(try await plain.claim(unclaimed()).status == (isChecked ? 400 : 200))
        }
    }

    @Test(.verifies("mobile-token.md", "B-58"))
    func `An operation for one activation is listed for no other`() async throws {
        try await ServerFixture.mobileToken().run { client in
            var (first, second) = (try await client.mobileApp(), try await client.mobileApp())
            let id = try await client.operation("login", ["activationId": first.device.activationId])
            #expect(try await first.list().map { $0["id"]?.stringValue } == [id])
            #expect(try await first.history().count == 1)
            #expect(try await second.list().isEmpty)
            #expect(try await second.history().isEmpty)
        }
    }

    @Test func `Callbacks learn of an approval by an app and of a wrong PIN`() async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            var app = try await client.mobileApp()
            let id = try await client.operation("login")
            _ = try await client.backOffice(
                "application/callback/create",
                [
                    "applicationId": "lab", "name": "operations", "type": "OPERATION_STATUS_CHANGE",
                    "callbackUrl": "http://127.0.0.1:9/", "attributes": ["status", "failureCount"],
                ])
            _ = try await app.authorize(id, "A2", correct: false)
            _ = try await app.authorize(id, "A2")
            let payloads = try fixture.server.services.context.change { change in
                try (1...2).compactMap { _ in
                    try CallbackStore.takeDue(change.database, CallbackPolicy(), at: change.now, underWay: [])?.payload
                }
            }
            #expect(
                payloads.map { try? JSONValue.parse($0) } == [
                    ["type": "OPERATION", "operationId": .string(id), "status": "PENDING", "failureCount": 1],
                    ["type": "OPERATION", "operationId": .string(id), "status": "APPROVED", "failureCount": 1],
                ])
        }
    }
}
