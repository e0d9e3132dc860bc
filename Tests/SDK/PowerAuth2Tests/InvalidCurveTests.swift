// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthShared
import SDKTestSupport
import TestSupport
import Testing

@testable import PowerAuth2

@Suite("Keys that are not on the curve (sdk.md, section 12.15)", .endsInTime)
struct InvalidCurveTests {
    /// Uncompressed and compressed texts of 65 and 33 bytes that no point of P-256 has.
    private static let impossible: [Data] = [
        Data([4] + Array(repeating: UInt8(1), count: 64)),
        Data([4] + Array(repeating: UInt8(0), count: 64)),
        Data([2] + Array(repeating: UInt8(0xFF), count: 32)),
        Data([0]),
    ]

    @Test(
        .verifies("sdk.md", "B-67"),
        arguments: impossible)
    func `A token request with an ephemeral key off the curve is refused, and the activation keeps working`(key: Data)
        async throws
    {
        let app = try await TestApp.activated()
        let cryptogram = try await cryptogram(app)
        cryptogram.key = key
        #expect(try await createToken(cryptogram, app) == 401)
        #expect(await app.validate() == nil)
        #expect(try await createToken(self.cryptogram(app), app) == 200, "only the key was wrong")
    }

    /// The encrypted part of a token request.
    private func cryptogram(_ app: TestApp) async throws -> PowerAuthCoreEciesCryptogram {
        // Makes the SDK obtain the server's temporary key.
        _ = try await outcome { app.sdk.eciesEncryptorForActivationScope(callback: $0) }.get()
        let keys = try app.sdk.factorKeys.possessionKeys()
        let encryptor = app.sdk.sessionProvider.readTask {
            $0.eciesEncryptor(for: .activation, keys: keys, sharedInfo1: "/pa/token/create")
        }
        return try #require(encryptor?.encryptRequest(Data("{}".utf8)))
    }

    /// Sends a token request with a right signature; gives the HTTP status.
    private func createToken(_ cryptogram: PowerAuthCoreEciesCryptogram, _ app: TestApp) async throws -> Int {
        let payload = try JSONValue.parse(JSONSerialization.data(withJSONObject: cryptogram.requestPayload()))
        let header = try app.sdk.requestSignature(
            with: .possession(), method: "POST", uriId: "/pa/token/create", body: payload.encoded())
        return try await app.backOffice.send(
            app.server.addresses.enrollmentURL + "/pa/v3/token/create", payload, headers: [(header.key, header.value)]
        ).status
    }
}
