// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabHTTP
import PowerAuth2
import PowerAuthSDK2
import PowerAuthShared
import SDKTestSupport
import TestSupport
import Testing

@Suite("The upgrade to protocol 4 in SDK 2.0 (protocol-4.md, section 14)", .endsInTime)
struct UpgradeTests {
    private static let start = "/pa/v4/upgrade/start"
    private static let confirmation = "/pa/v4/upgrade/confirm"
    private static let status = "/pa/v4/activation/status"

    /// An application with an activation of protocol 3, and an SDK object that can upgrade it.
    private func older(
        isSharing: Bool = false, biometry: Bool = false
    ) async throws -> (app: TestApp2, sdk: PowerAuthSDK2.PowerAuthSDK) {
        // Its configuration is not that of the server which the other tests share.
        let server = try await RealServer.start()
        try await server.backOffice.offerUpgrade()
        let app = try await TestApp2(.LEGACY_P256, isSharing: isSharing, server: server)
        if biometry { try app.enrol() }
        try await app.activate(biometry: biometry)
        return (app, try app.restarted(.EC_P384_ML_L3))
    }

    @Test func `An activation that is offered protocol 4 is upgraded on request, and keeps its identifier`()
        async throws
    {
        // Both objects are used.
        let (app, sdk) = try await older(isSharing: true)
        let identifier = sdk.activationIdentifier
        let former = try await app.token("list")
        #expect(try await sdk.status().isProtocolUpgradeAvailable && sdk.hasProtocolUpgradeAvailable())
        #expect(try await !app.sdk.status().isProtocolUpgradeAvailable, "its algorithm is that of protocol 3")
        #expect(await app.sdk.upgrade()?.powerAuthErrorCode == .invalidActivationState)
        #expect(await sdk.upgrade(TestApp.wrongPassword)?.powerAuthErrorCode == .networkError)
        #expect(try await sdk.status().failCount == 1, "a wrong password is counted once")

        #expect(await sdk.upgrade() == nil)
        #expect(sdk.activationIdentifier == identifier && !sdk.hasProtocolUpgradeAvailable())
        #expect(!sdk.hasPendingProtocolUpgrade() && !sdk.tokenStore.hasLocalToken(withName: former.tokenName))
        #expect(try await sdk.status().state == .active)
        #expect(try await app.codeIsAccepted(of: sdk))
        #expect(await sdk.upgrade() == nil, "nothing is left to do")
        #expect(app.transport.count(of: Self.confirmation) == 1)

        for request in app.transport.requests {
            let names = request.headers.map { $0.name }.filter { $0.hasPrefix("X-PowerAuth-") }
            if request.url.path.hasSuffix(Self.start) {
                #expect(names.sorted() == ["X-PowerAuth-Authorization", "X-PowerAuth-Encryption"])
            } else {
                #expect(names.count <= 1, "\(request.url.path)")
            }
        }
    }

    @Test(arguments: ["/pa/v4/upgrade/start", "/pa/v4/upgrade/confirm"])
    func `A lost answer is repeated, whether the server did its part or not`(path: String) async throws {
        for order: TappedTransport.Order in [.loseAnswer(.timedOut), .fail(.notConnectedToInternet)] {
            let (app, sdk) = try await older()
            app.transport.order(order, for: path)
            #expect(await sdk.upgrade() == nil)
            #expect(try await app.codeIsAccepted(of: sdk))
        }
    }

    @Test(.verifies("size", "RestClient.mostAttempts"))
    func `Two lost answers are repeated`() async throws {
        let (app, sdk) = try await older()
        app.transport.order(.fail(.timedOut), .loseAnswer(.timedOut), for: Self.confirmation)
        #expect(await sdk.upgrade() == nil)
        #expect(try await app.codeIsAccepted(of: sdk))
        #expect(app.transport.count(of: Self.confirmation) == 2, "the status shows that the second one arrived")
    }

