import Foundation
import SimulatedDevice
import Testing

@testable import PowerAuth2

@Suite("Lifetime of an SDK object")
struct LifetimeTests {
    @Test("An SDK object that nobody holds is gone, with its device when it was the last")
    func released() async throws {
        let parts = try await Self.partsOfUsedSDK()
        #expect(parts.sdk == nil)
        #expect(parts.client == nil)
        #expect(parts.sandbox == nil)
    }

    private struct Parts: @unchecked Sendable {
        // Safe: read after everything that could release them has ended.
        weak var sdk: PowerAuthSDK?
        weak var client: RestClient?
        weak var sandbox: Sandbox?
    }

    private static func partsOfUsedSDK() async throws -> Parts {
        let fixture = try await SDKFixture.activated()
        return Parts(sdk: fixture.sdk, client: fixture.sdk.client, sandbox: fixture.sandbox)
    }
}
