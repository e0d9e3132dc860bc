// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import PowerAuth2

/// sdk.md, sections 9.4, 9.5 and 12.9.
@Suite("Tokens of the server", .endsInTime)
struct ServerTokenTests {
    private func request(
        _ name: String, _ fixture: SDKFixture, _ authentication: PowerAuthAuthentication = .possession()
    ) async -> Result<PowerAuthToken, NSError> {
        await outcome {
            fixture.sdk.tokenStore.requestAccessToken(withName: name, authentication: authentication, completion: $0)
        }
    }

    @Test func `A token is created once and removed on the server`() async throws {
        let fixture = try await SDKFixture.activated()
        let first = try await request("A", fixture).get()
        let second = try await request("A", fixture).get()
        #expect(first.isEqual(to: second))
        #expect(fixture.server.paths.filter { $0 == "/pa/v3/token/create" }.count == 1)
        #expect(fixture.server.state.withLock { Array($0.tokens.keys) } == [first.tokenIdentifier])
        let header = await outcome {
            fixture.sdk.tokenStore.generateAuthorizationHeader(withName: "A", completion: $0)
        }
        #expect(try header.get().value.hasPrefix("PowerAuth version=\"3.3\", token_id=\"\(first.tokenIdentifier)\""))
        let removal: (Bool, (any Error)?) = await callback { report in
            fixture.sdk.tokenStore.removeAccessToken(withName: "A") { report(($0, $1)) }
        }
        #expect(removal.0 && removal.1 == nil && !fixture.sdk.tokenStore.hasLocalToken(withName: "A"))
        #expect(fixture.server.state.withLock { $0.tokens.isEmpty })
    }

    @Test func `Other factors for the same name are refused`() async throws {
        let fixture = try await SDKFixture.activated()
        _ = try await request("A", fixture).get()
        let other = await request("A", fixture, .possessionWithPassword(password: SDKFixture.password))
        #expect(other.code == .wrongParameter)
    }

    @Test func `Many tokens at once keep the activation working`() async throws {
        let fixture = try await SDKFixture.activated()
        let created = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
            for number in 0..<20 { group.addTask { await request("T\(number)", fixture).code == nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(created == 20)
        #expect(try await fixture.status().get().state == .active)
    }

    @Test func `A refused request stores nothing`() async throws {
        let fixture = try await SDKFixture.activated()
        let refused = await request("A", fixture, .possessionWithPassword(password: "0000"))
        #expect(refused.code == .networkError)
        #expect(!fixture.sdk.tokenStore.hasLocalToken(withName: "A"))
    }
}

@Suite("Lifetime of an SDK object", .endsInTime)
struct LifetimeTests {
    /// The queues that carried the last answer may hold the parts for a moment longer, so each is waited for; what a
    /// cycle holds never goes, and the wait ends in a failure.
    @Test func `An SDK object without references is released, with its device when it was the last`() async throws {
        let parts = try await Self.partsOfUsedSDK()
        let left = try await onThread { parts.leftAfterWaiting() }
        #expect(left == [])
    }

    private struct Parts: LeakTracker, @unchecked Sendable {
        // Safe: weak references are read atomically, and nothing is written after the initialiser.
        weak var sdk: PowerAuthSDK?
        weak var client: RestClient?
        weak var sandbox: Sandbox?

        var left: [String] {
            [("SDK object", sdk != nil), ("client", client != nil), ("sandbox", sandbox != nil)].filter(\.1).map(\.0)
        }
    }

    private static func partsOfUsedSDK() async throws -> Parts {
        let fixture = try await SDKFixture.activated()
        return Parts(sdk: fixture.sdk, client: fixture.sdk.client, sandbox: fixture.sandbox)
    }
}
