// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import PowerAuth2
import SDKTestSupport
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite(
    "What a local removal does to requests on their way (sdk.md, sections 9.6 and 10, and section 15, item 13)",
    .endsInTime)
struct RemovalTests {
    private static let validate = "/pa/v3/signature/validate"

    @Test(arguments: TestApp.Mode.allCases)
    func
        `They end with the error operationCancelled; the original let them continue (sdk.13), and applied their answers (sharing.D30)`(
            mode: TestApp.Mode
        ) async throws
    {
        let outcomes: [([String], PowerAuthErrorCode?)] = [
            ([], .operationCancelled), (["sdk.13"], .missingActivation), (["sdk.13", "sharing.D30"], nil),
        ]
        for (quirks, outcome) in outcomes {
            let app = try await TestApp.activated(mode, quirks: quirks)
            app.transport.order(.hold(.response), for: Self.validate)
            let validation = Task { await app.validate() }
            await app.transport.holds(Self.validate)
            app.sdk.removeActivationLocal()
            app.transport.release(Self.validate)
            #expect(await validation.value?.powerAuthErrorCode == outcome)
        }
    }

    @Test func `Queued requests are never sent, and the next activation starts with a free queue`() async throws {
        let app = try await TestApp.activated()
        app.transport.order(.hold(.request), for: Self.validate)
        let first = Task { await app.validate() }
        await app.transport.holds(Self.validate)
        let others = await callback { (report: @escaping @Sendable ([PowerAuthErrorCode?]) -> Void) in
            let collected = Mutex<[PowerAuthErrorCode?]>([])
            for _ in 0..<5 {
                app.sdk.validatePassword(password: TestApp.password) { error in
                    let all = collected.withLock { collected in
                        collected.append(error?.powerAuthErrorCode)
                        return collected
                    }
                    if all.count == 5 { report(all) }
                }
            }
            app.sdk.removeActivationLocal()
        }
        #expect(others.allSatisfy { $0 == .operationCancelled })
        #expect(await first.value?.powerAuthErrorCode == .operationCancelled)
        try await app.activate()
        #expect(await app.validate() == nil)
        #expect(app.transport.count(of: Self.validate) == 2)
    }

    @Test func `An answer for a removed activation does not affect the next one`() async throws {
        let app = try await TestApp()
        let path = "/pa/v3/activation/create"
        app.transport.order(.hold(.response), for: path)
        let lost = try await app.activation()
        let creation = Task { await outcome { app.sdk.createActivation(lost, callback: $0) } }
        await app.transport.holds(path)
        app.sdk.removeActivationLocal()
        #expect(await creation.value.code == .operationCancelled)
        #expect(app.sdk.canStartActivation())
        try await app.activate()
        let activationId = try app.activationId
        app.transport.release(path)
        #expect(await app.validate() == nil)
        #expect(try app.activationId == activationId)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `No item of the activation stays in the keychain`(mode: TestApp.Mode) async throws {
        let (app, sdk) = try await TestApp.withBiometry(mode)
        _ = try await sdk.token("T").get()
        func isEmpty(_ service: String) -> Bool {
            let status = app.sandbox.keychain.items(service: service, authentication: .forbidden).status
            return status == errSecItemNotFound
        }
        #expect(!isEmpty(PowerAuthKeychain_Biometry) && !isEmpty(PowerAuthKeychain_TokenStore))
        sdk.removeActivationLocal()
        #expect(isEmpty(PowerAuthKeychain_Biometry) && isEmpty(PowerAuthKeychain_TokenStore))
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A removal that cannot be saved leaves the activation with its tokens`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        _ = try await app.sdk.token("T").get()
        try app.device.faults.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("EIO")))
        app.sdk.removeActivationLocal()
        #expect(app.sdk.hasValidActivation() && app.sdk.tokenStore.hasLocalToken(withName: "T"))
        app.sdk.removeActivationLocal()
        #expect(!app.sdk.hasValidActivation() && !app.sdk.tokenStore.hasLocalToken(withName: "T"))
    }

    @Test func `A request that needs no activation continues`() async throws {
        let app = try await TestApp.activated()
        app.transport.order(.hold(.response), for: "/pa/v3/status")
        let status = Task { await outcome { app.sdk.fetchServerStatus(callback: $0) } }
        await app.transport.holds("/pa/v3/status")
        app.sdk.removeActivationLocal()
        app.transport.release("/pa/v3/status")
        _ = try await status.value.get()
    }

    @Test
    func `Cached results are removed with the activation, in every case; the original kept them (sdk.26)`() async throws
    {
        for quirks in [[], ["sdk.26"]] {
            let app = try await TestApp.activated(quirks: quirks)
            _ = try await app.status().get()
            #expect(app.sdk.lastFetchedActivationStatus != nil)
            app.sdk.sessionProvider.resetSession()
            #expect((app.sdk.lastFetchedActivationStatus == nil) == quirks.isEmpty)
            app.sdk.removeActivationLocal()
            #expect(app.sdk.lastFetchedActivationStatus == nil && app.sdk.lastFetchedUserInfo == nil)
        }
    }
}
