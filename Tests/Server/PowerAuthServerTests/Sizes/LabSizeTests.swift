import LabKit
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Limits of the records that a lab keeps, and of its requests.
@Suite("Sizes of a lab", .endsInTime)
struct LabSizeTests {
    @Test(
        "A code of the identity provider is good until as many newer ones are there",
        arguments: Sizes.around(LabIdentityProvider.capacity))
    func codes(count: Int) throws {
        let (provider, now) = (LabIdentityProvider(), ServerTime(milliseconds: 1_000_000))
        provider.listens(at: "http://127.0.0.1:1")
        func redeem(_ code: String) throws -> Bool {
            try provider.redeem(
                .init(code: code, redirectUri: LabIdentityProvider.redirectUri, codeVerifier: nil), at: now) != nil
        }
        let codes = (1...count).map { number in
            provider.authorize(
                .init(
                    userId: "user-\(number)", redirectUri: LabIdentityProvider.redirectUri, nonce: nil,
                    codeChallenge: nil), at: now)
        }
        #expect(try redeem(codes[0]) == (count <= LabIdentityProvider.capacity))
        #expect(try redeem(codes[1]) && redeem(codes[count - 1]))
        #expect(try !redeem(codes[1]))
    }

    @Test(
        "A redirect target is registered until as many newer ones are",
        arguments: Sizes.around(LabIdentityProvider.targets))
    func targets(count: Int) {
        let provider = LabIdentityProvider()
        for number in 1...count { provider.register(redirectUri: "app://\(number)") }
        #expect(provider.isRegistered(redirectUri: "app://1") == (count <= LabIdentityProvider.targets))
        #expect(provider.isRegistered(redirectUri: "app://\(count)"))
        #expect(provider.isRegistered(redirectUri: LabIdentityProvider.redirectUri))
    }

    @Test("Seeding is limited per request, also in several parts")
    func seeds() async throws {
        try await ServerFixture.deviceSide().run { client in
            let most = Int64(SeedService.limit)
            for (counts, isTaken) in [
                ([1], true), ([0], false), ([most + 1], false), ([most, 1], false), ([2, 1], true),
            ] {
                let blueprints = counts.enumerated().map { index, count in
                    JSONValue.object(["userId": .string("user-\(index)"), "count": .integer(count)])
                }
                let answer = try await client.plain("/lab/seed", ["activations": .array(blueprints)])
                #expect((answer.status == 200) == isTaken, "\(counts)")
            }
        }
    }
}
