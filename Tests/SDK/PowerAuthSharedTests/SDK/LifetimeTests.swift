import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import PowerAuth2

@Suite("Lifetime of an SDK object", .endsInTime)
struct LifetimeTests {
    /// The queues that carried the last answer may hold the parts for a moment longer, so each is waited for; what a
    /// cycle holds never goes, and the wait ends in a failure.
    @Test("An SDK object without references is released, with its device when it was the last")
    func released() async throws {
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
