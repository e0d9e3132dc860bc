import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// What is remembered of requests, so that none comes twice (server.md, section 22).
@Suite("Values that must not come twice", .endsInTime)
struct ReplayKindTests {
    /// How many are stored of a token, of a request in application scope, and of one in activation scope.
    private func stored(_ fixture: ServerFixture) throws -> [Int] {
        try (0...2).map { try fixture.rows("unique_value", "type = \($0)") }
    }

    private func isValid(_ header: TokenHeader, _ client: ServerClient) async throws -> Bool? {
        try await client.validate(header).flag("tokenValid")
    }

    @Test("A value is stored with the kind of its request")
    func kinds() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            // The key exchange has two layers of application scope.
            var device = try await client.activeDevice()
            #expect(try stored(fixture) == [0, 2, 0])
            let token = try await device.createToken()
            #expect(try stored(fixture) == [0, 2, 1])
            let header = try token.header(.v3_3, timestamp: client.timestamp)
            #expect(try await isValid(header, client) == true)
            #expect(try stored(fixture) == [1, 2, 1])
        }
    }

    @Test("Where the settings allow replays, nothing is stored and a header is taken again")
    func allowed() async throws {
        let fixture = try ServerFixture { $0.policy.isReplayVerified = false }
        try await fixture.run { client in
            var device = try await client.activeDevice()
            let header = try await device.createToken().header(.v3_3, timestamp: client.timestamp)
            for _ in 1...2 { #expect(try await isValid(header, client) == true) }
            #expect(try stored(fixture) == [0, 0, 0])
        }
    }
}
