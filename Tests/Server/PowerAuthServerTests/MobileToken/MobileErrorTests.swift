// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// The table of refusals (mobile-token.md, section 16.2), as devices see them.
@Suite("Refusals of the Mobile Token API", .endsInTime)
struct MobileErrorTests {
    private static let byToken = [
        "/api/auth/token/app/operation/list", "/api/auth/token/app/operation/detail",
        "/api/auth/token/app/operation/detail/claim", "/api/inbox/count", "/api/inbox/message/list",
        "/api/inbox/message/detail", "/api/inbox/message/read", "/api/inbox/message/read-all",
    ]
    private static let bySignature = [
        ("/api/auth/token/app/operation/history", "/operation/history"),
        ("/api/auth/token/app/operation/authorize", "/operation/authorize"),
        ("/api/auth/token/app/operation/cancel", "/operation/cancel"),
        ("/api/auth/token/app/operation/list/signature", "/operation/list/signature"),
    ]

    @Test func `A missing or wrong token or signature, or a blocked activation, is refused`() async throws {
        try await ServerFixture.mobileToken().run { client in
            var app = try await client.mobileApp()
            let paths = Self.byToken + Self.bySignature.map(\.0)
            let body = MobileApp.body(["id": "none", "data": "A1"])
            for path in paths {
                #expect(
                    try await client.send(path, body: body).refusal
                        == "401 POWERAUTH_AUTH_FAIL: Authentication failed", "\(path)")
            }
            for path in ["/api/push/device/register", "/api/push/device/register/token"] {
                #expect(
                    try await client.send(path, body: body).refusal
                        == "401 POWERAUTH_AUTH_FAIL: Unable to verify device registration.", "\(path)")
            }
            _ = try await client.backOffice("activation/block", ["activationId": app.device.activationId])
            for path in Self.byToken {
                #expect(try await app.ask(path, [:]).code == "POWERAUTH_AUTH_FAIL", "\(path)")
            }
            let id = try await client.operation("login")
            for (path, uriId) in Self.bySignature {
                let answer = try await app.sign(
                    path, uriId: uriId, ["id": .string(id), "data": "A2"], type: .possession)
                #expect(answer.refusal == "401 POWERAUTH_AUTH_FAIL: Authentication failed", "\(path)")
            }
        }
    }

    @Test
    func `On demand only the newest active activation of a user has operations (mobile-token.md, section 21)`()
        async throws
    {
        let fixture = try ServerFixture.mobileToken { $0.policy.hasOneActivationPerUser = true }
        try await fixture.run { client in
            var older = try await client.mobileApp()
            var newer = try await client.mobileApp()
            let payment = try await client.payment(["userId": "alice"])
            let id = try #require(payment["id"]?.stringValue)
            let data = try #require(payment["data"]?.stringValue)
            let refusal = "400 INVALID_ACTIVATION: The operations of the user belong to another activation."
            for answer in [
                try await older.ask("\(MobileApp.root)/list"),
                try await older.sign(
                    "\(MobileApp.root)/list/signature", uriId: "/operation/list/signature", type: .possession),
                try await older.authorize(id, data), try await older.cancel(id),
            ] {
                #expect(answer.refusal == refusal)
            }
            // It was refused because of the caller, which is not an attempt.
            #expect(try await newer.list().count == 1)
            #expect(try await newer.authorize(id, data).status == 200)
        }
    }

    @Test func `On demand push and inbox refuse with the code of the integration library`() async throws {
        let fixture = try ServerFixture.mobileToken { $0.policy.hasLibraryAuthenticationCode = true }
        try await fixture.run { client in
            for path in ["/api/push/device/register", "/api/push/device/register/token", "/api/inbox/count"] {
                let answer = try await client.send(path)
                #expect(answer.refusal == "401 ERR_AUTHENTICATION: POWER_AUTH_SIGNATURE_INVALID", "\(path)")
            }
            let other = try await client.send("\(MobileApp.root)/list")
            #expect(other.code == "POWERAUTH_AUTH_FAIL")
        }
    }

    @Test func `Each resource takes the factors that it is documented with, and no others`() async throws {
        try await ServerFixture.mobileToken().run { client in
            var app = try await client.mobileApp()
            let strong: Set<SignatureType> = [.possessionKnowledge, .possessionBiometry]
            let cases: [(String, String, Set<SignatureType>)] = [
                ("history", "/operation/history", strong), ("cancel", "/operation/cancel", [.possession]),
                ("authorize", "/operation/authorize", strong.union([.possession])),
                ("list/signature", "/operation/list/signature", [.possession]),
            ]
            for (name, uriId, accepted) in cases {
                for type in SignatureType.allCases where type.factors.contains(.possession) {
                    let id = try await client.operation("login")
                    let answer = try await app.sign(
                        "\(MobileApp.root)/\(name)", uriId: uriId, ["id": .string(id), "data": "A2"], type: type)
                    let isRefused = answer.code == "POWERAUTH_AUTH_FAIL"
                    #expect(isRefused == !accepted.contains(type), "\(name) \(type): \(answer.refusal)")
                }
            }
        }
    }

    @Test
    func `A request without its object, or with one that cannot be read, is refused as the original refuses it`()
        async throws
    {
        try await ServerFixture.mobileToken({ $0.policy.isJSONStrict = true }).run { client in
            var app = try await client.mobileApp()
            let root = MobileApp.root
            let unexpected = "500 ERROR_GENERIC: Unknown error occurred while processing request."
            let unauthenticated = "401 POWERAUTH_AUTH_FAIL: Authentication failed"
            for path in ["\(root)/detail", "\(root)/detail/claim"] {
                #expect(try await app.ask(path).refusal == unexpected)
                #expect(try await app.ask(path, ["id": 7]).refusal == unexpected)
                let missing = try await app.ask(path, [:])
                #expect(missing.status == 400 && missing.code == "INVALID_REQUEST")
                #expect(missing.text("message")?.hasPrefix("Request validation error: ") == true)
                #expect(
                    try await app.ask(path, ["id": "none"]).refusal
                        == "400 INVALID_OPERATION: No operation was found with the provided identifier.")
            }
            let authorize = ("\(root)/authorize", "/operation/authorize")
            let id = try await client.operation("login")
            let cases: [(JSONValue?, String)] = [
                (nil, unauthenticated), (["data": "A2"], unauthenticated), (["id": .string(id)], unexpected),
                (["id": 7], unexpected),
                (
                    ["id": "none", "data": "A2"],
                    "400 INVALID_OPERATION: Operation not found or is in an unexpected state"
                ),
            ]
            for (object, refusal) in cases {
                #expect(try await app.sign(authorize.0, uriId: authorize.1, object).refusal == refusal)
            }
            // A request without a valid signature is refused for that, with any body.
            let nobody = try await client.send(authorize.0, body: Data("[null, null]".utf8))
            #expect(nobody.status == 401 && nobody.code == "POWERAUTH_AUTH_FAIL")
            let cancel = ("\(root)/cancel", "/operation/cancel")
            #expect(try await app.sign(cancel.0, uriId: cancel.1, type: .possession).refusal == unauthenticated)
            #expect(try await app.sign(cancel.0, uriId: cancel.1, [:], type: .possession).code == "INVALID_REQUEST")
            #expect(
                try await app.cancel("none").refusal
                    == "400 INVALID_OPERATION: Operation not found or is in an unexpected state")
            #expect(try await client.detail(id).number("failureCount") == 0)
        }
    }

    @Test
    func `A failure of the core is reported as one of a remote system, and an unknown path as not found`() async throws
    {
        #expect(
            MobileTokenFailure(ServiceError(.unknownError, "x"))
                == MobileTokenFailure(ServiceError(.activationNotFound, "x")))
        #expect(MobileTokenFailure(ServiceError(.unknownError, "x")).code == "REMOTE_COMMUNICATION_ERROR")
        #expect(MobileTokenFailure(ServiceError(.unknownError, "x")).status == 409)
        #expect(MobileTokenFailure(ServiceError(.invalidApplication, "x")).code == "INVALID_APPLICATION")
        try await ServerFixture.mobileToken().run { client in
            let unknown = try await client.send("/api/auth/token/app/operation/none")
            #expect(unknown.status == 404 && unknown.code == "ERROR_NOT_FOUND")
            let app = try await client.mobileApp()
            let method = try await client.send("\(MobileApp.root)/list", method: .get)
            #expect(method.status == 405)
            #expect(try await app.ask("/enrollment-server\(MobileApp.root)/list").status == 200)
        }
    }

    @Test func `Each status of an operation and each error of the core has its code`() {
        let codes = OperationStatus.allCases.map { MobileTokenFailure($0)?.code }
        #expect(
            codes == [
                nil, "OPERATION_ALREADY_CANCELED", "OPERATION_EXPIRED", "OPERATION_ALREADY_FINISHED",
                "OPERATION_ALREADY_FINISHED", "OPERATION_ALREADY_FAILED",
            ])
        let causes = Dictionary(grouping: ServiceErrorCode.allCases) {
            MobileTokenFailure(ServiceError($0, "cause")).code
        }
        #expect(causes["INVALID_REQUEST"] == [.invalidRequest])
        #expect(causes["INVALID_APPLICATION"] == [.invalidApplication])
        #expect(
            causes["INVALID_OPERATION"] == [
                .operationNotFound, .operationInvalidState, .operationApproveFailure, .operationRejectFailure,
            ])
        #expect(causes.count == 4 && causes["REMOTE_COMMUNICATION_ERROR"]?.count == ServiceErrorCode.allCases.count - 6)
        #expect(MobileTokenFailure(ServiceError(.unknownError, "cause")).status == 409)
        #expect(MobileTokenFailure(ServiceError.invalid("why")).message == "Request validation error: why")
        let plain = MobileTokenFailure(ServiceError(.invalidRequest, "cause"))
        #expect(plain.message == "Request validation error: Invalid request received.")
    }
}
