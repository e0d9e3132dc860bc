// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2
import PowerAuthServer
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing

@Suite("The server's time (sdk.md, section 12.11)", .endsInTime)
struct TimeServiceTests {
    private func synchronize(_ sdk: PowerAuthSDK) async -> NSError? {
        await failure { sdk.timeSynchronizationService.synchronizeTime(callback: $0, callbackQueue: nil) }
    }

    @Test(.verifies("sdk.md", "B-50"))
    func `A new SDK object uses local time until it has asked the server`() async throws {
        let app = try await TestApp()
        let service = app.sdk.timeSynchronizationService
        #expect(!service.isTimeSynchronized && service.localTimeAdjustment == 0)
        #expect(service.localTimeAdjustmentPrecision == 0)
        #expect(abs(service.currentTime() - app.sandbox.clock.now().timeIntervalSince1970) < 1)
        #expect(await synchronize(app.sdk) == nil)
        // A busy machine delays the answer, and a delay looks like a difference.
        #expect(service.isTimeSynchronized && abs(service.localTimeAdjustment) < 15)
        service.resetTimeSynchronization()
        #expect(!service.isTimeSynchronized)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A server whose clock is far ahead moves the SDK's time, and everything that needs it works`(
        mode: TestApp.Mode
    ) async throws {
        let server = try await RealServer.start()
        server.clock.advance(seconds: 3600)
        let app = try await TestApp.activated(mode, server: server)
        let service = app.sdk.timeSynchronizationService
        #expect(await synchronize(app.sdk) == nil)
        #expect(abs(service.localTimeAdjustment - 3600) < 30)
        #expect(abs(service.currentTime() - Double(server.clock.now().milliseconds) / 1000) < 30)
        let token = try await app.sdk.token("list").get()
        let header = try AuthorizationHeader(#require(token.generateHeader()))
        #expect(try await app.backOffice.validate(token: header)["tokenValid"]?.boolValue == true)
        #expect(try await outcome { app.sdk.fetchUserInfo(callback: $0) }.get().subject == app.userId)
    }

    @Test func `The server's status contains its time, with and without an activation`() async throws {
        let server = try await RealServer.start()
        server.clock.advance(seconds: 86_400)
        let app = try await TestApp(server: server)
        for _ in 0..<2 {
            let status = try await outcome { app.sdk.fetchServerStatus(callback: $0) }.get()
            #expect(abs(status.serverTime.timeIntervalSince1970 - Double(server.clock.now().milliseconds) / 1000) < 60)
            if !app.sdk.hasValidActivation() { try await app.activate() }
        }
    }

    @Test func `A time that could not be fetched leaves the service as it was, and a retry succeeds`() async throws {
        let app = try await TestApp()
        app.transport.order(.fail(.timedOut), for: "/pa/v3/status")
        let error = await synchronize(app.sdk)
        #expect(error?.domain == NSURLErrorDomain && error?.code == URLError.timedOut.rawValue)
        #expect(!app.sdk.timeSynchronizationService.isTimeSynchronized)
        #expect(await synchronize(app.sdk) == nil)
        #expect(app.sdk.timeSynchronizationService.isTimeSynchronized)
    }
}
