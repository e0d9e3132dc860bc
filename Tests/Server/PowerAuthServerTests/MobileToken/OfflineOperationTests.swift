// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Operations without a network", .endsInTime)
struct OfflineOperationTests {
    @Test(
        arguments: [
            ("PAYMENT", "PAYMENT"), ("123", "123"), ("a\\b", "a\\\\b"), ("a\nb\r\nc", "a\\nb\\nc"), ("a   b", "a b"),
            ("a\u{A0} b", "a b"), ("a\u{7}b\tc", "abc"), ("", ""), ("Žluť 🐎", "Žluť 🐎"), ("a\\nb", "a\\\\nb"),
        ])
    func `A text becomes one line`(text: String, line: String) {
        #expect(OfflineText.line(text) == line)
    }

    /// The digits of a phone that scanned a code.
    private func digits(
        _ app: inout MobileApp, _ payload: OfflinePayload, type: SignatureType
    ) throws -> String {
        let lines = payload.data.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let body = ([lines[0], lines[3]] + lines.dropFirst(5)).joined(separator: "&")
        let keys = try #require(app.device.keys)
        let signature = try SymmetricSignature.offline(
            keys: SignatureKeys(keys, factors: type.factors), counter: app.device.counter,
            uriId: "/operation/authorize/offline", nonce: payload.nonce, body: Data(body.utf8))
        app.device.counter = app.device.counter.next()
        return signature
    }

