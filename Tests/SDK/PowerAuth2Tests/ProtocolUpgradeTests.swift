// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing

@testable import PowerAuth2

@Suite("Upgrade of an old activation to the newer protocol (sdk.md, sections 9.11 and 12.14)", .endsInTime)
struct ProtocolUpgradeTests {
    private static let status = "/pa/v3/activation/status"
    private static let start = "/pa/v3/upgrade/start"
    private static let commit = "/pa/v3/upgrade/commit"

    private func sign(_ sdk: PowerAuthSDK) throws -> PowerAuthAuthorizationHttpHeader {
        try sdk.requestSignature(with: .possession(), method: "POST", uriId: "/a", body: nil)
    }

    private func expectUpgraded(_ app: TestApp) async throws {
        #expect(!app.sdk.hasProtocolUpgradeAvailable() && !app.sdk.hasPendingProtocolUpgrade())
        #expect(await app.validate() == nil)
    }

    @Test(
        .verifies("sdk.md", "B-66"),
        arguments: TestApp.Mode.allCases)
    func `Its requests are refused until a status fetch has upgraded it`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.withOldActivation(mode)
        #expect(app.sdk.hasProtocolUpgradeAvailable() && app.sdk.hasValidActivation())
        #expect(await app.validate()?.powerAuthErrorCode == .pendingProtocolUpgrade)
        #expect(try sign(app.sdk).value.contains("pa_version=\"2.1\""), "the application itself may still sign")
        #expect(try await app.status().get().state == .active)
        try await expectUpgraded(app)
        #expect(try sign(app.sdk).value.contains("pa_version=\"3.3\""))
        #expect(try await app.status().get().state == .active)
        #expect(await failure { app.sdk.removeActivation(with: .rightPassword, callback: $0) } == nil)
        #expect(app.sdk.canStartActivation())
    }

    @Test func `It is not upgraded if the configuration disables that`() async throws {
        let app = try await TestApp.withOldActivation { $0.disableAutomaticProtocolUpgrade = true }
        #expect(try await app.status().get().state == .active)
        #expect(app.sdk.hasProtocolUpgradeAvailable())
        #expect(app.transport.count(of: Self.start) == 0)
    }

    @Test(arguments: [start, commit])
    func `A lost answer is made up for within the same fetch`(path: String) async throws {
        let app = try await TestApp.withOldActivation()
        app.transport.order(.loseAnswer(.networkConnectionLost), for: path)
        #expect(try await app.status().get().state == .active)
        #expect(app.transport.count(of: Self.status) == 2)
        try await expectUpgraded(app)
    }

    @Test(.verifies("size", "RestClient.mostAttempts"))
    func `After three attempts the fetch fails, and the next one continues`() async throws {
        let app = try await TestApp.withOldActivation()
        app.transport.order(.fail(.timedOut), .fail(.timedOut), .fail(.timedOut), for: Self.start)
        let error = await app.status().failure
        #expect(error?.powerAuthErrorCode == .networkError)
        #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == URLError.timedOut.rawValue)
        #expect(app.transport.count(of: Self.start) == 3)
        #expect(app.sdk.hasPendingProtocolUpgrade())
        let refusal = #expect(throws: NSError.self) { try sign(app.sdk) }
        #expect(refusal?.powerAuthErrorCode == .pendingProtocolUpgrade)
        #expect(try await app.status().get().state == .active)
        try await expectUpgraded(app)
    }

    @Test func `An upgrade continues in the next process`() async throws {
        let app = try await TestApp.withOldActivation()
        app.transport.order(.loseAnswer(.timedOut), .loseAnswer(.timedOut), .loseAnswer(.timedOut), for: Self.start)
        #expect(await app.status().code == .networkError)
        let restarted = try app.restarted()
        #expect(restarted.hasPendingProtocolUpgrade())
        #expect(try await restarted.status().get().state == .active)
        #expect(!restarted.hasPendingProtocolUpgrade())
        #expect(await restarted.validate() == nil)
    }

    @Test
    func `A request that fails during an upgrade reports that; the original reported the server's version (sdk.5)`()
        async throws
    {
        for quirks in [[], ["sdk.5"]] {
            let app = try await TestApp.withOldActivation(quirks: quirks)
            app.transport.order(.fail(.timedOut), for: Self.start)
            // The first status request leads to the upgrade, the second one is lost.
            app.transport.order(.change { $0 }, .fail(.notConnectedToInternet), for: Self.status)
            let error = try #require(await app.status().failure)
            if quirks.isEmpty {
                #expect(error.domain == NSURLErrorDomain && error.code == NSURLErrorNotConnectedToInternet)
            } else {
                #expect(error.powerAuthErrorCode == .protocolUpgrade)
            }
            _ = try await app.status().get()
            try await expectUpgraded(app)
        }
    }

    @Test func `Callers that lose interest do not stop it, and later ones may wait for it`() async throws {
        let app = try await TestApp.withOldActivation()
        app.transport.order(.hold(.response), for: Self.start)
        let task = app.sdk.fetchActivationStatus { _, _ in Issue.record("a cancelled fetch does not report") }
        await app.transport.holds(Self.start)
        task?.cancel()
        async let later = app.status()
        app.transport.release(Self.start)
        #expect(try await later.get().state == .active)
        try await expectUpgraded(app)
        #expect(app.transport.count(of: Self.start) == 1, "the upgrade was not begun again")
    }

    @Test(arguments: TestApp.Mode.allCases) func `Removing the activation ends it`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.withOldActivation(mode)
        app.transport.order(.hold(.request), for: Self.start)
        let fetch = Task { await app.status() }
        await app.transport.holds(Self.start)
        app.sdk.removeActivationLocal()
        app.transport.release(Self.start)
        #expect(await fetch.value.code == .operationCancelled)
        #expect(app.sdk.canStartActivation() && !app.sdk.hasPendingProtocolUpgrade())
        if mode == .sharing { #expect(try app.neighbour().sdk.externalPendingOperation == nil) }
    }

    @Test
    func `The other applications are notified and wait; the original did not notify them (sdk.21)`() async throws {
        for quirks in [[], ["sdk.21"]] {
            let app = try await TestApp.withOldActivation(.sharing, quirks: quirks)
            let other = try app.neighbour()
            app.transport.order(.hold(.response), for: Self.start)
            let fetch = Task { await app.status() }
            await app.transport.holds(Self.start)
            let operation = other.sdk.externalPendingOperation
            if quirks.isEmpty {
                #expect(operation?.externalOperationType == .protocolUpgrade)
                #expect(operation?.externalApplicationId == "main")
                #expect(try await other.status().get().state == .active, "the status itself is there")
                #expect(other.transport.count(of: Self.start) == 0)
            } else {
                #expect(operation == nil)
            }
            #expect(app.sdk.externalPendingOperation == nil)
            let refusal = #expect(throws: NSError.self) { try sign(other.sdk) }
            #expect(refusal?.powerAuthErrorCode == .pendingProtocolUpgrade)
            app.transport.release(Self.start)
            _ = try await fetch.value.get()
            #expect(other.sdk.externalPendingOperation == nil)
            #expect(await other.validate() == nil)
        }
    }

    @Test func `A fetch without a waiter when its answer is read starts no upgrade`() async throws {
        let app = try await TestApp.withOldActivation(.sharing)
        let other = try app.neighbour()
        app.transport.order(.hold(.response), for: Self.status)
        let task = app.sdk.fetchActivationStatus { _, _ in Issue.record("a cancelled fetch does not report") }
        await app.transport.holds(Self.status)
        let caller = UncheckedTransfer(try #require(task))
        app.device.faults.onFiring { _ in caller.value.cancel() }
        // The next lock is that of the task which reads the answer.
        try app.device.faults.arm(FaultRule(point: .statusLockTaken, process: "main", action: .delay(.milliseconds(1))))
        // Comes back when everything has happened that follows the answer.
        try await onThread { app.transport.release(Self.status) }
        #expect(caller.value.isCancelled)
        #expect(other.sdk.externalPendingOperation == nil && !other.sdk.hasPendingProtocolUpgrade())
        #expect(app.transport.count(of: Self.start) == 0)
        #expect(try await other.status().get().state == .active)
        try await expectUpgraded(app)
    }

    @Test func `Another application continues an unfinished upgrade`() async throws {
        let app = try await TestApp.withOldActivation(.sharing)
        let other = try app.neighbour()
        app.transport.order(.fail(.timedOut), .fail(.timedOut), .fail(.timedOut), for: Self.commit)
        #expect(await app.status().code == .networkError)
        #expect(other.sdk.externalPendingOperation == nil && other.sdk.hasPendingProtocolUpgrade())
        #expect(try await other.status().get().state == .active)
        try await expectUpgraded(app)
    }

    @Test func `The versions of both sides determine the next step`() throws {
        typealias Step = ProtocolUpgradeStep
        #expect(try Step(server: .V2, local: .V2, pending: .NA) == .begin)
        #expect(try Step(server: .V2, local: .V2, pending: .V3) == .start)
        #expect(try Step(server: .V2, local: .V3, pending: .V3) == .commit)
        #expect(try Step(server: .V3, local: .V3, pending: .V3) == .finish)
        #expect(try Step(server: .V3, local: .V3, pending: .NA) == .none)
        let impossible: [(PowerAuthCoreProtocolVersion, PowerAuthCoreProtocolVersion, String)] = [
            (.V3, .V2, "Server-Client protocol version mishmash."), (.V2, .V3, "Internal protocol upgrade error."),
            (.NA, .V3, "Unknown server version."),
        ]
        for (server, local, text) in impossible {
            let error = #expect(throws: NSError.self) { try Step(server: server, local: local, pending: .NA) }
            #expect(error?.powerAuthErrorCode == .protocolUpgrade && error?.localizedDescription == text)
        }
    }
}
