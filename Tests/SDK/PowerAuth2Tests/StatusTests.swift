// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabHTTP
import PowerAuth2
import SDKTestSupport
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("The status of an activation (sdk.md, section 12.2)", .endsInTime)
struct StatusTests {
    /// How many counter values the server tries.
    private static let lookAhead = 20

    @Test(
        .verifies("sdk.md", "B-11"),
        arguments: TestApp.Mode.allCases)
    func `Blocking, unblocking and removal on the server are seen by the next fetch`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        let activationId = try app.activationId
        try await app.backOffice.block(activationId)
        #expect(try await app.status().get().state == .blocked)
        try await app.backOffice.unblock(activationId)
        #expect(try await app.status().get().state == .active)
        #expect(await app.validate() == nil)
        try await app.backOffice.remove(activationId)
        #expect(try await app.status().get().state == .removed)
        #expect(app.sdk.hasValidActivation(), "the application decides when it forgets the activation")
    }

    @Test(
        .verifies("sdk.md", "B-12"),
        arguments: TestApp.Mode.allCases)
    func `Fetches at the same time share one object; a cancelled one is silent; one started in a callback asks again`(
        mode: TestApp.Mode
    ) async throws {
        let app = try await TestApp.activated(mode)
        let path = "/pa/v3/activation/status"
        app.transport.order(.hold(.response), for: path)
        let received = Mutex<[PowerAuthActivationStatus]>([])
        let later: PowerAuthActivationStatus? = await callback { report in
            for number in 0..<3 {
                let task = app.sdk.fetchActivationStatus { status, _ in
                    received.withLock { $0 += [status].compactMap { $0 } }
                    if number == 2 { app.sdk.fetchActivationStatus { status, _ in report(status) } }
                }
                #expect(task != nil)
            }
            app.sdk.fetchActivationStatus { _, _ in Issue.record("a cancelled fetch reports nothing") }?.cancel()
            Task {
                await app.transport.holds(path)
                app.transport.release(path)
            }
        }
        let statuses = received.withLock { $0 }
        let first = try #require(statuses.first)
        #expect(statuses.count == 3 && statuses.allSatisfy { $0 === first })
        #expect(later != nil && later !== first)
        #expect(app.transport.count(of: path) == 2)
    }

    @Test(
        .verifies("sdk.md", "B-13"),
        arguments: TestApp.Mode.allCases)
    func
        `Wrong passwords are counted, possession alone changes nothing, the right one forgives; the last wrong one blocks`(
            mode: TestApp.Mode
        ) async throws
    {
        let app = try await TestApp.activated(mode)
        for count in 1...2 as ClosedRange<UInt32> {
            #expect(await app.validate(TestApp.wrongPassword) != nil)
            let status = try await app.status().get()
            #expect(status.failCount == count && status.state == .active)
            #expect(status.remainingAttempts == status.maxFailCount - count)
        }
        #expect(try await app.signatureIsAccepted(.possession()))
        #expect(try await app.status().get().failCount == 2)
        #expect(await app.validate() == nil)
        #expect(try await app.status().get().failCount == 0)

        let maximum = try await app.status().get().maxFailCount
        for count in 1...maximum {
            #expect(await app.validate(TestApp.wrongPassword) != nil)
            let status = try await app.status().get()
            #expect(status.failCount == count)
            #expect(status.state == (count < maximum ? .active : .blocked))
        }
        #expect(try await app.status().get().remainingAttempts == 0)
    }

    @Test(
        .verifies("sdk.md", "B-14"),
        arguments: TestApp.Mode.allCases)
    func `Signatures that never reach the server do no harm while the status is fetched in between`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        for number in 1...Self.lookAhead + 2 {
            _ = try app.sdk.requestSignature(with: .possession(), method: "POST", uriId: "/lost", body: nil)
            if number.isMultiple(of: 4) { #expect(try await app.status().get().state == .active) }
        }
        #expect(try await app.status().get().state == .active)
        #expect(await app.validate() == nil)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A fetch whose synchronising signature fails returns the error; the next one synchronises`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        let path = "/pa/v3/signature/validate"
        for _ in 1...Self.lookAhead / 2 + 5 {
            _ = try app.sdk.requestSignature(with: .possession(), method: "POST", uriId: "/lost", body: nil)
        }
        app.transport.order(.fail(.networkConnectionLost), for: path)
        let error = await app.status().failure
        #expect(error?.domain == NSURLErrorDomain && error?.code == NSURLErrorNetworkConnectionLost)
        #expect(app.transport.count(of: path) == 1)
        #expect(try await app.status().get().state == .active)
        #expect(app.transport.count(of: path) == 2)
    }

    @Test
    func `A request ends with a time-out when the device's clock has passed the limit, and not before`() async throws {
        let app = try await TestApp.activated()
        let client = PowerAuthClientConfiguration()
        #expect(client.defaultRequestTimeout == 20)
        let sdk = try PowerAuthSDK(
            configuration: app.sdk.configuration, clientConfiguration: client, sandbox: app.sandbox,
            transport: app.transport)
        let path = "/pa/v3/activation/status"
        app.transport.order(.hold(.request), for: path)
        async let waiting = sdk.status()
        await app.transport.holds(path)
        try app.device.clock.advance(by: .milliseconds(15_000))
        #expect(app.transport.requests.last?.timeout == nil, "no limit of real time")
        try app.device.clock.advance(by: .milliseconds(5_001))
        let error = await waiting.failure
        #expect(error?.domain == NSURLErrorDomain && error?.code == NSURLErrorTimedOut)
        #expect(try await sdk.status().get().state == .active)
    }

    @Test(
        .verifies("sdk.md", "B-14"),
        arguments: TestApp.Mode.allCases)
    func `More lost signatures than the server looks ahead are a deadlock`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        for _ in 1...Self.lookAhead + 2 {
            _ = try app.sdk.requestSignature(with: .possession(), method: "POST", uriId: "/lost", body: nil)
        }
        #expect(try await app.status().get().state == .deadlock)
    }

    @Test(
        .verifies("sdk.md", "B-15"),
        arguments: TestApp.Mode.allCases)
    func `A server that is ahead is followed; one that is too far ahead is a deadlock`(mode: TestApp.Mode) async throws
    {
        for (distance, state) in [(10, PowerAuthActivationState.active), (Self.lookAhead + 2, .deadlock)] {
            let app = try await TestApp.activated(mode)
            let old = try #require(app.sdk.sessionProvider.readTask { $0.serializedState() })
            for _ in 0..<distance { #expect(try await app.signatureIsAccepted(.possession())) }
            app.sdk.sessionProvider.writeVoidTask { _ = $0.deserializeState(old) }
            #expect(try await app.status().get().state == state)
            if state == .active { #expect(await app.validate() == nil) }
        }
    }

    @Test(
        .verifies("sdk.md", "B-16"),
        arguments: TestApp.Mode.allCases)
    func `More validations than the counter's byte has values succeed, active all the way`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        for number in 1...263 {
            #expect(await app.validate() == nil)
            if number.isMultiple(of: 16) { #expect(try await app.status().get().state == .active) }
        }
        #expect(try await app.status().get().state == .active)
    }
}
