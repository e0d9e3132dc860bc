// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

/// sdk.md, sections 9.3 and 12.2.
@Suite("Status", .endsInTime)
struct StatusTests {
    @Test func `Concurrent fetches share one request and one object`() async throws {
        let fixture = try await SDKFixture.activated()
        fixture.server.order(.hold, for: "/pa/v3/activation/status")
        let results: [PowerAuthActivationStatus?] = await callback { report in
            let collected = Mutex<[PowerAuthActivationStatus?]>([])
            for _ in 0..<3 {
                fixture.sdk.fetchActivationStatus { status, _ in
                    let all = collected.withLock { collected in
                        collected.append(status)
                        return collected
                    }
                    if all.count == 3 { report(all) }
                }
            }
            let cancelled = fixture.sdk.fetchActivationStatus { _, _ in
                Issue.record("a cancelled fetch does not report")
            }
            cancelled?.cancel()
            fixture.server.release("/pa/v3/activation/status")
        }
        let first = try #require(results[0])
        #expect(results.allSatisfy { $0 === first } && fixture.sdk.lastFetchedActivationStatus === first)
        #expect(first.customObject?["lang"] as? String == "cs")
        #expect(fixture.server.paths.count { $0 == "/pa/v3/activation/status" } == 1)
        #expect(try await fixture.status().get() !== first, "a later fetch asks again")
    }

    @Test func `A client far ahead sends a signature`() async throws {
        let fixture = try await SDKFixture.activated()
        for _ in 0..<12 {
            _ = try fixture.sdk.requestSignature(with: .possession(), method: "POST", uriId: "/a", body: nil)
        }
        #expect(try await fixture.status().get().state == .active)
        #expect(fixture.server.paths.last == "/pa/v3/signature/validate")
        #expect(fixture.server.state.withLock { $0.counterNumber } == 13)
    }

    @Test func `A server ahead is followed and the result is stored`() async throws {
        let fixture = try await SDKFixture.activated()
        fixture.server.state.withLock {
            $0.counter = $0.counter.advanced(by: 10)
            $0.counterNumber += 10
        }
        #expect(try await fixture.status().get().state == .active)
        let restarted = try fixture.restarted()
        #expect(await failure { restarted.validatePassword(password: SDKFixture.password, callback: $0) } == nil)
    }

    @Test func `A lost counter is a deadlock`() async throws {
        let fixture = try await SDKFixture.activated()
        for _ in 0..<22 {
            _ = try fixture.sdk.requestSignature(with: .possession(), method: "POST", uriId: "/a", body: nil)
        }
        #expect(try await fixture.status().get().state == .deadlock)
    }

    @Test func `Wrong passwords block at the maximum`() async throws {
        let fixture = try await SDKFixture.activated()
        for attempt in 1...5 {
            let error = await fixture.validate("0000")
            #expect(error?.powerAuthErrorCode == .networkError)
            let response = error?.userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse
            #expect(response?.httpStatusCode == 401)
            let status = try await fixture.status().get()
            #expect(status.state == (attempt < 5 ? .active : .blocked))
            #expect(status.failCount == UInt32(attempt) && status.remainingAttempts == UInt32(5 - attempt))
        }
        #expect(await fixture.validate(SDKFixture.password) != nil)
    }

    @Test func `An answer about another activation is refused`() async throws {
        let fixture = try await SDKFixture.activated()
        fixture.server.state.withLock { $0.activationId = "11111111-4d0e-4b6c-9d27-3f8d1b6e0a11" }
        #expect(await fixture.status().code == .invalidActivationData)
        #expect(fixture.sdk.lastFetchedActivationStatus == nil)
    }

    @Test func `Local removal ends a running fetch`() async throws {
        let fixture = try await SDKFixture.activated()
        fixture.server.order(.hold, for: "/pa/v3/activation/status")
        let fetch = Task { await fixture.status() }
        await fixture.server.arrival(of: "/pa/v3/activation/status")
        fixture.sdk.removeActivationLocal()
        #expect(await fetch.value.code == .operationCancelled)
        #expect(fixture.sdk.canStartActivation())
    }
}