    @Test func `An upgrade that is not confirmed leaves protocol 3 in use, and another process ends it`() async throws {
        let (app, sdk) = try await older()
        app.transport.order(
            .fail(.timedOut), .fail(.timedOut), .fail(.timedOut), for: Self.confirmation)
        #expect(await sdk.upgrade()?.domain == NSURLErrorDomain)
        #expect(sdk.hasPendingProtocolUpgrade())
        #expect(try await app.codeIsAccepted(of: sdk))
        #expect(await sdk.validate() == nil)

        let restarted = try app.restarted(.EC_P384_ML_L3)
        #expect(restarted.hasPendingProtocolUpgrade())
        let starts = app.transport.count(of: Self.start)
        #expect(await restarted.upgrade() == nil)
        #expect(app.transport.count(of: Self.start) == starts, "the server has the keys of the first start")
        #expect(try await app.codeIsAccepted(of: restarted))
    }

    @Test func `A status ends an upgrade that the server has confirmed, and leaves one that waits`() async throws {
        for order: TappedTransport.Order in [.loseAnswer(.timedOut), .fail(.timedOut)] {
            let (app, sdk) = try await older()
            app.transport.order(order, for: Self.confirmation)
            app.transport.order(.fail(.timedOut), .fail(.timedOut), for: Self.status)
            #expect(await sdk.upgrade()?.domain == NSURLErrorDomain)
            #expect(sdk.hasPendingProtocolUpgrade())
            app.transport.order(.fail(.notConnectedToInternet), for: Self.status)
            let unreachable = await outcome { sdk.fetchActivationStatus(callback: $0) }
            #expect(unreachable.failure?.domain == NSURLErrorDomain)

            #expect(try await sdk.status().state == .active)
            if case .loseAnswer = order {
                #expect(!sdk.hasPendingProtocolUpgrade())
            } else {
                #expect(sdk.hasPendingProtocolUpgrade())
            }
            #expect(try await app.codeIsAccepted(of: sdk))
            #expect(await sdk.upgrade() == nil)
            #expect(try await app.codeIsAccepted(of: sdk))
        }
    }

    @Test func `The biometry factor is kept with its key, or ends`() async throws {
        for keeps in [true, false] {
            let (app, sdk) = try await older(biometry: true)
            try app.confirmNextDialog()
            let credentials = try await outcome {
                sdk.authenticateUsingBiometry(withPrompt: "Confirm", callback: $0)
            }.get()
            #expect(await sdk.upgrade(biometry: keeps ? credentials : nil) == nil)
            #expect(sdk.hasBiometryFactor() == keeps)
            guard keeps else { continue }
            try app.confirmNextDialog()
            #expect(try await app.codeIsAccepted(.possessionWithBiometry(prompt: "Confirm"), of: sdk))
        }
    }

    @Test func `Apps of both SDKs share an activation of protocol 3, and those of SDK 2.0 one of protocol 4`()
        async throws
    {
        let (app, sdk) = try await older(isSharing: true)
        let (first, neighbour) = (try app.olderNeighbour(), try app.neighbour())
        #expect(first.activationIdentifier == sdk.activationIdentifier)
        #expect(await failure { first.validatePassword(password: TestApp.password, callback: $0) } == nil)
        #expect(try await app.codeIsAccepted(of: neighbour.sdk))
        #expect(await sdk.upgrade() == nil)
        #expect(neighbour.sdk.activationIdentifier == sdk.activationIdentifier)
        #expect(try await app.codeIsAccepted(of: neighbour.sdk))
        #expect(!first.hasValidActivation(), "SDK 1.9 cannot use an activation of protocol 4")
    }

    @Test func `An app whose upgrade begins when another one has finished finds nothing left to do`() async throws {
        let (app, sdk) = try await older(isSharing: true)
        let neighbour = try app.neighbour(.EC_P384_ML_L3)
        let keys = "/pa/v4/keystore/create"
        neighbour.transport.order(.hold(.response), for: keys)
        async let late = neighbour.sdk.upgrade()
        await neighbour.transport.holds(keys)
        #expect(await sdk.upgrade() == nil)
        neighbour.transport.release(keys)
        #expect(await late == nil)
        #expect(neighbour.transport.count(of: Self.start) == 0)
        #expect(try await app.codeIsAccepted(of: neighbour.sdk))
    }
}