    @Test(.verifies("mobile-token.md", "B-59"))
    func `A scanned code is signed by the server, and its digits approve the operation`() async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            var app = try await client.mobileApp()
            let cases: [(Bool, SignatureType)] = [(false, .possessionKnowledge), (true, .possessionBiometry)]
            for (hasProximityCheck, type) in cases {
                let payment = try await client.payment(["proximityCheck": .bool(hasProximityCheck)])
                let id = try #require(payment["id"]?.stringValue)
                let path = "/v2/operations/\(id)/offline/qr?registrationId=\(app.device.activationId)"
                let code = try await client.plain(path, method: .get).json
                let text = try #require(code["operationQrCodeData"]?.stringValue)
                #expect(text.components(separatedBy: "\n").last?.first == "1")
                let payload = try OfflinePayload(text)
                #expect(payload.nonce == code["nonce"]?.stringValue)
                #expect(payload.signingKey == .personalized)
                #expect(try payload.isSigned(by: #require(app.device.serverPublicKey)))
                let lines = payload.data.components(separatedBy: "\n")
                #expect(
                    Array(lines.prefix(5)) == [
                        id, "Payment approval", "Pay 250.50 EUR to CZ6508000000192000145399?",
                        payment["data"]?.stringValue ?? "", "BX",
                    ])
                #expect(lines.count == (hasProximityCheck ? 6 : 5))
                let refused = try await verify(client, id, app, payload, "00000000-00000000")
                #expect(refused["otpValid"] == false && refused["remainingAttempts"] == 99)
                #expect(try await client.detail(id).number("failureCount") == 1)
                let accepted = try await verify(client, id, app, payload, digits(&app, payload, type: type))
                #expect(
                    accepted == [
                        "otpValid": true, "userId": "alice", "registrationId": .string(app.device.activationId),
                        "registrationStatus": "ACTIVE", "signatureType": .string(type.name),
                        "remainingAttempts": 100,
                    ])
                #expect(try await client.detail(id).text("status") == "APPROVED")
                #expect(try await client.detail(id).text("additionalData.authFactor") == type.rawValue)
            }
        }
    }

    private func verify(
        _ client: ServerClient, _ id: String, _ app: MobileApp, _ payload: OfflinePayload, _ digits: String
    ) async throws -> JSONValue {
        try await client.plain(
            "/v2/operations/\(id)/offline/otp",
            [
                "otp": .string(digits), "nonce": .string(payload.nonce),
                "registrationId": .string(app.device.activationId),
            ]
        ).json
    }

    @Test(.verifies("mobile-token.md", "B-59"))
    func `A code for any device is signed with the application's key`() async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            let services = fixture.server.services
            let offline = OfflineOperationService(context: services.context)
            let id = try await client.operation("login")
            let payload = try #require(
                try offline.code(operationId: Identifier(known: id), activationId: nil) as? OfflinePayload)
            #expect(payload.signingKey == .master)
            #expect(payload.text.components(separatedBy: "\n").last?.first == "0")
            #expect(try payload.isSigned(by: #require(client.configuration).masterServerKey()))
            let proximity = try await client.operation("login_pac")
            #expect(throws: ServiceError.self) {
                try offline.code(operationId: Identifier(known: proximity), activationId: nil)
            }
        }
    }

    @Test func `Digits of another form, an unknown activation or no operation are not counted`() async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            let offline = OfflineOperationService(context: fixture.server.services.context)
            let id = try await client.operation("login")
            let nonce = "AAECAwQFBgcICQoLDA0ODw=="
            for digits in ["1234-5678", "12345678", "12345678-1234567a", ""] {
                #expect(throws: ServiceError.self) {
                    try offline.verify(
                        .init(operationId: Identifier(known: id), activationId: "x", nonce: nonce, digits: digits))
                }
            }
            let stranger = try offline.verify(
                .init(
                    operationId: Identifier(known: id), activationId: "unknown", nonce: nonce,
                    digits: "12345678-12345678"))
            #expect(!stranger.isValid && stranger.activation == nil && stranger.remainingAttempts == 0)
            #expect(try await client.detail(id).number("failureCount") == 0)
            #expect(throws: ServiceError.self) { try offline.code(operationId: "none", activationId: nil) }
            _ = try await client.backOffice("operation/cancel", ["operationId": id])
            #expect(throws: ServiceError.self) {
                try offline.code(operationId: Identifier(known: id), activationId: nil)
            }
        }
    }

    @Test func `Flags say whether biometry will do and what the risk is`() async throws {
        let fixture = try ServerFixture.mobileToken()
        try await fixture.run { client in
            for (name, flags, expected) in [("a", "FZXC", "BXFC"), ("b", "", "B")] {
                _ = try await client.backOffice(
                    "operation/template/create", ServerClient.template(name).merging(["riskFlags": flags]) { $1 })
                let id = try await client.operation(name)
                let payload = try OfflineOperationService(context: fixture.server.services.context)
                    .code(operationId: Identifier(known: id), activationId: nil)
                #expect(payload.text.components(separatedBy: "\n")[4] == expected)
            }
        }
    }
}

@Suite("Proximity codes", .endsInTime)
struct ProximityCodeTests {
    private let operation = OperationRecord(
        id: "1", applications: [], externalId: nil, activationFlag: nil, activationId: nil, operationType: "login",
        templateName: "login", data: "A2", parameters: [:], additionalData: [:], status: .pending,
        signatureTypes: [.possessionKnowledge], failureCount: 0, maxFailureCount: 5, riskFlags: nil,
        proximitySeed: Data(count: 16), created: ServerTime(milliseconds: 0), expires: ServerTime(milliseconds: 1))

    @Test(.verifies("mobile-token.md", "B-57"))
    func `A proximity code that begins with zero keeps its eight digits`() throws {
        let moments = (Int64(0)..<1000).map { ServerTime(milliseconds: $0 * 30_000) }
        let moment = try #require(
            moments.first { operation.proximityCode(at: $0, ProximityPolicy())?.hasPrefix("0") == true })
        let code = try #require(operation.proximityCode(at: moment, ProximityPolicy()))
        #expect(code.count == 8)
        #expect(operation.acceptsProximity(code, at: moment, ProximityPolicy()))
        #expect(!operation.acceptsProximity(String(code.dropFirst()), at: moment, ProximityPolicy()))
    }
}
