// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import TestSupport
import Testing

@testable import PowerAuthShared

/// A list that keeps a call keeps the client and the user's password with it, and a removal would end the call twice.
@Suite("A client knows the calls that have not ended, and no others", .endsInTime)
struct RunningCallTests {
    private let path = "/pa/v3/signature/validate"

    /// The calls of the fixture's client that have not ended.
    private func running(_ fixture: SDKFixture) -> Int { fixture.sdk.client.running.all.count }

    @Test func `A call that succeeded, was refused or could not be sent has ended`() async throws {
        let fixture = try await SDKFixture.activated()
        #expect(running(fixture) == 0)
        #expect(await fixture.validate(SDKFixture.password) == nil)
        #expect(running(fixture) == 0)
        #expect(await fixture.validate("0000")?.powerAuthErrorCode == .networkError)
        #expect(running(fixture) == 0)
        fixture.server.order(.fail(.cannotConnectToHost), for: path)
        #expect(await fixture.validate(SDKFixture.password)?.domain == NSURLErrorDomain)
        #expect(running(fixture) == 0)
    }

    @Test func `A call whose prerequisite failed has ended, and the prerequisite too`() async throws {
        let fixture = try await SDKFixture.activated()
        fixture.server.order(.fail(.cannotConnectToHost), for: "/pa/v3/keystore/create")
        let result = await outcome { fixture.sdk.fetchUserInfo(callback: $0) }
        #expect(result.code == .NA, "an error of the transport")
        #expect(!fixture.server.paths.contains("/pa/v3/user/info"))
        #expect(running(fixture) == 0)
    }

    @Test func `A call runs until it is cancelled`() async throws {
        let fixture = try await SDKFixture.activated()
        fixture.server.order(.hold, for: path)
        let task = fixture.sdk.validatePassword(password: SDKFixture.password) { _ in
            Issue.record("a cancelled task does not report")
        }
        await fixture.server.arrival(of: path)
        #expect(running(fixture) == 1)
        task?.cancel()
        #expect(running(fixture) == 0)
        await mainQueueIsIdle()
    }

    @Test func `A call runs until the removal of its activation ends it`() async throws {
        let fixture = try await SDKFixture.activated()
        fixture.server.order(.hold, for: path)
        let call = Task { await fixture.validate(SDKFixture.password) }
        await fixture.server.arrival(of: path)
        #expect(running(fixture) == 1)
        fixture.sdk.removeActivationLocal()
        #expect(running(fixture) == 0)
        #expect(await call.value?.powerAuthErrorCode == .operationCancelled)
    }
}
