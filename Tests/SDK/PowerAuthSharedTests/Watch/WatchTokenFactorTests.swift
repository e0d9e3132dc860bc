// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2ForWatch
import TestSupport
import Testing

@Suite("The factors of a watch's tokens (watch.md, section 6.6)", .endsInTime)
struct WatchTokenFactorTests {
    /// A phone that answers at once, with a token that it made with possession.
    private let phone = TestTransport()
    private let storage: WatchStorage
    private let watch: PowerAuthWatchSDK

    init() throws {
        (watch, storage) = try PowerAuthWatchSDK.withActivation(over: phone)
        // Sixteen bytes make a record.
        let record = TokenRecord(name: "T", identifier: "x", secret: Data(count: 16), activationId: "A", factors: 1)!
        phone.answer(
            with: WatchPacket(
                target: "*", payload: WatchTokenPayload(.put, tokenName: "T", tokenData: record.serialized())
            ).serialized())
    }

    /// Asks for the token with the factors of a mask; zero stands for a request without an authentication.
    private func request(_ mask: Int) async -> Result<PowerAuthToken, NSError> {
        let authentication: PowerAuthAuthentication? =
            switch mask {
            case 1: .possession()
            case 3: .possessionWithPassword(password: "1234")
            default: nil
            }
        return await outcome {
            watch.tokenStore.requestAccessToken(withName: "T", authentication: authentication, completion: $0)
        }
    }

    private var storedFactors: Int? { storage.records("i").record(named: "T")?.factors }

    @Test(arguments: [0, 1, 3])
    func `A token has the factors of the request on the watch, not those that the phone made it with`(_ mask: Int)
        async throws
    {
        #expect(try await request(mask).get().tokenIdentifier == "x")
        #expect(storedFactors == mask)
    }

    @Test func `A token without factors takes those of the first request that has some, and keeps them`() async throws {
        for mask in [0, 0, 3, 0] { _ = try await request(mask).get() }
        #expect(storedFactors == 3)
        #expect(await request(1).code == .wrongParameter)
        #expect(storedFactors == 3)
        #expect(phone.sent.count == 1)
    }
}
