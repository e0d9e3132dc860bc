// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthSDK2
import PowerAuthShared
import SDKTestSupport
import TestSupport
import Testing

@Suite("Approval without a connection in SDK 2.0 (protocol-4.md, section 15)", .endsInTime)
struct OfflineTests {
    private static let data = "A1*A100CZK"

    /// The payload for one device, and the one for every device.
    private func payloads(_ app: TestApp2, isVersion4: Bool) async throws -> [JSONValue] {
        let personalized: JSONValue = ["activationId": .string(try app.activationId), "data": .string(Self.data)]
        let common: JSONValue = [
            "applicationId": .string(app.backOffice.applicationId), "data": .string(Self.data),
        ]
        guard isVersion4 else {
            return [
                try await app.backOffice.call("signature/offline/personalized/create", personalized),
                try await app.backOffice.call("signature/offline/non-personalized/create", common),
            ]
        }
        return [
            try await app.backOffice.call("auth/offline/personalized/create", personalized, version: 4),
            try await app.backOffice.call("auth/offline/non-personalized/create", common, version: 4),
        ]
    }

    @Test(arguments: [PowerAuthAlgorithm.EC_P384, .EC_P384_ML_L3, .LEGACY_P256])
    func `What the server puts into a code is verified, and a changed one is refused`(
        algorithm: PowerAuthAlgorithm
    ) async throws {
        let app = try await TestApp2.activated(algorithm)
        for payload in try await payloads(app, isVersion4: algorithm != .LEGACY_P256) {
            let text = try #require(payload["offlineData"]?.stringValue)
            #expect(app.sdk.verifyOfflineData(text))
            #expect(!app.sdk.verifyOfflineData(text.replacing("100", with: "900")))
            #expect(!app.sdk.verifyOfflineData(""))
        }
    }

    @Test func `The digits that the user copies are accepted for the data that they are of`() async throws {
        let app = try await TestApp2.activated()
        let payload = try await payloads(app, isVersion4: true)[0]
        let nonce = try #require(payload["nonce"]?.stringValue)
        for (sent, isRight) in [("A1*A999CZK", false), (Self.data, true)] {
            let code = try app.sdk.offlineAuthenticationCode(
                with: .rightPassword, uriId: "/offline", body: Data(Self.data.utf8), nonce: nonce)
            let data = [
                "POST", Data("/offline".utf8).base64EncodedString(), nonce, Data(sent.utf8).base64EncodedString(),
            ].joined(separator: "&")
            let verdict = try await app.backOffice.call(
                "auth/offline/verify",
                [
                    "activationId": .string(try app.activationId), "data": .string(data),
                    "authenticationCode": .string(code), "allowBiometry": false,
                ], version: 4)
            #expect(verdict["authenticationValid"]?.boolValue == isRight)
        }
        #expect(throws: NSError.self) {
            try app.sdk.offlineAuthenticationCode(with: .possession(), uriId: "/offline", body: nil, nonce: nil)
        }
    }
}
